// Opens the dashboard of a real server, and finds what is on it.
import assert from "node:assert/strict";
import { open, Project, until } from "./harness.mjs";

/** The widths that people have: a phone, a tablet, a screen. */
export const WIDTHS = [360, 768, 1600];

export const STORY = [
  { title: "Find out why the login fails", status: "done", priority: "high", completed: "2026-01-02T10:00:00.000Z" },
  { title: "Write a test that shows it", status: "in-progress", priority: "high", active_form: "Writing the test", dependencies: [1] },
  { title: "Fix the login", priority: "high", dependencies: [2] },
  { title: "Release 1.4", dependencies: [3] },
  { title: "Announce it", priority: "low", dependencies: [4] },
  { title: "Update the dependencies", priority: "low" },
  { title: "Keys for the staging environment", status: "blocked" },
  { title: "Rewrite the parser", status: "deferred" },
];

/** A board with a server, and a page that shows it. */
export async function over(tasks, { hash = "", serve = {}, ...options } = {}) {
  const project = new Project();
  if (tasks.length) project.write(tasks);
  const server = await project.serve(serve);
  const page = await visit(server, { hash, ...options });
  return { project, server, page };
}

export async function visit(server, { hash = "", ...options } = {}) {
  const page = await open({ width: 1600, ...options });
  await page.addInitScript(() => {
    window.violations = [];
    addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
  });
  await page.goto(`${server.url}/${hash}`);
  return page;
}

export const column = (page, name) => page.getByRole("region", { name, exact: true }).and(page.locator(".column"));
export const card = (page, title) => page.locator(".card:not(.ghost)", { has: page.locator(".title").getByText(title, { exact: true }) });
export const inColumn = (page, name, title) => column(page, name).locator(".card", { has: page.locator(".title").getByText(title, { exact: true }) });
export const titles = (page, name) => column(page, name).locator(".card .title").allTextContents();
export const focused = (page, title) =>
  until(`${title} has the focus`, () => page.evaluate((title) => document.activeElement.querySelector?.(".title")?.textContent === title, title));
export const live = (page) => page.locator('.state[data-state="live"]').waitFor();
export const sheet = (page) => page.locator(".sheet");

/** Nothing went wrong in the page, and nothing was tried that its policy forbids. */
export async function clean(page, expected = []) {
  assert.deepEqual(await page.evaluate(() => window.violations), []);
  const unexpected = page.faults.filter((fault) => !expected.some((words) => fault.includes(words)));
  assert.deepEqual(unexpected, []);
}

export async function dragTo(page, from, x, y) {
  const box = await from.boundingBox();
  await page.mouse.move(box.x + 40, box.y + 12);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y + 30, { steps: 3 });
  await page.mouse.move(x, y, { steps: 6 });
}
