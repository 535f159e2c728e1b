// The dashboard, from end to end: a real server, real browsers, and an agent that changes the board under them.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { browser, end, open, picture, Project, THEMES, until, uuid } from "./harness.mjs";
import { HOSTILE } from "./hostile.mjs";

const WIDTHS = [360, 768, 1600];

let chromium;
before(async () => {
  chromium = await browser();
});
after(end);

const STORY = [
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
async function over(tasks, { hash = "", serve = {}, ...options } = {}) {
  const project = new Project();
  if (tasks.length) project.write(tasks);
  const server = await project.serve(serve);
  const page = await visit(server, { hash, ...options });
  return { project, server, page };
}

async function visit(server, { hash = "", ...options } = {}) {
  const page = await open(chromium, { width: 1600, ...options });
  await page.addInitScript(() => {
    window.violations = [];
    addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
  });
  await page.goto(`${server.url}/${hash}`);
  return page;
}

const column = (page, name) => page.getByRole("region", { name, exact: true }).and(page.locator(".column"));
const card = (page, title) => page.locator(".card:not(.ghost)", { has: page.locator(".title").getByText(title, { exact: true }) });
const inColumn = (page, name, title) => column(page, name).locator(".card", { has: page.locator(".title").getByText(title, { exact: true }) });
const titles = (page, name) => column(page, name).locator(".card .title").allTextContents();
const focused = (page, title) =>
  until(`${title} has the focus`, () => page.evaluate((title) => document.activeElement.querySelector?.(".title")?.textContent === title, title));
const live = (page) => page.locator('.state[data-state="live"]').waitFor();
const sheet = (page) => page.locator(".sheet");

/** Nothing went wrong in the page, and nothing was tried that its policy forbids. */
async function clean(page, expected = []) {
  assert.deepEqual(await page.evaluate(() => window.violations), []);
  const unexpected = page.faults.filter((fault) => !expected.some((words) => fault.includes(words)));
  assert.deepEqual(unexpected, []);
}

async function dragTo(page, from, x, y) {
  const box = await from.boundingBox();
  await page.mouse.move(box.x + 40, box.y + 12);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y + 30, { steps: 3 });
  await page.mouse.move(x, y, { steps: 6 });
}

describe("the board", () => {
  test("shows every task in the column of its status, and how far it has come", async () => {
    const { page } = await over(STORY);
    await card(page, "Fix the login").waitFor();
    assert.deepEqual(await titles(page, "Pending"), ["Fix the login", "Release 1.4", "Announce it", "Update the dependencies"]);
    assert.deepEqual(await titles(page, "In progress"), ["Write a test that shows it"]);
    assert.deepEqual(await titles(page, "Blocked"), ["Keys for the staging environment"]);
    assert.deepEqual(await titles(page, "Done"), ["Find out why the login fails"]);
    assert.equal(await page.locator(".figures").innerText(), "1/8 completed");
    await card(page, "Write a test that shows it").getByText("Writing the test").waitFor();
    await card(page, "Fix the login").getByText("waits for 1").waitFor();
    await clean(page);
  });

  test("tasks are added by mouse and by keys, and a refusal stands by the field", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Fix the login").waitFor();
    await page.keyboard.press("n");
    await page.keyboard.type("Write the release notes");
    await page.keyboard.press("Enter");
    await inColumn(page, "Pending", "Write the release notes").waitFor();
    await until("it is on the board", async () => (await project.run("list")).includes("Write the release notes"));
    const field = page.getByLabel("Add a task").first();
    await field.fill("x".repeat(201));
    await field.press("Enter");
    await page.locator(".adding .why").getByText("200 characters").waitFor();
    assert.equal(await field.inputValue(), "x".repeat(201), "what was typed is given back");
    await clean(page);
  });

  test("an empty board says how to begin", async () => {
    const { page } = await over([]);
    await page.getByText("claude mcp add todori -- todori serve").first().waitFor();
    await page.getByLabel("Add a task").last().fill("The first one");
    await page.keyboard.press("Enter");
    await inColumn(page, "Pending", "The first one").waitFor();
    await clean(page);
  });

  test("a card is dragged to another column", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Update the dependencies").waitFor();
    const target = await card(page, "Keys for the staging environment").boundingBox();
    await dragTo(page, card(page, "Update the dependencies"), target.x + 50, target.y + target.height + 60);
    await page.locator(".marker").waitFor();
    await page.mouse.up();
    await inColumn(page, "Blocked", "Update the dependencies").waitFor();
    await until("it is blocked", async () => (await project.json("show", uuid(6))).status === "blocked");
    assert.equal(await sheet(page).isVisible(), false, "a drag is no click");
    await clean(page);
  });

  test("a card is dragged up within its column", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Update the dependencies").waitFor();
    const first = await card(page, "Fix the login").boundingBox();
    await dragTo(page, card(page, "Update the dependencies"), first.x + 50, first.y + 3);
    await page.mouse.up();
    const order = ["Update the dependencies", "Fix the login", "Release 1.4", "Announce it"];
    await until("it is first", async () => (await titles(page, "Pending")).join() === order.join());
    await until("the order is kept", async () => {
      const tasks = await project.json("list", "--all");
      const rows = tasks.tasks ?? tasks;
      return rows.filter((task) => task.status === "pending").map((task) => task.title).join() === order.join();
    });
    await clean(page);
  });

  test("a card is dragged by a finger that stays on it for a moment", async () => {
    const { page, project } = await over(STORY, { hasTouch: true });
    await card(page, "Update the dependencies").waitFor();
    const from = await card(page, "Update the dependencies").boundingBox();
    const to = await column(page, "Blocked").boundingBox();
    const touch = await page.context().newCDPSession(page);
    const send = (type, x, y) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: x === undefined ? [] : [{ x, y }] });
    await send("touchStart", from.x + 40, from.y + 12);
    await page.locator(".ghost").waitFor();
    await send("touchMove", from.x + 100, from.y + 20);
    await send("touchMove", to.x + 60, to.y + 300);
    await page.locator('.column.over[data-status="blocked"]').waitFor();
    await send("touchEnd");
    await until("it is blocked", async () => (await project.json("show", uuid(6))).status === "blocked");
    assert.equal(await sheet(page).isVisible(), false);
    await clean(page);
  });

  test("Escape ends a drag without a change", async () => {
    const { page } = await over(STORY);
    await card(page, "Update the dependencies").waitFor();
    const target = await column(page, "Done").boundingBox();
    await dragTo(page, card(page, "Update the dependencies"), target.x + 50, target.y + 200);
    await page.keyboard.press("Escape");
    await page.mouse.up();
    assert.equal(await page.locator(".ghost").count(), 0);
    await inColumn(page, "Pending", "Update the dependencies").waitFor();
    await clean(page);
  });

  test("a card is carried by keys: picked up, moved, put down, taken back", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Fix the login").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowUp");
    await until("it is shown there", async () => (await titles(page, "Pending"))[0] === "Release 1.4");
    await page.keyboard.press("Escape");
    await until("it is back", async () => (await titles(page, "Pending"))[0] === "Fix the login");
    await focused(page, "Release 1.4");
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Space");
    await until("it is blocked", async () => (await project.json("show", uuid(4))).status === "blocked");
    await inColumn(page, "Blocked", "Release 1.4").waitFor();
    await focused(page, "Release 1.4");
    await page.keyboard.press("]");
    await until("it is done", async () => (await project.json("show", uuid(4))).status === "done");
    await clean(page);
  });

  test("a card is moved within its column by Shift and arrows", async () => {
    const { page } = await over(STORY);
    await card(page, "Fix the login").focus();
    await page.keyboard.press("Shift+ArrowDown");
    await until("it went down", async () => (await titles(page, "Pending")).slice(0, 2).join() === "Release 1.4,Fix the login");
    await clean(page);
  });

  test("the menu of a card completes it", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Update the dependencies").getByRole("button").click();
    await page.getByRole("menuitem", { name: "Done", exact: true }).click();
    await inColumn(page, "Done", "Update the dependencies").waitFor();
    await until("it is done", async () => (await project.json("show", uuid(6))).status === "done");
    await page.locator(".figures").getByText("2/8").waitFor();
    await clean(page);
  });

  test("the menu opens by a key, and gives the focus back to the card", async () => {
    const { page } = await over(STORY);
    await card(page, "Fix the login").focus();
    await page.keyboard.press("m");
    await page.getByRole("menuitem", { name: "Start" }).waitFor();
    await page.keyboard.press("Escape");
    await focused(page, "Fix the login");
    await page.keyboard.press("m");
    await page.getByRole("menuitem", { name: "Open" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await inColumn(page, "In progress", "Fix the login").waitFor();
    await focused(page, "Fix the login");
    await clean(page);
  });

  test("search and filters narrow the board as one types", async () => {
    const { page } = await over(STORY);
    await card(page, "Fix the login").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("LOGIN");
    await until("two are left", async () => (await page.locator(".card").count()) === 2);
    await page.getByText("2 of 8").waitFor();
    await page.keyboard.press("Escape");
    await until("all are back", async () => (await page.locator(".card").count()) >= 7);
    await page.getByLabel("Filter by priority").selectOption("low");
    await until("low ones are left", async () => (await titles(page, "Pending")).join() === "Announce it,Update the dependencies");
    await page.getByLabel("Filter by waiting").selectOption("waiting");
    await until("one is left", async () => (await titles(page, "Pending")).join() === "Announce it");
    await page.getByRole("button", { name: "Clear" }).click();
    await until("all are back", async () => (await page.locator(".card").count()) >= 7);
    await page.getByRole("searchbox").fill("nothing like this");
    await column(page, "Pending").getByText("No match").waitFor();
    await clean(page);
  });

  test("what is deleted comes back with Undo, and with what waited for it", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Fix the login").focus();
    await page.keyboard.press("Delete");
    await until("it is gone", async () => (await card(page, "Fix the login").count()) === 0);
    await page.getByRole("button", { name: "Undo" }).click();
    await card(page, "Fix the login").waitFor();
    await card(page, "Release 1.4").getByText("waits for 1").waitFor();
    assert.equal((await project.json("show", uuid(3))).title, "Fix the login");
    await clean(page);
  });

  test("Undo is offered only as long as it means what it says", async () => {
    const { page } = await over(STORY);
    await card(page, "Fix the login").focus();
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await card(page, "Release 1.4").focus();
    await page.keyboard.press("]");
    await inColumn(page, "In progress", "Release 1.4").waitFor();
    assert.equal(await page.getByRole("button", { name: "Undo" }).count(), 0);
    await clean(page);
  });

  test("a refused undo says why", async () => {
    const { page } = await over(STORY);
    await card(page, "Fix the login").waitFor();
    await page.keyboard.press("Control+z");
    await page.locator(".toast.bad").getByText("changed from a browser").waitFor();
    await clean(page, ["409"]);
  });

  test("what is carried by keys is put back when somebody looks elsewhere", async () => {
    const { page } = await over(STORY);
    for (const leave of [() => page.keyboard.press("2"), () => page.getByLabel("Search").click()]) {
      await card(page, "Update the dependencies").focus();
      await page.keyboard.press("Space");
      await page.keyboard.press("ArrowRight");
      await inColumn(page, "In progress", "Update the dependencies").waitFor();
      await leave();
      await page.locator(".unseen").getByText("Update the dependencies was put back").waitFor();
      await page.getByRole("link", { name: "Board" }).click();
      await inColumn(page, "Pending", "Update the dependencies").waitFor();
    }
    await clean(page);
  });

  test("what is added behind a filter is said, and can be shown", async () => {
    const { page } = await over(STORY);
    await card(page, "Fix the login").waitFor();
    await page.getByLabel("Search").fill("login");
    await page.getByLabel("Add a task").first().fill("  Something else  ");
    await page.keyboard.press("Enter");
    await page.getByText("which the filter hides").first().waitFor();
    await page.getByRole("button", { name: "Show it" }).click();
    await inColumn(page, "Pending", "Something else").waitFor();
    await page.getByLabel("Filter by status").selectOption("done");
    await column(page, "Pending").waitFor({ state: "hidden" });
    await page.locator("body").press("n");
    await until("it can be typed", () => page.evaluate(() => document.activeElement.matches(".add")));
    await clean(page);
  });

  test("Undo takes back what it names, whatever others did meanwhile", async () => {
    const { page, server, project } = await over(STORY);
    const other = await visit(server);
    await card(page, "Fix the login").focus();
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await card(other, "Announce it").focus();
    await other.keyboard.press("]");
    await inColumn(other, "In progress", "Announce it").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator(".toast").getByText("Taken back: “Fix the login”").waitFor();
    await card(page, "Fix the login").waitFor();
    assert.equal((await project.json("show", uuid(5))).status, "in-progress");
    await clean(page);
  });

  test("a help dialog names the keys", async () => {
    const { page } = await over(STORY);
    await card(page, "Fix the login").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Pick it up").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await clean(page);
  });
});

describe("a task's details", () => {
  test("are edited where they stand", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Fix the login").click();
    const title = sheet(page).getByLabel("Title");
    await title.fill("Fix the login for good");
    await title.press("Enter");
    await card(page, "Fix the login for good").waitFor();
    const description = sheet(page).getByLabel("Description");
    await description.fill("One line.\n\nAnother <b>line</b>.");
    await description.blur();
    await sheet(page).getByLabel("Priority", { exact: true }).selectOption("low");
    await sheet(page).getByLabel("Status", { exact: true }).selectOption("deferred");
    await until("all is kept", async () => {
      const task = await project.json("show", uuid(3));
      return task.title === "Fix the login for good" && task.description === "One line.\n\nAnother <b>line</b>."
        && task.priority === "low" && task.status === "deferred";
    });
    await sheet(page).locator(".history li").first().waitFor();
    await page.keyboard.press("Escape");
    await sheet(page).waitFor({ state: "hidden" });
    await clean(page);
  });

  test("a refused title comes with the reason, and the old one is back", async () => {
    const { page } = await over(STORY);
    await card(page, "Fix the login").click();
    const title = sheet(page).getByLabel("Title");
    await title.fill("x".repeat(201));
    await title.press("Enter");
    await sheet(page).locator(".why").getByText("200 characters").waitFor();
    assert.equal(await title.inputValue(), "Fix the login");
    await sheet(page).getByRole("button", { name: "Edit what I typed" }).click();
    assert.equal(await title.inputValue(), "x".repeat(201));
    await title.press("Escape");
    assert.equal(await title.inputValue(), "Fix the login");
    await clean(page);
  });

  test("what somebody else changes meanwhile is shown, and what is being typed stays", async () => {
    const { page, project } = await over(STORY);
    await live(page);
    await card(page, "Fix the login").click();
    const title = sheet(page).getByLabel("Title");
    await title.fill("My own words");
    await project.run("edit", uuid(3), "--title", "Their words");
    await sheet(page).getByText("Their words").waitFor();
    assert.equal(await title.inputValue(), "My own words");
    await title.blur();
    await sheet(page).getByRole("button", { name: "Keep mine" }).click();
    await until("mine is kept", async () => (await project.json("show", uuid(3))).title === "My own words");
    await title.fill("More of mine");
    await project.run("edit", uuid(3), "--title", "Theirs again");
    await sheet(page).getByRole("button", { name: "Take theirs" }).click();
    assert.equal(await title.inputValue(), "Theirs again");
    await clean(page);
  });

  test("subtasks are added, ticked, renamed and deleted", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Fix the login").click();
    const add = sheet(page).getByLabel("Add a subtask");
    for (const step of ["First", "Second"]) {
      await add.fill(step);
      await add.press("Enter");
      await sheet(page).getByRole("checkbox", { name: step }).waitFor();
    }
    await sheet(page).getByRole("checkbox", { name: "First" }).check();
    await card(page, "Fix the login").getByText("1/2").waitFor();
    const second = sheet(page).getByLabel("Subtask 2");
    await second.fill("The second");
    await second.press("Enter");
    await sheet(page).getByRole("checkbox", { name: "The second" }).waitFor();
    await sheet(page).getByRole("button", { name: "Delete this subtask" }).first().click();
    await card(page, "Fix the login").getByText("0/1").waitFor();
    const { subtasks } = await project.json("show", uuid(3));
    assert.deepEqual(subtasks.map(({ title, status }) => ({ title, status })), [{ title: "The second", status: "pending" }]);
    await page.getByRole("button", { name: "Undo" }).click();
    await until("it is back", async () => (await project.json("show", uuid(3))).subtasks.length === 2);
    await clean(page);
  });

  test("dependencies are found by their titles, and a circle is refused in words", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Update the dependencies").click();
    const find = sheet(page).getByLabel("Add what it waits for");
    await find.fill("release");
    await page.getByRole("option", { name: "Release 1.4" }).waitFor();
    await find.press("Enter");
    await sheet(page).getByRole("button", { name: "Release 1.4" }).waitFor();
    await until("it waits", async () => JSON.stringify(await project.json("show", uuid(6))).includes(uuid(4)));
    await sheet(page).getByRole("button", { name: "Release 1.4" }).click();
    await until("the other one is open", async () => (await sheet(page).getByLabel("Title").inputValue()) === "Release 1.4");
    await find.fill("update");
    await page.getByRole("option", { name: "Update the dependencies" }).click();
    const why = sheet(page).locator(".why", { hasText: "cycle" });
    await why.waitFor();
    assert.match(await why.innerText(), /“Release 1\.4” waits for “Update the dependencies” waits for “Release 1\.4”|“Update the dependencies” waits for “Release 1\.4” waits for “Update the dependencies”/);
    await sheet(page).getByRole("button", { name: "Don’t wait for this" }).click();
    await until("it no longer waits", async () => !(JSON.stringify(await project.json("show", uuid(4))).includes(uuid(3))));
    await clean(page);
  });

  test("Escape closes them, saves what was typed, and gives the focus back to the card", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Fix the login").focus();
    await page.keyboard.press("Enter");
    const description = sheet(page).getByLabel("Description");
    await description.fill("Not lost");
    await sheet(page).getByRole("button", { name: "Close" }).click();
    await sheet(page).waitFor({ state: "hidden" });
    await until("it is kept", async () => (await project.json("show", uuid(3))).description === "Not lost");
    await focused(page, "Fix the login");
    await page.keyboard.press("Enter");
    await sheet(page).getByLabel("Title").focus();
    await page.keyboard.press("Escape");
    await sheet(page).waitFor({ state: "hidden" });
    await clean(page);
  });

  test("what was typed is given back when it can’t be saved and its field is gone", async () => {
    const { page, project } = await over(STORY);
    await live(page);
    await card(page, "Fix the login").click();
    const title = sheet(page).getByLabel("Title");
    const note = page.locator(".toast.stays");
    // Refused after somebody went on to another task.
    await title.fill("x".repeat(201));
    await card(page, "Release 1.4").click();
    await note.getByText("200 characters").waitFor();
    await note.getByRole("button", { name: "Get it back" }).click();
    await until("it is back", async () => (await title.inputValue()) === "x".repeat(201));
    await title.press("Escape");
    // Disputed.
    await title.fill("My own words");
    await project.run("edit", uuid(3), "--title", "Their words");
    await sheet(page).getByText("Their words").waitFor();
    await card(page, "Release 1.4").click();
    await note.getByText("My own words").waitFor();
    await note.getByRole("button", { name: "Get it back" }).click();
    await until("it is back", async () => (await title.inputValue()) === "My own words");
    await title.press("Escape");
    // Deleted under the hands of who types.
    await sheet(page).getByLabel("Description").fill("A long story");
    await project.run("rm", uuid(3));
    await note.getByText("A long story").waitFor();
    await clean(page, ["404"]);
  });

  test("say when the task is gone", async () => {
    const { page, project } = await over(STORY);
    await live(page);
    await card(page, "Fix the login").click();
    await sheet(page).getByLabel("Title").waitFor();
    await project.run("rm", uuid(3));
    await sheet(page).getByText("This task was deleted").waitFor();
    await page.goto(`${page.url().split("#")[0]}#/board/ffffffff`);
    await sheet(page).getByText("There is no such task").waitFor();
    await clean(page, ["404"]);
  });
});

describe("everybody sees the same", () => {
  test("two browsers and an agent change the board under each other", async () => {
    const { page: one, server, project } = await over(STORY);
    const two = await visit(server);
    await Promise.all([live(one), live(two)]);
    const agent = await project.agent({ name: "claude-code" });
    await agent.call("create_task", { title: "From the agent" });
    for (const page of [one, two]) await inColumn(page, "Pending", "From the agent").waitFor();
    await agent.call("update_task", { id: uuid(6), status: "in-progress" });
    for (const page of [one, two]) {
      await inColumn(page, "In progress", "Update the dependencies").getByText(/claude-code-\w+, for/).waitFor();
      await page.locator(".now").getByText("Update the dependencies").first().waitFor();
    }
    await card(one, "Fix the login").focus();
    await one.keyboard.press("]");
    await inColumn(two, "In progress", "Fix the login").waitFor();
    await project.run("done", uuid(3));
    for (const page of [one, two]) await inColumn(page, "Done", "Fix the login").waitFor();
    await Promise.all([clean(one), clean(two)]);
  });

  test("the list of a session shows live, and goes with it", async () => {
    const { page, project } = await over(STORY, { hash: "#/agents" });
    await live(page);
    const agent = await project.agent({ name: "claude-code", words: ["--toolsets", "tasks,todowrite"] });
    const item = (content, status) => ({ content, status, activeForm: `Doing: ${content}` });
    await agent.call("TodoWrite", { todos: [item("Read", "completed"), item("Write", "in_progress"), item("Rest", "pending")] });
    const box = page.locator(".agent", { hasText: "claude-code" });
    await box.locator(".doing-now").getByText("Doing: Write").waitFor();
    await box.getByText("1/3 completed").waitFor();
    await agent.call("TodoWrite", { todos: [item("Read", "completed"), item("Write", "completed"), item("Rest", "in_progress")] });
    await box.locator(".doing-now").getByText("Doing: Rest").waitFor();
    await agent.call("update_task", { id: uuid(6), status: "in-progress" });
    await box.getByRole("button", { name: "Update the dependencies" }).waitFor();
    await page.locator(".feed").getByText("Update the dependencies").first().waitFor();
    await agent.end();
    await box.getByText("gone", { exact: true }).waitFor();
    assert.equal(await box.locator(".own-list").isVisible(), false, "what it left is only the task");
    await clean(page);
  });

  test("eight windows of one browser do not block each other", async () => {
    const { page, server, project } = await over(STORY);
    await live(page);
    const others = [];
    for (let i = 0; i < 7; i += 1) {
      const other = await page.context().newPage();
      await other.goto(`${server.url}/`);
      others.push(other);
    }
    for (const other of others) await live(other);
    await project.run("add", "For everybody");
    for (const other of [page, ...others]) await card(other, "For everybody").waitFor();
    // Whoever held the stream is gone; somebody else takes over.
    await page.close();
    for (const other of others) await live(other);
    await project.run("add", "For the others");
    for (const other of others) await card(other, "For the others").waitFor();
  });

  test("a long title stays inside the card of its agent", async () => {
    const { page, project } = await over([], { hash: "#/agents" });
    const agent = await project.agent({ name: "coder" });
    const { structuredContent: made } = await agent.call("create_task", { title: "w".repeat(200) });
    await agent.call("update_task", { id: made.id, status: "in-progress" });
    await page.locator(".agent .links .faint").waitFor();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const card = await page.locator(".agent").boundingBox();
      for (const part of [".alive", ".doing-now .faint", ".links .faint"]) {
        const box = await page.locator(`.agent ${part}`).first().boundingBox();
        assert.ok(box.width > 10 && box.x + box.width <= card.x + card.width, `${part} at ${width}`);
      }
    }
    await clean(page);
  });

  test("a lost server is said, and found again", async () => {
    const { page, server, project } = await over(STORY);
    await live(page);
    await server.end();
    await page.locator(".banner").getByText("can’t be reached").waitFor();
    await card(page, "Fix the login").focus();
    await page.keyboard.press("]");
    await card(page, "Fix the login").getByText("did not answer").waitFor();
    await inColumn(page, "Pending", "Fix the login").waitFor();
    await project.run("add", "While it was away");
    await project.serve({ port: server.port });
    await inColumn(page, "Pending", "While it was away").waitFor();
    await page.locator(".banner").waitFor({ state: "hidden" });
    await live(page);
    await clean(page, ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE"]);
  });

  test("a broken file is said, and the page recovers when it is mended", async () => {
    const { page, project } = await over(STORY);
    await live(page);
    writeFileSync(join(project.path, ".todori/tasks.yaml"), "version: 1\ntasks:\n  - [");
    await page.getByText("The board’s file can’t be read").waitFor();
    project.write(STORY);
    await card(page, "Fix the login").waitFor();
    await clean(page, ["503"]);
  });
});

describe("safety", () => {
  test("asks for the token, and says when it is wrong", async () => {
    const token = "a-token-of-some-length-1234";
    const { page } = await over(STORY, { serve: { env: { TODORI_TOKEN: token } } });
    await page.getByLabel("Token").fill("not the right one");
    await page.keyboard.press("Enter");
    await page.getByText("without spaces").waitFor();
    await page.getByLabel("Token").fill("not-the-right-one-at-all");
    await page.keyboard.press("Enter");
    await page.getByText("This is not the token").waitFor();
    await page.getByLabel("Token").fill(token);
    await page.keyboard.press("Enter");
    await card(page, "Fix the login").waitFor();
    await live(page);
    await page.reload();
    await card(page, "Fix the login").waitFor();
    assert.equal(await page.evaluate(() => JSON.stringify(localStorage).includes("1234")), false, "it is kept for the tab only");
    await clean(page, ["401"]);
  });

  test("the right token opens a board that can’t be read, and the form says when nothing answers", async () => {
    const token = "a-token-of-some-length-1234";
    const { page, server, project } = await over(STORY, { serve: { env: { TODORI_TOKEN: token } } });
    await page.getByLabel("Token").waitFor();
    await server.end();
    await page.getByLabel("Token").fill(token);
    await page.keyboard.press("Enter");
    await page.locator("#token-why").getByText("did not answer").waitFor();
    writeFileSync(join(project.path, ".todori/tasks.yaml"), "version: 1\ntasks:\n  - [");
    await project.serve({ port: server.port, env: { TODORI_TOKEN: token } });
    await page.keyboard.press("Enter");
    await page.getByText("The board’s file can’t be read").waitFor();
    project.write(STORY);
    await card(page, "Fix the login").waitFor();
    await live(page);
    await clean(page, ["401", "503", "ERR_"]);
  });

  test("hostile titles are text, in every view", async () => {
    const { page, project, server } = await over([]);
    const agent = await project.agent({ words: ["--toolsets", "todo,tasks"] });
    for (const { title } of HOSTILE) await agent.call("todo_update", { add: [{ content: title }] });
    await page.goto(`${server.url}/`);
    await until("all are there", async () => (await column(page, "Pending").locator("h2 .count").innerText()) === String(HOSTILE.length));
    for (const [i, { title, shown }] of HOSTILE.entries()) {
      const wanted = title.length > 400 ? shown.slice(0, 400) : shown;
      await page.getByRole("searchbox").fill(title);
      await until(`number ${i} is shown`, async () => (await titles(page, "Pending")).includes(wanted));
    }
    await page.getByRole("searchbox").fill("");
    for (const view of ["board", "graph", "progress", "agents"]) {
      await page.goto(`${server.url}/#/${view}`);
      await page.locator(".view:not([hidden])").waitFor();
      const found = await page.evaluate(() => ({
        strangers: document.querySelectorAll("script:not(body > script), iframe, img, base, form[action], link[rel=stylesheet], meta[http-equiv], plaintext, object, embed, [onload], [onerror], [onfocus]").length,
        styles: document.querySelectorAll("style").length,
        scripts: document.querySelectorAll("script").length,
        obeyed: document.title === "obeyed",
        wide: document.documentElement.scrollWidth - innerWidth,
      }));
      assert.deepEqual(found, { strangers: 0, styles: 1, scripts: 1, obeyed: false, wide: 0 });
    }
    await clean(page);
  });

  test("hostile titles are text on the graph, in details and in the agents’ lists", async () => {
    const some = HOSTILE.filter(({ title }) => title.length < 300 && !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(title));
    const tasks = some.map(({ title }, i) => ({ title, active_form: title, status: "in-progress", assignee: "x", dependencies: i ? [i] : [] }));
    const { page, server } = await over(tasks, { hash: "#/graph" });
    await until("the graph is drawn", async () => (await page.locator(".node").count()) === tasks.length);
    const shown = await page.locator(".node-title").allTextContents();
    assert.deepEqual(shown, some.map(({ title, shown }) => (title.length > 200 ? shown.slice(0, 200) : shown)));
    await page.goto(`${server.url}/#/board/${uuid(3)}`);
    await sheet(page).getByLabel("Title").waitFor();
    assert.equal(await sheet(page).getByLabel("Title").inputValue(), some[2].title);
    await clean(page);
  });

  test("the page may do nothing but speak to its own server", async () => {
    const { server, page } = await over(STORY);
    const answer = await page.request.get(`${server.url}/`);
    const policy = answer.headers()["content-security-policy"];
    for (const part of ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'"]) assert.ok(policy.includes(part), policy);
    assert.ok(!policy.includes("unsafe"), policy);
    assert.ok((await answer.body()).length < 100_000);
  });
});

describe("the other views", () => {
  test("the graph marks the critical path, opens tasks, and can be read as text", async () => {
    const { page } = await over(STORY, { hash: "#/graph" });
    await page.locator(".node").first().waitFor();
    assert.deepEqual(await page.locator(".node.hot .node-title").allTextContents(), ["Write a test that shows it", "Fix the login", "Release 1.4", "Announce it"]);
    assert.equal(await page.locator(".edge.hot").count(), 3);
    await page.getByLabel("Show what is done").check();
    await page.locator(".node").getByText("Find out why the login fails").waitFor();
    await page.getByText("As text").click();
    await page.getByText("“Fix the login” (Pending) waits for “Write a test that shows it”").waitFor();
    await page.locator(".node").first().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await sheet(page).getByLabel("Title").waitFor();
    await clean(page);
  });

  test("a hundred and fifty tasks that all wait for all before them are drawn without what follows", async () => {
    const tasks = Array.from({ length: 150 }, (_, i) => ({ title: `Step ${i + 1}`, dependencies: Array.from({ length: i }, (_, j) => j + 1) }));
    const { page } = await over(tasks.map(({ dependencies, ...task }) => (dependencies.length ? { ...task, dependencies } : task)), { hash: "#/graph" });
    await page.getByText("links that follow from others are not drawn").waitFor();
    assert.equal(await page.locator("path.edge").count(), 149);
    await page.getByRole("button", { name: "Fit" }).click();
    const [canvas, picture] = await Promise.all([page.locator(".canvas").boundingBox(), page.locator(".picture").boundingBox()]);
    assert.ok(picture.height <= canvas.height + 1);
    await clean(page);
  });

  test("a circle is said in words and is no critical path", async () => {
    const tasks = [{ title: "Hen", dependencies: [2] }, { title: "Egg", dependencies: [1] }, { title: "Omelette", dependencies: [2] }];
    const { page } = await over(tasks, { hash: "#/graph" });
    await page.locator(".graph .why").getByText("None of these can start").waitFor();
    assert.equal(await page.locator(".node.round").count(), 2);
    assert.equal(await page.locator(".edge.hot").count(), 0);
    await picture(page, "dashboard-circle");
    await clean(page);
  });

  test("the plots tell each day, by keys and as a table", async () => {
    const { page, project } = await over(STORY, { hash: "#/progress" });
    await project.run("done", uuid(6));
    const plot = page.getByRole("group", { name: /^Throughput/ });
    await plot.focus();
    await until("today is told", async () => {
      await page.keyboard.press("End");
      return (await page.locator(".said").last().innerText()).includes("1 finished");
    });
    await page.getByRole("button", { name: "14 days" }).click();
    await page.getByText("As a table").click();
    await until("there are two weeks", async () => (await page.locator("tbody tr").count()) === 14);
    await clean(page);
  });

  test("the theme follows the system until somebody chooses", async () => {
    const { page } = await over(STORY, { theme: "dark" });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await ground();
    await page.getByRole("button", { name: "Light colours" }).click();
    const light = await ground();
    assert.notEqual(light, dark);
    await page.reload();
    assert.equal(await ground(), light);
    await clean(page);
  });
});

describe("large boards", () => {
  test("five thousand tasks are shown, scrolled, filtered and carried", async () => {
    const tasks = Array.from({ length: 5000 }, (_, i) => ({
      title: `Task ${i + 1} about ${["login", "search", "billing", "export"][i % 4]}`,
      status: ["pending", "pending", "in-progress", "done"][i % 4],
      dependencies: i >= 100 && i % 10 === 0 ? [i - 9] : [],
    }));
    const { page } = await over(tasks);
    await page.getByText("1250/5000 completed").waitFor();
    assert.ok((await page.locator(".card").count()) < 300, "only what is near is there");
    await column(page, "Pending").locator(".scroller").evaluate((element) => (element.scrollTop = element.scrollHeight));
    await inColumn(page, "Pending", "Task 4998 about search").waitFor();
    await card(page, "Task 4998 about search").focus();
    await page.keyboard.press("Home");
    await focused(page, "Task 1 about login");
    await page.getByRole("searchbox").fill("task 3333");
    await until("one is left", async () => (await page.locator(".card").count()) === 1);
    await page.getByRole("searchbox").fill("");
    await page.keyboard.press("Escape");
    await page.locator(".tabs").getByText("Graph").click();
    await page.getByText(/240 of \d+ tasks are shown/).waitFor();
    await clean(page);
  });
});

describe("looks", () => {
  for (const width of WIDTHS) {
    for (const theme of THEMES) {
      test(`pictures at ${width} in ${theme}`, async () => {
        const project = new Project();
        project.write(STORY);
        const agent = await project.agent({ name: "claude-code", words: ["--toolsets", "tasks,todowrite"] });
        const item = (content, status) => ({ content, status, activeForm: `Now: ${content}` });
        await agent.call("TodoWrite", { todos: [item("Read the report", "completed"), item("Write the test", "in_progress"), item("Run all tests", "pending")] });
        await agent.call("update_task", { id: uuid(6), status: "in-progress" });
        const server = await project.serve();
        const page = await visit(server, { width, theme, height: width < 500 ? 740 : 1000 });
        await card(page, "Fix the login").waitFor();
        await live(page);
        await picture(page, `dashboard-board-${width}-${theme}`);
        for (const view of ["graph", "progress", "agents"]) {
          await page.goto(`${server.url}/#/${view}`);
          await page.locator({ graph: ".node", progress: ".line", agents: ".feed li" }[view]).first().waitFor();
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, "nothing sticks out");
          await picture(page, `dashboard-${view}-${width}-${theme}`);
        }
        await page.goto(`${server.url}/#/board/${uuid(3)}`);
        await sheet(page).locator(".times dd").first().waitFor();
        await picture(page, `dashboard-details-${width}-${theme}`);
        await clean(page);
      });
    }
  }
});
