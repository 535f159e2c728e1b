// What the tests of the pages share: a real server in a project of its own, agents beside it, and a real Chromium.
// Node runs each test file in a process of its own; everything that is started here ends with it.
//   TODORI     the program to test (target/release/todori)
//   CHROMIUM   the browser to test in (/usr/bin/chromium)
import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));
/** Loads a package; they live outside of the sources, and ./test installs them there. */
export const load = createRequire(join(root, "target/web/"));
/** How long anything may take before a test gives up. Never how long it should take. */
export const PATIENCE = 30_000;
/** The widths and themes that people have. */
export const WIDTHS = [360, 720, 1200];
export const THEMES = ["light", "dark"];

const program = resolve(root, process.env.TODORI ?? "target/release/todori");
const endings = [];
const children = [];
// A test that dies leaves nothing behind either.
process.on("exit", () => children.forEach((child) => child.kill("SIGKILL")));

/** Has something done at the end. */
export const atEnd = (ending) => void endings.push(ending);

/** Ends what was started, the last first. Tests need not call it; programs that are no tests do. */
export async function end() {
  for (let ending; (ending = endings.pop()); ) await ending();
}
after(end);

/** A folder that is gone after the test. */
export function folder() {
  const path = mkdtempSync(join(tmpdir(), "todori-web-"));
  endings.push(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

/** Nothing of who runs the tests reaches the program. */
function environment(home, more) {
  return { HOME: home, USER: "ada", LANG: "C.UTF-8", ...more };
}

/** A project in a folder of its own: `todori` in it, and servers and agents at work on it. */
export class Project {
  constructor() {
    this.path = folder();
    this.home = folder();
    mkdirSync(join(this.path, ".todori"));
  }

  /**
   * Writes the board as a person with an editor does. A task is `{ id, title, status, priority, active_form, assignee,
   * dependencies }`; all but the title may be left out, and a number will do as id.
   */
  write(tasks) {
    const lines = tasks.flatMap(({ id, rank, ...fields }, place) => [
      `  ${uuid(id ?? place + 1)}:`,
      `    rank: ${JSON.stringify(rank ?? `a${String(place).padStart(5, "0")}V`)}`,
      ...Object.entries(fields).flatMap(([name, value]) =>
        name === "dependencies"
          ? [`    ${name}:`, ...value.map((other) => `      - ${uuid(other)}`)]
          : [`    ${name}: ${JSON.stringify(value)}`],
      ),
    ]);
    writeFileSync(join(this.path, ".todori/tasks.yaml"), ["version: 1", "tasks:", ...lines, ""].join("\n"));
  }

  /** Runs the program, which must work, and gives what it printed. */
  run(...words) {
    return new Promise((done, failed) => {
      const options = { cwd: this.path, env: environment(this.home), maxBuffer: 64 << 20 };
      const child = execFile(program, words, options, (error, out, err) =>
        error ? failed(new Error(`todori ${words.join(" ")}: ${err || error.message}`)) : done(out),
      );
      child.stdin.end();
    });
  }

  /** The same, read as JSON. */
  async json(...words) {
    return JSON.parse(await this.run("--json", ...words));
  }

  /** A server over HTTP: `{ url, port, end() }`, where `url` is what a browser opens. */
  async serve({ words = [], port = 0, env = {} } = {}) {
    const child = spawn(program, ["serve", "--http", `127.0.0.1:${port}`, ...words], {
      cwd: this.path,
      env: environment(this.home, env),
      stdio: ["ignore", "ignore", "pipe"],
    });
    const ended = ending(child);
    const said = [];
    const lines = createInterface({ input: child.stderr });
    const url = await new Promise((found, failed) => {
      lines.on("line", (line) => {
        said.push(line);
        const address = line.match(/serves at (http:\/\/\S+)\/mcp/);
        if (address) found(address[1]);
      });
      lines.on("close", () => failed(new Error(`the server said: ${said.join("\n")}`)));
    });
    return { url, port: Number(new URL(url).port), said, end: ended };
  }

  /** An agent over stdio: `await agent.call("add_todo", { title })`, `await agent.request(method, params)`. */
  async agent({ words = [], name = "agent" } = {}) {
    const child = spawn(program, ["serve", ...words], {
      cwd: this.path,
      env: environment(this.home),
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = ending(child);
    const waiting = new Map();
    createInterface({ input: child.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    });
    let last = 0;
    const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const request = async (method, params = {}) => {
      const id = ++last;
      const answered = new Promise((resolve) => waiting.set(id, resolve));
      send({ id, method, params });
      const { result, error } = await answered;
      if (error) throw new Error(`${method}: ${error.message}`);
      return result;
    };
    await request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name, version: "1" },
    });
    send({ method: "notifications/initialized" });
    const call = (tool, parameters = {}) => request("tools/call", { name: tool, arguments: parameters });
    return { request, call, end: ended };
  }
}

/** The id of a task by its number; what tells them apart stands first, where people read. */
export function uuid(number) {
  return typeof number === "string" ? number : `${number.toString(16).padStart(6, "0")}00-0000-4000-8000-000000000000`;
}

/** Ends a process: asked first, and not waited for longer than patience lasts. */
function ending(child) {
  const gone = new Promise((resolve) => child.once("exit", resolve));
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
    await gone;
    clearTimeout(late);
  };
  children.push(child);
  endings.push(stop);
  return stop;
}

let chromium;
/** A Chromium with a profile of its own, as playwright's `Browser`; one for each test file. */
function browser() {
  return (chromium ??= launch());
}

async function launch() {
  const { chromium } = load("playwright-core");
  const home = folder();
  const launched = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    env: { ...environment(home), XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home },
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  endings.push(() => launched.close());
  return launched;
}

/**
 * A page in a context of its own. `page.faults` collects what goes wrong in it: errors nobody caught, what is written
 * to the console as an error, dialogs, and requests to anywhere but this machine.
 */
export async function open({ width = 720, height = 900, theme = "light", ...options } = {}) {
  const context = await (await browser()).newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: "reduce",
    locale: "en-GB",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(`error: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && page.faults.push(`console: ${message.text()}`));
  page.on("dialog", (dialog) => {
    page.faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (/^(http|ws)/.test(protocol) && !["127.0.0.1", "localhost"].includes(hostname))
      page.faults.push(`request: ${request.url()}`);
  });
  return page;
}

/** Keeps a picture of a page in target/screenshots. */
export async function picture(page, name, options = {}) {
  await page.screenshot({ path: join(root, "target/screenshots", `${name}.png`), animations: "disabled", ...options });
}

/** Waits until `ask` answers something true, and gives it. */
export async function until(what, ask) {
  const late = Date.now() + PATIENCE;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > late) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
