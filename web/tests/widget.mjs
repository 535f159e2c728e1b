// Shows the widget in a host of MCP Apps, in either frame layout and either era of the protocol, and finds what is on it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { atEnd, load, open, Project, root, until } from "./harness.mjs";

export const LAYOUTS = ["proxy", "direct"];
export const ERAS = ["2025-11-25", "2026-07-28"];

/** What MCP Apps let a page do that asks for nothing. */
export const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

const read = (path) => readFileSync(new URL(path, import.meta.url));

let bundle;
function script() {
  if (bundle) return bundle;
  const { outputFiles } = load("esbuild").buildSync({
    entryPoints: [new URL("host/page.mjs", import.meta.url).pathname],
    nodePaths: [join(root, "target/web/node_modules")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
  });
  return (bundle = outputFiles[0].contents);
}

async function listen(answer) {
  const server = createServer(answer);
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  atEnd(() => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  });
  return `http://127.0.0.1:${server.address().port}`;
}

/** A site that is a host, in front of a server of todori: `{ url, sandbox }`, two origins. */
export async function hostSite(todori) {
  const page = script();
  const url = await listen((question, answer) => {
    if (question.url.startsWith("/mcp")) return forward(todori, question, answer);
    const [type, body] =
      question.url === "/host.js" ? ["text/javascript", page]
      : question.url === "/" ? ["text/html", read("host/page.html")]
      : ["text/plain", ""];
    answer.writeHead(200, { "content-type": type }).end(body);
  });
  const sandbox = await listen((_, answer) => {
    answer.writeHead(200, { "content-type": "text/html", "content-security-policy": POLICY });
    answer.end(read("host/sandbox.html"));
  });
  return { url, sandbox };
}

/** Passes on what the host's client says, as a host does from its own server. */
function forward(todori, question, answer) {
  const { host, origin, referer, connection, ...headers } = question.headers;
  const passed = request(new URL(question.url, todori.url), { method: question.method, headers }, (reply) => {
    answer.writeHead(reply.statusCode, reply.headers);
    reply.pipe(answer);
  });
  passed.on("error", () => answer.destroy());
  answer.on("close", () => passed.destroy());
  question.pipe(passed);
}

/**
 * Opens the widget in a page of its own. Gives `{ page, frame, host }`: the host's page, the widget's frame as a
 * locator, and `host(f)` to run something inside the host.
 */
export async function show(site, { layout = "proxy", era = "2026-07-28", page: look = {}, ready = true, before, ...options } = {}) {
  const page = await open(look);
  await before?.(page);
  await page.goto(site.url);
  await page.waitForFunction(() => window.host);
  const given = { layout, era, sandbox: site.sandbox, policy: POLICY, ...options };
  await page.evaluate((given) => host.start(given), given);
  const outer = page.frameLocator("iframe");
  const frame = layout === "proxy" ? outer.frameLocator("iframe") : outer;
  const shown = { page, frame, host: (f, argument) => page.evaluate(f, argument) };
  if (ready) await settled(shown);
  return shown;
}

/** Waits until the page has its list, and nothing is being asked. */
export async function settled({ frame }) {
  await frame.locator('main[aria-busy="false"]').waitFor();
}

/** The frame itself, to run something inside the widget. */
export async function inside({ page }) {
  return until("the widget is there", async () => {
    for (const frame of page.frames()) if (await frame.$("#page").catch(() => null)) return frame;
    return undefined;
  });
}

/** The titles that are shown, in order. */
export const titles = ({ frame }) => frame.locator(".row .title").allTextContents();

export const STORY = [
  { title: "Sketch the flow", status: "done" },
  { title: "Write the notes" },
  { title: "Fix the login", status: "in-progress", active_form: "Fixing the login", assignee: "claude-code 3f2b" },
  { title: "Ship it", priority: "high", dependencies: [2, 3] },
  { title: "Answer issues", status: "blocked" },
  { title: "Plan the offsite", status: "deferred", priority: "low" },
];

/** The widget over a board of its own. */
export async function over(tasks, options) {
  const project = new Project();
  if (tasks.length > 0) project.write(tasks);
  const site = await hostSite(await project.serve());
  const shown = await show(site, options);
  return { project, site, ...shown };
}

export const row = (widget, title) => widget.frame.locator(".row", { has: widget.frame.getByText(title, { exact: true }) });
export const box = (widget, title) => widget.frame.getByRole("checkbox", { name: title, exact: true });
export const handle = (widget, title) => widget.frame.getByRole("button", { name: `Move “${title}”`, exact: true });
export const calls = (widget) => widget.host(() => host.calls.map((call) => call.name));
export const hinder = (widget, obstacles) => widget.host((obstacles) => (host.obstacles = obstacles), obstacles);
export const board = async (project) => Object.fromEntries((await project.json("list", "--all")).map((task) => [task.title, task.status]));
export const ordered = (widget, expected) =>
  until(`the board is ${expected}`, async () => JSON.stringify(Object.keys(await board(widget.project))) === JSON.stringify(expected));
export const shows = (widget, expected) =>
  until(`it shows ${expected}`, async () => JSON.stringify(await titles(widget)) === JSON.stringify(expected));

/** Takes a row by its handle, and carries it to the upper or lower part of another. */
export async function carry(widget, title, to, part = 0.75) {
  await row(widget, title).hover();
  const { x, y, width, height } = await handle(widget, title).boundingBox();
  await widget.page.mouse.move(x + width / 2, y + height / 2);
  await widget.page.mouse.down();
  const target = await row(widget, to).boundingBox();
  await widget.page.mouse.move(x + width / 2, target.y + part * target.height, { steps: 5 });
}

/** Ends a test: nothing went wrong that nobody asked about. */
export async function done(widget) {
  assert.deepEqual(widget.page.faults, []);
  await widget.page.context().close();
}
