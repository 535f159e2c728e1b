// Takes the pictures of the guide and the README from the real program: node web/pictures.mjs
//   TODORI     the program (target/release/todori); needs Chromium, tmux and the packages of ./test
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { Project, end, folder, open, root, until } from "./tests/harness.mjs";
import { hostSite, show } from "./tests/widget.mjs";

const images = join(root, "docs/images");
const program = resolve(root, process.env.TODORI ?? "target/release/todori");
const day = (back) => new Date(Date.now() - back * 86_400_000).toISOString();
const done = (title, made, finished, more = {}) => ({
  title, status: "done", created: day(made), updated: day(finished), completed: day(finished), ...more,
});
const open_ = (title, made, more = {}) => ({ title, created: day(made), updated: day(made), ...more });

/** A project in the middle of things. */
function story(project) {
  project.write([
    done("Choose a payment provider", 20, 17, { priority: "high" }),
    done("Model orders and refunds", 19, 13),
    done("Write the webhook endpoint", 18, 9, { priority: "high", dependencies: [1] }),
    done("Retry failed webhooks", 12, 6, { dependencies: [3] }),
    done("Sketch the checkout page", 16, 4),
    done("Log payments without card data", 8, 1, { priority: "high" }),
    open_("Build the checkout page", 11, { priority: "high", active_form: "Building the checkout page", dependencies: [5] }),
    open_("Test refunds end to end", 9, { active_form: "Testing refunds end to end", dependencies: [2, 4] }),
    open_("Handle expired cards", 7, { dependencies: [7] }),
    open_("Send receipts by mail", 6, { priority: "low", dependencies: [7] }),
    open_("Get keys for the live account", 6, { status: "blocked" }),
    open_("Switch to live payments", 5, { priority: "high", dependencies: [8, 9, 11] }),
    open_("Announce it", 5, { dependencies: [12, 10] }),
    open_("Support gift cards", 4, { status: "deferred", priority: "low" }),
    open_("Write down how refunds work", 2, { dependencies: [8] }),
    open_("Measure how many people finish the checkout", 1, { priority: "low" }),
  ]);
}

/** Two agents at work: one has a list of its own. */
async function agents(project) {
  const claude = await project.agent({ name: "claude-code", words: ["--toolsets", "tasks,todowrite"] });
  const codex = await project.agent({ name: "codex" });
  const call = async (agent, tool, parameters) => {
    const { isError, content } = await agent.call(tool, parameters);
    if (isError) throw new Error(`${tool}: ${content[0].text}`);
  };
  const id = async (title) => (await project.json("show", title)).id;
  await call(claude, "update_task", { id: await id("Build the checkout page"), status: "in-progress" });
  await call(claude, "add_subtask", { parentId: await id("Build the checkout page"), title: "Address form" });
  await call(claude, "add_subtask", { parentId: await id("Build the checkout page"), title: "Card form" });
  await call(claude, "update_subtask", { subtaskId: `${await id("Build the checkout page")}.1`, status: "done" });
  await call(codex, "update_task", { id: await id("Test refunds end to end"), status: "in-progress" });
  const item = (content, activeForm, status) => ({ content, activeForm, status });
  await call(claude, "TodoWrite", {
    todos: [
      item("Read the design", "Reading the design", "completed"),
      item("Write the card form", "Writing the card form", "in_progress"),
      item("Check it on a phone", "Checking it on a phone", "pending"),
    ],
  });
}

/** What a terminal shows, as a page: the characters and colours that tmux reports. */
function asPage(text) {
  const colours = ["#1b1f24", "#e5534b", "#57ab5a", "#c69026", "#539bf5", "#b083f0", "#39c5cf", "#cdd9e5"];
  const bright = ["#636e7b", "#ff938a", "#6bc46d", "#daaa3f", "#6cb6ff", "#dcbdfb", "#56d4dd", "#ffffff"];
  const escape = (part) => part.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const lines = text.split("\n").map((line) => {
    let look = {};
    const parts = line.split(/\x1b\[([0-9;]*)m/);
    return parts
      .map((part, place) => {
        if (place % 2 === 0) {
          const style = [];
          const fore = look.fore ?? "#cdd9e5";
          const [front, back] = look.reverse ? [look.back ?? "#1b1f24", fore] : [fore, look.back];
          style.push(`color:${front}`);
          if (back) style.push(`background:${back}`);
          if (look.bold) style.push("font-weight:bold");
          if (look.dim) style.push("opacity:.65");
          return part && `<span style="${style.join(";")}">${escape(part)}</span>`;
        }
        const codes = (part || "0").split(";").map(Number);
        for (let at = 0; at < codes.length; at++) {
          const code = codes[at];
          if ((code === 38 || code === 48) && codes[at + 1] === 5) {
            const colour = codes[at + 2] < 8 ? colours[codes[at + 2]] : bright[codes[at + 2] - 8];
            look[code === 38 ? "fore" : "back"] = colour;
            at += 2;
          } else if (code === 0) look = {};
          else if (code === 1) look.bold = true;
          else if (code === 2) look.dim = true;
          else if (code === 7) look.reverse = true;
          else if (code === 22) look.bold = look.dim = false;
          else if (code === 27) look.reverse = false;
          else if (code === 39) look.fore = undefined;
          else if (code === 49) look.back = undefined;
          else if (code >= 30 && code < 38) look.fore = colours[code - 30];
          else if (code >= 90 && code < 98) look.fore = bright[code - 90];
          else if (code >= 40 && code < 48) look.back = colours[code - 40];
          else if (code >= 100 && code < 108) look.back = bright[code - 100];
        }
        return "";
      })
      .join("");
  });
  return `<body style="margin:0;background:#1b1f24"><pre id="screen" style="margin:0;padding:18px 22px;display:inline-block;
    font:15px/20px 'DejaVu Sans Mono','Noto Color Emoji',monospace">${lines.join("\n")}</pre></body>`;
}

/** `todori watch` in a real terminal. */
async function terminal(project) {
  const socket = join(folder(), "tmux");
  const tmux = (...words) => execFileSync("tmux", ["-S", socket, ...words], { encoding: "utf8" });
  const command = `env -i HOME=${project.home} USER=ada LANG=C.UTF-8 TERM=tmux-256color ${program} --project ${project.path} watch`;
  tmux("-f", "/dev/null", "new-session", "-d", "-x", "112", "-y", "34", command);
  try {
    await until("it is drawn", () => tmux("capture-pane", "-p").includes("Build"));
    const page = await open({ width: 1200, height: 900, deviceScaleFactor: 1 });
    await page.setContent(asPage(tmux("capture-pane", "-e", "-p").trimEnd()));
    await page.locator("#screen").screenshot({ path: join(images, "watch.png") });
  } finally {
    tmux("kill-server");
  }
}

async function dashboard(server) {
  const shot = async (name, hash, look, then) => {
    const page = await open({ width: 1440, height: 860, ...look });
    await page.goto(`${server.url}/${hash}`);
    await page.getByText(/\d+\/\d+ completed/).first().waitFor();
    await then?.(page);
    await page.screenshot({ path: join(images, name), animations: "disabled" });
  };
  await shot("dashboard.png", "", { theme: "light" });
  await shot("graph.png", "#graph", { theme: "dark", height: 620 });
  await shot("progress.png", "#progress", { theme: "light" });
}

const project = new Project();
project.path = join(project.path, "webshop");
mkdirSync(join(project.path, ".todori"), { recursive: true });
story(project);
await agents(project);
const server = await project.serve();
await dashboard(server);
await terminal(project);
const site = await hostSite(server);
const context = { theme: "light", availableDisplayModes: ["inline", "fullscreen"] };
const widget = await show(site, { page: { width: 720, height: 660, theme: "light" }, context });
await widget.page.screenshot({ path: join(images, "widget.png"), animations: "disabled" });
await end();
