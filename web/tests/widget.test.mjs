// The widget in a real host, in real Chromium.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Project, THEMES, WIDTHS, browser, end, picture, root, until } from "./harness.mjs";
import { HOSTILE } from "./hostile.mjs";
import { ERAS, LAYOUTS, hostSite, inside, settled, show, titles } from "./widget.mjs";

let chromium;
before(async () => {
  chromium = await browser();
});
after(end);

const STORY = [
  { title: "Sketch the flow", status: "done" },
  { title: "Write the notes" },
  { title: "Fix the login", status: "in-progress", active_form: "Fixing the login", assignee: "claude-code 3f2b" },
  { title: "Ship it", priority: "high", dependencies: [2, 3] },
  { title: "Answer issues", status: "blocked" },
  { title: "Plan the offsite", status: "deferred", priority: "low" },
];

/** The widget over a board of its own. */
async function over(tasks, options) {
  const project = new Project();
  if (tasks.length > 0) project.write(tasks);
  const site = await hostSite(await project.serve());
  const shown = await show(chromium, site, options);
  return { project, site, ...shown };
}

const row = (widget, title) => widget.frame.locator(".row", { has: widget.frame.getByText(title, { exact: true }) });
const box = (widget, title) => widget.frame.getByRole("checkbox", { name: title, exact: true });
const handle = (widget, title) => widget.frame.getByRole("button", { name: `Move “${title}”`, exact: true });
const calls = (widget) => widget.host(() => host.calls.map((call) => call.name));
const hinder = (widget, obstacles) => widget.host((obstacles) => (host.obstacles = obstacles), obstacles);
const board = async (project) => Object.fromEntries((await project.json("list", "--all")).map((task) => [task.title, task.status]));
const ordered = (widget, expected) =>
  until(`the board is ${expected}`, async () => JSON.stringify(Object.keys(await board(widget.project))) === JSON.stringify(expected));
const shows = (widget, expected) =>
  until(`it shows ${expected}`, async () => JSON.stringify(await titles(widget)) === JSON.stringify(expected));

/** Takes a row by its handle, and carries it to the upper or lower part of another. */
async function carry(widget, title, to, part = 0.75) {
  await row(widget, title).hover();
  const { x, y, width, height } = await handle(widget, title).boundingBox();
  await widget.page.mouse.move(x + width / 2, y + height / 2);
  await widget.page.mouse.down();
  const target = await row(widget, to).boundingBox();
  await widget.page.mouse.move(x + width / 2, target.y + part * target.height, { steps: 5 });
}

/** Ends a test: nothing went wrong that nobody asked about. */
async function done(widget) {
  assert.deepEqual(widget.page.faults, []);
  await widget.page.context().close();
}

describe("in every frame layout and era", () => {
  for (const layout of LAYOUTS)
    for (const era of ERAS)
      test(`a list is read, added to, completed, reopened, refreshed and cleared: ${layout}, ${era}`, async () => {
        const widget = await over([{ title: "First" }, { title: "Second" }], { layout, era });
        const { project, frame } = widget;
        assert.deepEqual(await widget.host(() => host.app), { name: "todori", title: "Todo", version: "1" });
        assert.equal(await widget.host(() => host.client.getNegotiatedProtocolVersion()), era);
        assert.deepEqual(await titles(widget), ["First", "Second"]);

        await frame.getByLabel("New task").fill("Third");
        await frame.getByRole("button", { name: "Add", exact: true }).click();
        await shows(widget, ["First", "Second", "Third"]);
        await box(widget, "Third").and(frame.locator(":enabled")).waitFor();
        assert.deepEqual(Object.keys(await board(project)), ["First", "Second", "Third"]);

        await box(widget, "First").check();
        await frame.getByText("1 of 3 done").waitFor();
        await until("it is done", async () => (await board(project)).First === "done");
        await box(widget, "First").uncheck();
        await until("it is open again", async () => (await board(project)).First === "pending");

        // Hosts that allow scripts only submit no forms.
        await frame.getByLabel("New task").fill("Fourth");
        await frame.getByLabel("New task").press("Enter");
        await until("it is added", async () => "Fourth" in (await board(project)));
        assert.equal(await frame.getByLabel("New task").inputValue(), "");

        await project.run("add", "From elsewhere");
        await frame.getByRole("button", { name: "Refresh the list" }).click();
        await shows(widget, ["First", "Second", "Third", "Fourth", "From elsewhere"]);

        await handle(widget, "Third").press("ArrowUp");
        await shows(widget, ["First", "Third", "Second", "Fourth", "From elsewhere"]);
        await ordered(widget, ["First", "Third", "Second", "Fourth", "From elsewhere"]);
        // The host knows of the tool, and that it is not for its model.
        const { tools } = await widget.host(() => host.client.listTools());
        assert.deepEqual(tools.filter((tool) => tool._meta.ui.visibility).map((tool) => [tool.name, tool._meta.ui.visibility]), [["move_todo", ["app"]]]);

        await box(widget, "Second").check();
        await frame.getByRole("button", { name: "Clear 1 done" }).click();
        await frame.getByText("Remove 1 completed task for good?").waitFor();
        await frame.getByRole("button", { name: "Remove" }).click();
        await shows(widget, ["First", "Third", "Fourth", "From elsewhere"]);
        await until("it is gone", async () => !("Second" in (await board(project))));
        await done(widget);
      });

  for (const layout of LAYOUTS)
    test(`the page can reach nothing but its host: ${layout}`, async () => {
      const widget = await over(STORY, { layout });
      const frame = await inside(widget);
      const tried = await frame.evaluate(async (url) => {
        const blocked = [];
        addEventListener("securitypolicyviolation", (event) => blocked.push(event.effectiveDirective));
        const fetched = await fetch(url).then(() => "fetched", () => "blocked");
        const image = await new Promise((done) => {
          const image = new Image();
          image.onload = () => done("loaded");
          image.onerror = () => done("blocked");
          image.src = url;
        });
        return { fetched, image, blocked };
      }, "http://127.0.0.1:9/");
      assert.deepEqual(tried, { fetched: "blocked", image: "blocked", blocked: ["connect-src", "img-src"] });
      widget.page.faults.length = 0; // The attempts above are on the console.
      await done(widget);
    });
});

describe("what a task has besides a title", () => {
  test("what is in progress, what matters, what waits for what", async () => {
    const widget = await over(STORY);
    const facts = (title) => row(widget, title).locator(".fact bdi").allTextContents();
    assert.deepEqual(await facts("Fix the login"), ["Fixing the login", "claude-code 3f2b"]);
    assert.deepEqual(await facts("Ship it"), [
      "High priority",
      "Waits for \u2068“Write the notes”\u2069 and \u2068“Fix the login”\u2069",
    ]);
    assert.deepEqual(await facts("Answer issues"), ["Blocked"]);
    assert.deepEqual(await facts("Plan the offsite"), ["Put off", "Low priority"]);
    assert.deepEqual(await facts("Sketch the flow"), []);
    // What it waited for is done at once, before the server has said so.
    await widget.host(() => (host.hold = true));
    await box(widget, "Write the notes").check();
    await row(widget, "Ship it").getByText("Waits for \u2068“Fix the login”\u2069").waitFor();
    await widget.host(() => host.release());
    await done(widget);
  });

  test("a progress bar in figures and words, as the locale writes them", async () => {
    const many = Array.from({ length: 1200 }, (_, place) => ({ title: `Task ${place}`, status: place < 1100 ? "done" : "pending" }));
    const widget = await over(many, { context: { locale: "de-DE" } });
    const bar = widget.frame.getByRole("progressbar", { name: "Completed tasks" });
    assert.equal(await bar.getAttribute("aria-valuenow"), "1100");
    assert.equal(await bar.getAttribute("aria-valuemax"), "1200");
    assert.equal(await bar.getAttribute("aria-valuetext"), "1.100 of 1.200 done");
    await done(widget);
  });

  test("a plain list of another server does without", async () => {
    const tasks = [{ id: "1", title: "Plain", completed: false }, { id: "1", title: "Twice" }, { title: "No id" }, 7, null];
    const widget = await over(STORY, { able: {}, result: { content: [], structuredContent: { tasks } } });
    assert.deepEqual(await titles(widget), ["Twice"]);
    await done(widget);
  });
});

describe("optimism", () => {
  test("what is asked for is shown at once, in order, and stays", async () => {
    const widget = await over([{ title: "First" }]);
    const { frame, project } = widget;
    await until("the first look is over", async () => (await calls(widget)).length === 1);
    await widget.host(() => (host.hold = true));
    await box(widget, "First").check();
    for (const title of ["Second", "Third"]) {
      await frame.getByLabel("New task").fill(title);
      await frame.getByLabel("New task").press("Enter");
    }
    await shows(widget, ["First", "Second", "Third"]);
    await frame.getByText("1 of 3 done").waitFor();
    assert.deepEqual(await board(project), { First: "pending" });
    assert.deepEqual(await calls(widget), ["list_todos", "complete_todo"], "one at a time");
    await widget.host(() => host.release());
    await until("all is there", async () => Object.keys(await board(project)).length === 3);
    await shows(widget, ["First", "Second", "Third"]);
    assert.equal(await box(widget, "First").isChecked(), true);
    assert.deepEqual(await calls(widget), ["list_todos", "complete_todo", "add_todo", "add_todo"]);
    await done(widget);
  });

  test("only what was asked about is removed: if the list has changed, the page asks anew", async () => {
    const widget = await over([{ title: "One", status: "done" }, { title: "Two" }, { title: "Three" }, { title: "Four" }]);
    const { frame, project } = widget;
    await until("the first look is over", async () => (await calls(widget)).length === 1);
    await settled(widget);
    await frame.getByRole("button", { name: "Clear 1 done" }).click();
    await frame.getByText("Remove 1 completed task for good?").waitFor();
    const tasks = await project.json("list", "--all");
    const id = (title) => tasks.find((task) => task.title === title).id;
    await project.run("done", id("Two"));
    await project.run("done", id("Three"));
    await frame.getByRole("button", { name: "Remove" }).click();
    await frame.getByText("The list has changed. Remove 3 completed tasks for good?").first().waitFor();
    assert.deepEqual(await calls(widget), ["list_todos", "list_todos"], "nothing is removed");
    assert.equal(Object.keys(await board(project)).length, 4);
    assert.equal(await frame.getByRole("button", { name: "Keep" }).evaluate((button) => button === document.activeElement), true);
    await frame.getByRole("button", { name: "Remove" }).click();
    await frame.getByRole("status").getByText("Removed 3 completed tasks.").waitFor();
    assert.deepEqual(Object.keys(await board(project)), ["Four"]);

    // Somebody else has removed them all meanwhile.
    await box(widget, "Four").check();
    await frame.getByRole("button", { name: "Clear 1 done" }).click();
    await until("it is done", async () => (await board(project)).Four === "done");
    await project.run("rm", id("Four"));
    await frame.getByRole("button", { name: "Remove" }).click();
    await frame.getByText("Nothing removed: no task is completed any more.").waitFor();
    assert.equal((await calls(widget)).filter((name) => name === "delete_completed").length, 1);
    await done(widget);
  });

  const failures = { refuse: "The disk is full", error: "the server is gone" };
  for (const [how, why] of Object.entries(failures))
    test(`a call that fails is taken back, and the reason stands beside it: ${how}`, async () => {
      const widget = await over([{ title: "First" }, { title: "Over", status: "done" }]);
      const { frame } = widget;
      await hinder(widget, { add_todo: how, complete_todo: how, delete_completed: how });
      await box(widget, "First").click();
      await row(widget, "First").getByRole("alert").getByText(`Not changed: `).waitFor();
      assert.match(await row(widget, "First").getByRole("alert").textContent(), new RegExp(why));
      assert.equal(await box(widget, "First").isChecked(), false);

      await frame.getByLabel("New task").fill("Not to be");
      await frame.getByLabel("New task").press("Enter");
      await frame.locator("#add-message").getByText(`Not added: `).waitFor();
      assert.deepEqual(await titles(widget), ["First", "Over"]);
      assert.equal(await frame.getByLabel("New task").inputValue(), "Not to be", "the words are not lost");

      await frame.getByRole("button", { name: "Clear 1 done" }).click();
      await frame.getByRole("button", { name: "Remove" }).click();
      await frame.locator("#clear-message").getByText(`Nothing removed: `).waitFor();
      assert.deepEqual(await titles(widget), ["First", "Over"]);

      await hinder(widget, {});
      await frame.getByLabel("New task").press("Enter");
      await shows(widget, ["First", "Over", "Not to be"]);
      assert.equal(await frame.locator("#add-message").isVisible(), false);
      await frame.getByRole("button", { name: "Refresh the list" }).click();
      await row(widget, "First").getByRole("alert").waitFor({ state: "detached" });
      await done(widget);
    });

  test("a task that somebody else removed meanwhile: the reason, and the list as it is", async () => {
    const widget = await over([{ title: "First" }, { title: "Second" }]);
    await until("the first look is over", async () => (await calls(widget)).length === 1);
    await settled(widget);
    const [first] = await widget.project.json("list");
    await widget.project.run("rm", first.id);
    await box(widget, "First").click();
    await widget.frame.locator("#page-message").getByText("Not changed: No task has the id").waitFor();
    assert.deepEqual(await titles(widget), ["Second"]);
    await done(widget);
  });

  test("no answer at all: the reason, and a look at what is true", async () => {
    const widget = await over([{ title: "First" }], { before: (page) => page.clock.install() });
    await until("the first look is over", async () => (await calls(widget)).length === 1);
    await settled(widget);
    await hinder(widget, { complete_todo: "silence" });
    await box(widget, "First").click();
    await until("it was asked", async () => (await calls(widget)).includes("complete_todo"));
    await widget.page.clock.fastForward("01:01");
    await row(widget, "First").getByRole("alert").getByText("No answer in 60 seconds.").waitFor();
    assert.equal(await box(widget, "First").isChecked(), false);
    await until("it looked", async () => (await calls(widget)).at(-1) === "list_todos");
    await done(widget);
  });

  test("a list that never came: the reason, and another try", async () => {
    const project = new Project();
    const site = await hostSite(await project.serve());
    const widget = await show(chromium, site, { result: { isError: true, content: [{ type: "text", text: "No luck" }] }, ready: false, before: (page) => page.addInitScript(() => {
      addEventListener("load", () => { if (window.host) host.obstacles = { list_todos: "error" }; });
    }) });
    await widget.frame.getByText("The list did not load: ").waitFor();
    await widget.frame.getByText("The list is not here").waitFor();
    await hinder(widget, {});
    await widget.frame.getByRole("button", { name: "Try again" }).click();
    await widget.frame.getByText("Nothing to do", { exact: true }).waitFor();
    assert.equal(await widget.frame.locator("#page-message").isVisible(), false);
    await done(widget);
  });

  test("a broken board is not shown as an empty one", async () => {
    const widget = await over([{ title: "First" }]);
    const { writeFileSync } = await import("node:fs");
    writeFileSync(join(widget.project.path, ".todori/tasks.yaml"), "version: 1\ntasks: [\n");
    await widget.frame.getByRole("button", { name: "Refresh the list" }).click();
    await widget.frame.getByText("Not refreshed: .todori/tasks.yaml is broken").waitFor();
    assert.deepEqual(await titles(widget), ["First"]);
    await done(widget);
  });
});

describe("order", () => {
  const LETTERS = ["A", "B", "C", "D", "E"];
  const letters = (options, names = LETTERS) => over(names.map((title) => ({ title })), options);
  const moves = (widget) => widget.host(() => host.calls.filter((call) => call.name === "move_todo").map((call) => call.arguments));
  const focused = async (widget) => (await inside(widget)).evaluate(() => document.activeElement.ariaLabel ?? document.activeElement.labels?.[0].textContent);
  const drop = (widget) => widget.frame.locator("#drop");

  test("a row is dragged by its handle, and goes where the mark is", async () => {
    const widget = await letters();
    const { mouse } = widget.page;
    const before = await row(widget, "C").boundingBox();
    await carry(widget, "B", "D");
    await drop(widget).waitFor();
    const [mark, target] = [await drop(widget).boundingBox(), await row(widget, "D").boundingBox()];
    assert.ok(Math.abs(mark.y - (target.y + target.height)) < 4, `the mark is at ${mark.y}, the row ends at ${target.y + target.height}`);
    assert.deepEqual(await row(widget, "C").boundingBox(), before, "nothing jumps while it is carried");
    await mouse.up();
    await shows(widget, ["A", "C", "D", "B", "E"]);
    assert.equal(await drop(widget).isVisible(), false);
    assert.equal(await focused(widget), "Move “B”");
    await ordered(widget, ["A", "C", "D", "B", "E"]);
    await widget.frame.getByRole("status").getByText("“B” is now 4 of 5.").waitFor();

    // To the very first and the very last place.
    await carry(widget, "D", "A", 0.2);
    await mouse.up();
    await ordered(widget, ["D", "A", "C", "B", "E"]);
    await carry(widget, "A", "E", 4);
    await mouse.up();
    await ordered(widget, ["D", "C", "B", "E", "A"]);
    assert.equal((await moves(widget)).length, 3);
    await done(widget);
  });

  test("what is let go where it was, or given up, moves nothing", async () => {
    const widget = await letters();
    await carry(widget, "B", "D");
    await drop(widget).waitFor();
    await widget.page.keyboard.press("Escape");
    assert.equal(await drop(widget).isVisible(), false);
    await widget.page.mouse.up();
    await carry(widget, "B", "A");
    assert.equal(await drop(widget).isVisible(), false, "it is there already");
    await widget.page.mouse.up();
    assert.deepEqual(await titles(widget), LETTERS);
    assert.deepEqual(await moves(widget), []);
    assert.equal(await row(widget, "B").getByRole("button", { name: "Move up" }).count(), 0, "a drag is no click");
    await done(widget);
  });

  test("a long list scrolls while something is carried to its edge", async () => {
    const names = Array.from({ length: 180 }, (_, place) => `Task ${place + 1}`);
    const widget = await letters({}, names);
    const frame = await inside(widget);
    await frame.waitForFunction(() => document.querySelectorAll(".row").length === 180);
    const view = await widget.frame.locator("#scroll").boundingBox();
    await carry(widget, "Task 1", "Task 2");
    await widget.page.mouse.move(view.x + view.width - 30, view.y + view.height + 60);
    const end = () => frame.evaluate(() => { const { scrollTop, scrollHeight, clientHeight } = document.getElementById("scroll"); return scrollTop + clientHeight >= scrollHeight - 2; });
    await until("it is at the end", end);
    await widget.page.mouse.up();
    await ordered(widget, [...names.slice(1), "Task 1"]);
    assert.equal((await titles(widget)).at(-1), "Task 1");
    await done(widget);
  });

  test("arrow keys on the handle, which Tab finds and which says so", async () => {
    const widget = await letters();
    const { keyboard } = widget.page;
    await box(widget, "B").focus();
    await keyboard.press("Tab");
    assert.equal(await focused(widget), "Move “B”");
    const seen = await handle(widget, "B").evaluate((element) => ({
      shown: getComputedStyle(element).opacity,
      hint: getComputedStyle(element, "::after").content,
      help: document.getElementById(element.getAttribute("aria-describedby")).textContent,
    }));
    assert.deepEqual(seen, { shown: "1", hint: '"↑ ↓ to move"', help: "Drag, or press Arrow Up or Arrow Down, to move the task." });
    await keyboard.press("ArrowDown");
    await shows(widget, ["A", "C", "B", "D", "E"]);
    assert.equal(await focused(widget), "Move “B”");
    await widget.frame.getByRole("status").getByText("“B” is now 3 of 5.").waitFor();
    await keyboard.press("ArrowUp");
    await keyboard.press("ArrowUp");
    await shows(widget, ["B", "A", "C", "D", "E"]);
    await ordered(widget, ["B", "A", "C", "D", "E"]);
    await widget.frame.getByRole("status").getByText("“B” is now 1 of 5.").waitFor();
    await keyboard.press("ArrowUp");
    await widget.frame.getByRole("status").getByText("“B” is the first already.").waitFor();
    assert.equal(await focused(widget), "Move “B”");
    await done(widget);
  });

  test("Alt and an arrow on the checkbox too", async () => {
    const widget = await letters();
    await box(widget, "D").focus();
    await widget.page.keyboard.press("Alt+ArrowDown");
    await ordered(widget, ["A", "B", "C", "E", "D"]);
    await widget.frame.getByRole("status").getByText("“D” is now 5 of 5.").waitFor();
    assert.equal(await focused(widget), "D");
    await widget.page.keyboard.press("Alt+ArrowDown");
    await widget.frame.getByRole("status").getByText("“D” is the last already.").waitFor();
    await widget.page.keyboard.press("Alt+ArrowUp");
    await ordered(widget, LETTERS);
    await done(widget);
  });

  test("a press on the handle offers buttons, for those who can neither drag nor type", async () => {
    const widget = await letters({ page: { hasTouch: true } });
    await handle(widget, "B").tap();
    await row(widget, "B").getByRole("button", { name: "Move down" }).tap();
    await row(widget, "B").getByRole("button", { name: "Move down" }).tap();
    await ordered(widget, ["A", "C", "D", "B", "E"]);
    await handle(widget, "E").tap();
    assert.equal(await widget.frame.getByRole("button", { name: "Move down" }).count(), 1, "one at a time");
    await row(widget, "E").getByRole("button", { name: "Move up" }).press("Escape");
    assert.equal(await widget.frame.getByRole("button", { name: "Move down" }).count(), 0);
    assert.equal(await focused(widget), "Move “E”");
    await done(widget);
  });

  test("a finger drags too, and the list does not scroll under it", async () => {
    const names = Array.from({ length: 40 }, (_, place) => `Task ${place + 1}`);
    const widget = await letters({ page: { hasTouch: true, isMobile: true, width: 360 } }, names);
    assert.notEqual(await handle(widget, "Task 2").evaluate((element) => getComputedStyle(element).opacity), "0", "it shows without a hover");
    const { x, y, width, height } = await handle(widget, "Task 2").boundingBox();
    const target = await row(widget, "Task 4").boundingBox();
    const finger = await widget.page.context().newCDPSession(widget.page);
    const touch = (type, at) => finger.send("Input.dispatchTouchEvent", { type, touchPoints: at === undefined ? [] : [{ x: x + width / 2, y: at }] });
    await touch("touchStart", y + height / 2);
    for (const part of [0.3, 0.6, 1]) await touch("touchMove", y + height / 2 + part * (target.y + 0.8 * target.height - y - height / 2));
    await drop(widget).waitFor();
    await touch("touchEnd");
    await ordered(widget, ["Task 1", "Task 3", "Task 4", "Task 2", ...names.slice(4)]);
    assert.equal(await (await inside(widget)).evaluate(() => document.getElementById("scroll").scrollTop), 0);
    await done(widget);
  });

  test("it is shown at once, and a key that is held down is not a call for every place", async () => {
    const widget = await letters();
    await until("the first look is over", async () => (await calls(widget)).length === 1);
    await settled(widget);
    await widget.host(() => (host.hold = true));
    await handle(widget, "A").focus();
    for (let times = 0; times < 4; times++) await widget.page.keyboard.press("ArrowDown");
    await shows(widget, ["B", "C", "D", "E", "A"]);
    assert.deepEqual(Object.keys(await board(widget.project)), LETTERS);
    await widget.host(() => host.release());
    await ordered(widget, ["B", "C", "D", "E", "A"]);
    await widget.frame.getByRole("status").getByText("“A” is now 5 of 5.").waitFor();
    assert.equal((await moves(widget)).length, 2, "the one under way, and the last");
    await done(widget);
  });

  test("among those that are shown: beside the one it is moved past", async () => {
    const widget = await over(["A", "B", "C", "D"].map((title, place) => ({ title, status: place % 2 ? "done" : "pending" })));
    await widget.frame.getByRole("radio", { name: "Open 2" }).check();
    await shows(widget, ["A", "C"]);
    await handle(widget, "A").press("ArrowDown");
    await shows(widget, ["C", "A"]);
    await ordered(widget, ["B", "C", "A", "D"]);
    await handle(widget, "A").press("ArrowUp");
    await ordered(widget, ["B", "A", "C", "D"]);
    await carry(widget, "A", "C");
    await widget.page.mouse.up();
    await ordered(widget, ["B", "C", "A", "D"]);
    await done(widget);
  });

  for (const [how, why] of [["refuse", "The disk is full"], ["error", "the server is gone"]])
    test(`a move that fails is taken back, and the reason stands beside it: ${how}`, async () => {
      const widget = await letters();
      await hinder(widget, { move_todo: how });
      await handle(widget, "B").press("ArrowDown");
      await row(widget, "B").getByRole("alert").getByText("Not moved: ").waitFor();
      assert.match(await row(widget, "B").getByRole("alert").textContent(), new RegExp(why));
      await shows(widget, LETTERS);
      assert.equal(await focused(widget), "Move “B”");
      await hinder(widget, {});
      await handle(widget, "B").press("ArrowDown");
      await ordered(widget, ["A", "C", "B", "D", "E"]);
      await row(widget, "B").getByRole("alert").waitFor({ state: "detached" });
      await done(widget);
    });

  test("beside a task that somebody else removed meanwhile: the reason, and the list as it is", async () => {
    const widget = await letters();
    await until("the first look is over", async () => (await calls(widget)).length === 1);
    await settled(widget);
    const [, , third] = await widget.project.json("list");
    await widget.project.run("rm", third.id);
    await handle(widget, "B").press("ArrowDown");
    await row(widget, "B").getByRole("alert").getByText("Not moved: No task has the id").waitFor();
    await shows(widget, ["A", "B", "D", "E"]);
    assert.equal(await handle(widget, "B").count(), 1, "the tool is there all the same");
    await done(widget);
  });

  for (const how of ["unknown", "notFound", "noMethod"])
    test(`a host without the tool: taken back, said once, and not offered again: ${how}`, async () => {
      const widget = await letters();
      await hinder(widget, { move_todo: how });
      const before = await row(widget, "D").boundingBox();
      await box(widget, "C").focus();
      await handle(widget, "C").press("ArrowDown");
      await row(widget, "C").getByRole("alert").getByText("Not moved: this app does not let the page move tasks.").waitFor();
      await shows(widget, LETTERS);
      assert.equal(await widget.frame.getByRole("button", { name: /^Move/ }).count(), 0);
      assert.equal(await focused(widget), "C", "the focus stays with the task");
      assert.equal((await row(widget, "D").boundingBox()).width, before.width);
      await widget.page.keyboard.press("Alt+ArrowDown");
      await widget.frame.getByRole("button", { name: "Refresh the list" }).click();
      await row(widget, "C").getByRole("alert").waitFor({ state: "detached" });
      assert.equal((await moves(widget)).length, 1);
      assert.equal(await widget.frame.getByRole("button", { name: /^Move/ }).count(), 0);
      await done(widget);
    });

  test("nothing to move: one task, one that is not saved yet, a host that passes no calls on", async () => {
    const single = await letters({}, ["A"]);
    assert.equal(await single.frame.getByRole("button", { name: /^Move/ }).count(), 0);
    await done(single);
    const saving = await letters({}, ["A", "B"]);
    await until("the first look is over", async () => (await calls(saving)).length === 1);
    await saving.host(() => (host.hold = true));
    await saving.frame.getByLabel("New task").fill("C");
    await saving.frame.getByLabel("New task").press("Enter");
    await shows(saving, ["A", "B", "C"]);
    assert.equal(await saving.frame.getByRole("button", { name: /^Move/ }).count(), 2);
    await handle(saving, "B").press("ArrowDown");
    await saving.host(() => host.release());
    await handle(saving, "C").waitFor();
    assert.deepEqual(await moves(saving), []);
    await done(saving);
    const looking = await letters({ able: {} });
    assert.equal(await looking.frame.getByRole("button", { name: /^Move/ }).count(), 0);
    await done(looking);
  });
});

describe("results of all kinds", () => {
  test("text that is JSON", async () => {
    const widget = await over([{ title: "First" }], {
      able: {},
      result: { content: [{ type: "text", text: JSON.stringify({ tasks: [{ id: "a", title: "In text", completed: true }] }) }] },
    });
    assert.deepEqual(await titles(widget), ["In text"]);
    assert.equal(await box(widget, "In text").isChecked(), true);
    await done(widget);
  });

  test("a sentence only: the page asks for the list itself, and after every change", async () => {
    const widget = await over([{ title: "First" }], { result: { content: [{ type: "text", text: "You have 1 task" }] } });
    assert.deepEqual(await titles(widget), ["First"]);
    await hinder(widget, { complete_todo: "sentence", add_todo: "json" });
    await box(widget, "First").check();
    await until("it looked", async () => (await calls(widget)).at(-1) === "list_todos");
    await widget.frame.getByText("Done", { exact: true }).first().waitFor();
    await widget.frame.getByLabel("New task").fill("Second");
    await widget.frame.getByLabel("New task").press("Enter");
    await shows(widget, ["First", "Second"]);
    await done(widget);
  });

  test("nothing at all, or a call that was cancelled: the page asks for the list itself", async () => {
    const silent = await over([{ title: "First" }], { result: "none" });
    assert.deepEqual(await titles(silent), ["First"]);
    await done(silent);
    const cancelled = await over([{ title: "First" }], { result: "none", ready: false });
    await cancelled.host(() => host.bridge.sendToolCancelled({ reason: "user" }));
    await settled(cancelled);
    assert.deepEqual(await titles(cancelled), ["First"]);
    await done(cancelled);
  });

  test("an old result from the conversation is followed by what is true now", async () => {
    const old = { content: [], structuredContent: { tasks: [{ id: "x", title: "Yesterday", completed: false }] } };
    const widget = await over([{ title: "Today" }], { result: old });
    await shows(widget, ["Today"]);
    await done(widget);
  });

  test("who comes back after a while sees what is true now", async () => {
    const widget = await over([{ title: "First" }], { before: (page) => page.clock.install() });
    await until("the first look is over", async () => (await calls(widget)).length === 1);
    await settled(widget);
    await widget.project.run("add", "Meanwhile");
    const frame = await inside(widget);
    const comeBack = () => frame.evaluate(() => void document.dispatchEvent(new Event("visibilitychange")));
    await comeBack();
    await widget.page.clock.fastForward("00:11");
    await comeBack();
    await shows(widget, ["First", "Meanwhile"]);
    assert.deepEqual(await calls(widget), ["list_todos", "list_todos"], "but not at every glance");
    await done(widget);
  });

  test("a host that passes no calls on: to look at, with a word about it", async () => {
    const project = new Project();
    project.write(STORY);
    const widget = { project, ...(await show(chromium, await hostSite(await project.serve()), { able: {} })) };
    assert.deepEqual(await titles(widget), STORY.map((task) => task.title));
    await widget.frame.getByText("To change it, ask in the chat.").waitFor();
    assert.equal(await widget.frame.getByLabel("New task").isVisible(), false);
    assert.equal(await widget.frame.getByRole("button", { name: /Refresh|Clear/ }).count(), 0);
    assert.equal(await box(widget, "Ship it").isDisabled(), true);
    await done(widget);
  });

  test("a host that passes no calls on and a sentence only: the sentence", async () => {
    const text = "You have 3 tasks.\n1. Ship it";
    const widget = await over([], { able: {}, result: { content: [{ type: "text", text }] } });
    await widget.frame.getByText("You have 3 tasks.").waitFor();
    assert.equal(await widget.frame.locator("#empty .soft").textContent(), text);
    assert.equal(await widget.frame.getByText(/did not load|not here|look at the list/).filter({ visible: true }).count(), 0);
    await widget.frame.getByText("To change it, ask in the chat.").waitFor();
    const later = { content: [], structuredContent: { tasks: [{ id: "a", title: "A list after all", completed: false }] } };
    await widget.host((later) => host.bridge.sendToolResult(later), later);
    await shows(widget, ["A list after all"]);
    assert.equal(await widget.frame.getByText("You have 3 tasks.").isVisible(), false);
    await done(widget);
  });

  test("what other frames say is not listened to", async () => {
    const widget = await over([{ title: "First" }], { layout: "direct" });
    await until("the first look is over", async () => (await calls(widget)).length === 1);
    await settled(widget);
    await widget.page.evaluate(async () => {
      const stranger = document.createElement("iframe");
      const params = { content: [], structuredContent: { tasks: [{ id: "x", title: "Forged", completed: false }] } };
      const message = { jsonrpc: "2.0", method: "ui/notifications/tool-result", params };
      stranger.srcdoc = `<script>parent.frames[0].postMessage(${JSON.stringify(message)}, "*"); parent.postMessage("sent", "*")<\/script>`;
      const sent = new Promise((done) => addEventListener("message", ({ data }) => data === "sent" && done()));
      document.body.append(stranger);
      await sent;
      // Whatever the host itself says next comes after it.
      await host.bridge.sendToolResult(await host.client.callTool({ name: "add_todo", arguments: { title: "Second" } }));
    });
    await shows(widget, ["First", "Second"]);
    await done(widget);
  });
});

describe("the host", () => {
  const style = (frame, selector, property) =>
    frame.locator(selector).first().evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), property);

  test("its theme, colours and fonts are followed, and changes of them", async () => {
    const context = {
      theme: "dark",
      styles: { variables: { "--color-text-primary": "rgb(1, 2, 3)", "--font-sans": "Georgia" }, css: { fonts: "@font-face { font-family: Own; src: local(Own) }" } },
    };
    const widget = await over(STORY, { context });
    assert.equal(await style(widget.frame, "html", "color-scheme"), "dark");
    assert.equal(await style(widget.frame, "body", "color"), "rgb(1, 2, 3)");
    assert.equal(await style(widget.frame, "body", "font-family"), "Georgia");
    const frame = await inside(widget);
    assert.equal(await frame.evaluate(() => [...document.fonts].map((font) => font.family).join()), "Own");
    await widget.host(() =>
      host.bridge.sendHostContextChange({ theme: "light", styles: { variables: { "--color-text-primary": "rgb(4, 5, 6)" } } }),
    );
    await until("it is light", async () => (await style(widget.frame, "html", "color-scheme")) === "light");
    assert.equal(await style(widget.frame, "body", "color"), "rgb(4, 5, 6)");
    assert.equal(await style(widget.frame, "body", "font-family"), "Georgia", "what did not change stays");
    await done(widget);
  });

  test("the page asks for the room it needs, no more, and not for ever", async () => {
    const widget = await over(STORY);
    const frame = await inside(widget);
    const sizes = () => widget.host(() => host.sizes);
    const needed = () => frame.evaluate(() => Math.ceil(document.querySelector("main").getBoundingClientRect().height));
    await until("it said so", async () => (await sizes()).at(-1).height === (await needed()));
    assert.equal(await frame.evaluate(() => document.documentElement.scrollHeight - innerHeight), 0, "nothing is cut off");
    const before = (await sizes()).length;
    assert.ok(before <= 4, `it asked ${before} times`);
    // The room that it got changes nothing about the room that it needs.
    await widget.host(() => (host.frame.style.height = "900px"));
    await until("it is there", () => frame.evaluate(() => innerHeight === 900));
    await frame.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.equal((await sizes()).length, before);
    await widget.frame.getByLabel("New task").fill("One more");
    await widget.frame.getByLabel("New task").press("Enter");
    await until("it asks for more", async () => (await sizes()).at(-1).height > (await sizes())[before - 1].height);
    await done(widget);
  });

  test("loading, an empty list and a short one take the same room", async () => {
    const project = new Project();
    const site = await hostSite(await project.serve());
    const widget = await show(chromium, site, { result: "none", ready: false });
    await widget.frame.locator("#skeleton").waitFor();
    await settled(widget);
    await widget.frame.getByText("Nothing to do", { exact: true }).waitFor();
    const heights = await widget.host(() => [...new Set(host.sizes.map((size) => size.height))]);
    assert.equal(heights.length, 1, `it jumped: ${heights}`);
    await done(widget);
  });

  test("a fixed height is filled, a greatest height is kept to, and the list scrolls inside", async () => {
    const many = Array.from({ length: 60 }, (_, place) => ({ title: `Task ${place}` }));
    const widget = await over(many, { context: { containerDimensions: { maxHeight: 400, maxWidth: 700 } } });
    const frame = await inside(widget);
    const main = () => frame.evaluate(() => document.querySelector("main").getBoundingClientRect().height);
    const scrolls = () => frame.evaluate(() => { const { scrollHeight, clientHeight } = document.getElementById("scroll"); return scrollHeight > clientHeight; });
    assert.equal(await main(), 400);
    assert.equal(await scrolls(), true);
    await widget.host(() => {
      host.frame.style.height = "500px";
      return host.bridge.sendHostContextChange({ containerDimensions: { height: 500, width: 700 } });
    });
    await until("it fills", async () => (await main()) === 500);
    assert.equal(await scrolls(), true);
    await done(widget);
  });

  test("the edges of a screen are kept free", async () => {
    const widget = await over(STORY, { context: { safeAreaInsets: { top: 30, right: 11, bottom: 22, left: 13 } } });
    assert.equal(await style(widget.frame, "main", "padding"), "44px 11px 28px 13px");
    await done(widget);
  });

  test("full screen and back, where the host offers it", async () => {
    const context = { displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"] };
    const widget = await over(STORY, { context });
    await widget.frame.getByRole("button", { name: "Show in full screen" }).click();
    await widget.frame.getByRole("button", { name: "Show in the conversation" }).click();
    await widget.frame.getByRole("button", { name: "Show in full screen" }).waitFor();
    assert.deepEqual(await widget.host(() => host.modes), ["fullscreen", "inline"]);
    await done(widget);
    const plain = await over(STORY);
    assert.equal(await plain.frame.locator("#display").isVisible(), false);
    await done(plain);
  });

  test("ping and the end are answered; what nobody knows is refused", async () => {
    const widget = await over(STORY, { layout: "direct" });
    const ask = (method) =>
      widget.host(async (method) => {
        const answered = new Promise((done) => addEventListener("message", ({ data }) => data.id === method && done(data)));
        host.frame.contentWindow.postMessage({ jsonrpc: "2.0", id: method, method, params: {} }, "*");
        const { result, error } = await answered;
        return { result, code: error?.code };
      }, method);
    assert.deepEqual(await ask("ping"), { result: {}, code: undefined });
    assert.deepEqual(await ask("toString"), { result: undefined, code: -32601 });
    assert.deepEqual(await widget.host(() => host.bridge.teardownResource({})), {});
    await done(widget);
  });

  test("after the end nothing is sent any more", async () => {
    const widget = await over([{ title: "First" }, { title: "Over", status: "done" }], { layout: "direct" });
    await until("the first look is over", async () => (await calls(widget)).length === 1);
    await settled(widget);
    await widget.host(() => {
      window.heard = [];
      addEventListener("message", ({ data }) => heard.push(data));
    });
    assert.deepEqual(await widget.host(() => host.bridge.teardownResource({})), {});
    await box(widget, "First").and(widget.frame.locator(":disabled")).waitFor();
    const frame = await inside(widget);
    await frame.evaluate(async () => {
      // Even what is clicked although it can't be.
      const box = document.querySelector(".box:not(:checked)");
      box.disabled = false;
      box.click();
      for (const id of ["refresh", "clear", "confirm-yes", "display"]) document.getElementById(id).click();
      document.dispatchEvent(new Event("visibilitychange"));
      await new Promise((done) => setTimeout(done));
      // Comes after whatever the page has sent.
      parent.postMessage("last", "*");
    });
    await widget.page.waitForFunction(() => heard.includes("last"));
    const heard = await widget.host(() => heard.filter((data) => data.method ?? data === "last"));
    assert.deepEqual(heard, ["last"]);
    await done(widget);
  });
});

describe("without a mouse, without looking", () => {
  test("the buttons that move a task go when the focus goes elsewhere", async () => {
    const widget = await over([{ title: "One" }, { title: "Two" }, { title: "Three" }]);
    const up = widget.frame.getByRole("button", { name: "Move up" });
    await handle(widget, "One").press("Enter");
    await up.focus();
    assert.equal(await up.isVisible(), true);
    await widget.page.keyboard.press("Tab");
    await widget.page.keyboard.press("Tab");
    await up.waitFor({ state: "detached" });
    await handle(widget, "One").press("Enter");
    await up.waitFor();
    // The rows below do not move away under a click.
    await box(widget, "Three").click();
    await up.waitFor({ state: "detached" });
    assert.equal(await box(widget, "Three").isChecked(), true);
    await done(widget);
  });

  test("where colours are not ours, the focus, the answers and what is done can be told", async () => {
    const widget = await over(STORY, { page: { forcedColors: "active" } });
    const { frame } = widget;
    const css = (selector, name, pseudo) =>
      frame.locator(selector).first().evaluate((element, [name, pseudo]) => getComputedStyle(element, pseudo)[name], [name, pseudo]);
    await frame.getByLabel("New task").focus();
    assert.equal(await css("#add .field", "outlineStyle"), "solid");
    assert.notEqual(await css(".box:checked", "borderBottomColor", "::before"), await css(".box:checked", "backgroundColor"));
    await frame.getByRole("button", { name: "Clear 1 done" }).click();
    for (const selector of ["#confirm", "#confirm-yes"]) assert.equal(await css(selector, "borderTopWidth"), "1px", selector);
    await picture(widget.page, "widget-forced-colors");
    await done(widget);
  });

  test("at 200 % everything is there, without scrolling sideways", async () => {
    const widget = await over(STORY, { page: { width: 190, height: 400, deviceScaleFactor: 2 } });
    await hinder(widget, { complete_todo: "refuse", list_todos: "error" });
    await box(widget, "Write the notes").click();
    await widget.frame.getByRole("button", { name: "Refresh the list" }).click();
    await widget.frame.getByText("Not refreshed: ").waitFor();
    await widget.frame.getByRole("button", { name: "Clear 1 done" }).click();
    const wide = await (await inside(widget)).evaluate(() =>
      [document.documentElement, ...document.querySelectorAll("main, #scroll, .banner, #confirm, #bar")]
        .filter((element) => element.scrollWidth > element.clientWidth)
        .map((element) => element.id || element.localName),
    );
    assert.deepEqual(wide, []);
    const broken = await (await inside(widget)).evaluate(() =>
      [...document.querySelectorAll("button, #filter span")]
        .filter((element) => element.checkVisibility() && element.textContent && element.clientHeight > 40)
        .map((element) => element.textContent),
    );
    assert.deepEqual(broken, [], "no word is broken in two");
    await picture(widget.page, "widget-zoomed", { fullPage: true });
    await done(widget);
  });

  test("on paper: the whole list, and nothing to press", async () => {
    const tasks = Array.from({ length: 40 }, (_, place) => ({ title: `Task ${place + 1}` }));
    const widget = await over(tasks);
    await widget.page.emulateMedia({ media: "print" });
    const frame = await inside(widget);
    const found = await frame.evaluate(() => ({
      hidden: document.getElementById("scroll").scrollHeight - document.getElementById("scroll").clientHeight,
      cut: document.querySelector("main").scrollHeight - document.querySelector("main").clientHeight,
      buttons: [...document.querySelectorAll("button")].filter((button) => button.checkVisibility()).length,
      rows: [...document.querySelectorAll(".row")].filter((row) => row.checkVisibility()).length,
    }));
    assert.deepEqual(found, { hidden: 0, cut: 0, buttons: 0, rows: 40 });
    await picture(widget.page, "widget-print", { fullPage: true });
    await done(widget);
  });

  test("everything can be done with the keyboard alone", async () => {
    const tasks = Array.from({ length: 9 }, (_, place) => ({ title: `Task ${place + 1}` }));
    const widget = await over(tasks);
    const { page, project } = widget;
    const frame = await inside(widget);
    const focus = () => frame.evaluate(() => {
      const { activeElement: at } = document;
      return at.getAttribute("aria-label") ?? (at.labels?.[0] ?? at).textContent.trim();
    });
    const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };
    await frame.evaluate(() => document.getElementById("heading").focus());
    const order = [];
    for (let step = 0; step < 7; step++) {
      await press("Tab");
      order.push(await focus());
    }
    assert.deepEqual(order, ["Find a task", "Refresh the list", "New task", "All 9", "Task 1", "Move “Task 1”", "Task 2"]);
    await press("Space");
    await frame.waitForFunction(() => document.querySelectorAll(".box:checked").length === 1);
    assert.equal(await focus(), "Task 2", "the focus stays");
    await press("ArrowDown", "ArrowDown", "ArrowUp", "End");
    assert.equal(await focus(), "Task 9");
    await press("Home", "Shift+Tab", "Shift+Tab", "ArrowRight");
    await shows(widget, [1, 3, 4, 5, 6, 7, 8, 9].map((number) => `Task ${number}`));
    await press("ArrowLeft", "Tab");
    assert.equal(await focus(), "Clear 1 done");
    await press("Enter");
    assert.equal(await focus(), "Keep", "the harmless answer is at hand");
    await press("Escape");
    assert.equal(await focus(), "Clear 1 done");
    await press("Enter", "Tab", "Enter");
    await until("it is removed", async () => Object.keys(await board(project)).length === 8);
    await frame.evaluate(() => document.getElementById("title").focus());
    await page.keyboard.type("By hand");
    await press("Enter");
    await until("it is added", async () => "By hand" in (await board(project)));
    assert.equal(await focus(), "New task", "to add another");
    await frame.evaluate(() => document.getElementById("find-open").focus());
    await press("Enter");
    await page.keyboard.type("HAND");
    await shows(widget, ["By hand"]);
    await press("Escape");
    assert.equal(await focus(), "Find a task");
    assert.equal((await titles(widget)).length, 9);
    await done(widget);
  });

  test("the focus stays on its task while others come and go, and near it when it goes", async () => {
    const widget = await over([{ title: "One" }, { title: "Two" }, { title: "Three" }]);
    await box(widget, "Two").focus();
    const focus = async () => (await inside(widget)).evaluate(() => document.activeElement.labels?.[0].textContent);
    const tell = () => widget.host(async () => host.bridge.sendToolResult(await host.client.callTool({ name: "list_todos", arguments: {} })));
    const [one, two] = await widget.project.json("list");
    await widget.project.run("rm", one.id);
    await tell();
    await shows(widget, ["Two", "Three"]);
    assert.equal(await focus(), "Two");
    await widget.project.run("rm", two.id);
    await tell();
    await shows(widget, ["Three"]);
    assert.equal(await focus(), "Three");
    await done(widget);
  });

  test("a screen reader hears what there is and what happens", async () => {
    const widget = await over(STORY);
    const tree = await widget.frame.locator("main").ariaSnapshot();
    for (const line of [
      '- heading "Todo" [level=1]',
      '- progressbar "Completed tasks"',
      '- textbox "New task"',
      '- group "Show"',
      '- list "Tasks"',
      '- checkbox "Sketch the flow" [checked]',
      '- checkbox "Ship it"',
    ])
      assert.ok(tree.includes(line), `${line} is not in\n${tree}`);
    const described = await box(widget, "Fix the login").evaluate((element) =>
      element.getAttribute("aria-describedby").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ").trim());
    assert.equal(described, "Fixing the login claude-code 3f2b");
    await box(widget, "Ship it").check();
    await widget.frame.getByRole("status").getByText("Completed “Ship it”.").waitFor();
    await done(widget);
  });

  for (const theme of THEMES)
    test(`all text stands out from its ground: ${theme}`, async () => {
      const widget = await over(STORY, { context: { theme }, page: { theme } });
      await hinder(widget, { complete_todo: "refuse", list_todos: "refuse" });
      await box(widget, "Write the notes").click();
      await widget.frame.getByRole("button", { name: "Refresh the list" }).click();
      await widget.frame.getByText("Not refreshed: ").waitFor();
      await widget.frame.getByRole("button", { name: "Clear 1 done" }).click();
      const weak = await (await inside(widget)).evaluate(contrastBelow, 4.5);
      assert.deepEqual(weak, []);
      await done(widget);
    });

  test("what moves stands still for those who asked for that", async () => {
    for (const [reducedMotion, moves] of [["reduce", false], ["no-preference", true]]) {
      const widget = await over(STORY, { page: { reducedMotion } });
      const moving = await (await inside(widget)).evaluate(() => document.getAnimations().length > 0);
      assert.equal(moving, moves);
      await done(widget);
    }
  });
});

/** The visible texts whose contrast with what is behind them is below a ratio. Runs in the page. */
function contrastBelow(least) {
  const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const paint = (colours) => {
    context.clearRect(0, 0, 1, 1);
    for (const colour of colours) {
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
    }
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (channels) => {
    const [red, green, blue] = channels.map((value) => value / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const weak = [];
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility() || element.closest(".unseen")) continue;
    const ground = [];
    for (let at = element; at; at = at.parentElement) ground.unshift(getComputedStyle(at).backgroundColor);
    const [text, behind] = [light(paint([...ground, getComputedStyle(element).color])), light(paint(ground))];
    const ratio = (Math.max(text, behind) + 0.05) / (Math.min(text, behind) + 0.05);
    if (ratio < least) weak.push(`${ratio.toFixed(2)} ${node.data}`);
  }
  return weak;
}

describe("whatever is in it", () => {
  test("hostile titles do nothing, and can be read", async () => {
    const project = new Project();
    const agent = await project.agent({ words: ["--toolsets", "app"] });
    for (const { title } of HOSTILE) await agent.call("add_todo", { title });
    const site = await hostSite(await project.serve());
    const widget = { project, ...(await show(chromium, site)) };
    assert.deepEqual(await titles(widget), HOSTILE.map(({ shown }) => shown));
    const frame = await inside(widget);
    const found = await frame.evaluate(() => ({
      strangers: [...new Set([...document.querySelectorAll("#list *")].map((element) => element.localName))].sort(),
      styles: document.querySelectorAll("style").length,
      scripts: document.querySelectorAll("script").length,
      title: document.title,
      wide: document.documentElement.scrollWidth - innerWidth,
    }));
    assert.deepEqual(found, { strangers: ["button", "div", "input", "label", "span"], styles: 1, scripts: 1, title: "Todo", wide: 0 });
    // In what else a page says, they do nothing either.
    for (const { title } of HOSTILE.slice(0, 6)) {
      await widget.frame.getByLabel("New task").fill(title);
      await widget.frame.getByLabel("New task").press("Enter");
    }
    await until("they are added", async () => (await titles(widget)).length === HOSTILE.length + 6);
    await done(widget);
  });

  test("hostile active forms, sessions, dependencies and reasons too", async () => {
    const [first, ...rest] = HOSTILE.slice(0, 20);
    const tasks = rest.map(({ title }, place) => ({
      title, active_form: title, assignee: title.slice(0, 100), status: "in-progress", dependencies: place === 0 ? [] : [place],
    }));
    const widget = await over(tasks);
    const facts = await widget.frame.locator(".now bdi").allTextContents();
    assert.deepEqual(facts, rest.map(({ shown }) => shown));
    const result = { isError: true, content: [{ type: "text", text: first.title }] };
    await widget.host((result) => host.bridge.sendToolResult(result), result);
    await widget.frame.locator("#page-message").getByText(first.shown).waitFor();
    await done(widget);
  });

  test("ids and keys that mean something to a script mean nothing here", async () => {
    const tasks = ["__proto__", "constructor", "toString"].map((id) => ({ id, title: id, completed: false }));
    const meta = JSON.parse('{"dev.todori/tasks":{"__proto__":{"priority":"high"},"toString":{"waitsFor":["constructor","__proto__","gone"]}}}');
    const widget = await over([], { able: {}, result: { content: [], structuredContent: { tasks }, _meta: meta } });
    assert.deepEqual(await titles(widget), ["__proto__", "constructor", "toString"]);
    assert.equal(await (await inside(widget)).evaluate(() => ({}).priority), undefined);
    await done(widget);
  });

  test("a title of 2,000 characters is folded, and unfolds", async () => {
    const long = "word ".repeat(399) + "end.";
    const widget = await over([{ title: long }, { title: "Short" }]);
    const height = () => row(widget, long).evaluate((element) => element.getBoundingClientRect().height);
    const folded = await height();
    await row(widget, long).getByRole("button", { name: "Show more" }).click();
    assert.ok((await height()) > 2 * folded);
    await row(widget, long).getByRole("button", { name: "Show less" }).click();
    assert.equal(await height(), folded);
    assert.equal(await row(widget, "Short").getByRole("button", { name: "Show" }).count(), 0);
    await done(widget);
  });

  test("5,000 tasks: all there, in little room, to scroll, to find and to change", async () => {
    const many = Array.from({ length: 5000 }, (_, place) => ({ title: `Task ${place + 1}` }));
    const widget = await over(many);
    const frame = await inside(widget);
    await frame.waitForFunction(() => document.querySelectorAll(".row").length === 5000);
    assert.ok((await widget.host(() => host.sizes.at(-1).height)) < 700);
    await box(widget, "Task 1").focus();
    await widget.page.keyboard.press("End");
    await frame.waitForFunction(() => document.activeElement.labels?.[0].textContent === "Task 5000");
    const seen = await box(widget, "Task 5000").evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
    assert.equal(seen, true);
    await widget.page.keyboard.press("Space");
    await widget.frame.getByText("1 of 5,000 done").waitFor();
    await widget.frame.getByRole("button", { name: "Find a task" }).click();
    await widget.page.keyboard.type("task 4242");
    await shows(widget, ["Task 4242"]);
    await widget.page.keyboard.press("Escape");
    await widget.frame.getByLabel("New task").fill("The newest");
    await widget.frame.getByLabel("New task").press("Enter");
    await frame.waitForFunction(() => {
      const last = [...document.querySelectorAll(".row")].at(-1);
      const { top, bottom } = last.getBoundingClientRect();
      return last.querySelector(".title").textContent === "The newest" && top >= 0 && bottom <= innerHeight;
    });
    await done(widget);
  });
});

test("the page is small", () => {
  assert.ok(statSync(join(root, "web/dist/widget.html")).size < 60_000);
});

test("pictures, to be looked at", async () => {
  const project = new Project();
  project.write([
    { title: "Sketch the onboarding flow", status: "done" },
    { title: "Collect what people said about the beta", status: "done" },
    { title: "Fix the login redirect on Safari", status: "in-progress", active_form: "Fixing the login redirect on Safari", assignee: "claude-code" },
    { title: "Write the release notes" },
    { title: "Ship 1.0 to everybody", priority: "high", dependencies: [3, 4] },
    { title: "Answer the three oldest issues", status: "blocked" },
    { title: "تحديث الوثائق العربية 🎉" },
    { title: "Plan the offsite", status: "deferred", priority: "low" },
  ]);
  const site = await hostSite(await project.serve());
  for (const width of WIDTHS)
    for (const theme of THEMES) {
      const context = { theme, availableDisplayModes: ["inline", "fullscreen"] };
      const look = { width, height: 800, theme };
      const widget = await show(chromium, site, { page: look, context });
      await picture(widget.page, `widget-${width}-${theme}`);
      await handle(widget, "Ship 1.0 to everybody").focus();
      await carry(widget, "Write the release notes", "Answer the three oldest issues", 0.8);
      await picture(widget.page, `widget-${width}-${theme}-moving`);
      await widget.page.keyboard.press("Escape");
      await widget.page.mouse.up();
      await hinder(widget, { complete_todo: "refuse", add_todo: "refuse", list_todos: "error" });
      await box(widget, "Write the release notes").click();
      await widget.frame.getByLabel("New task").fill("Order cake for the launch party");
      await widget.frame.getByLabel("New task").press("Enter");
      await widget.frame.getByRole("button", { name: "Refresh the list" }).click();
      await widget.frame.getByText("Not refreshed: ").waitFor();
      await widget.frame.getByRole("button", { name: "Clear 2 done" }).click();
      await picture(widget.page, `widget-${width}-${theme}-trouble`);
      await widget.page.context().close();
    }
  const full = await show(chromium, site, { page: { width: 1200, height: 800 }, context: { theme: "light", availableDisplayModes: ["inline", "fullscreen"] } });
  await full.frame.getByRole("button", { name: "Show in full screen" }).click();
  await full.frame.getByRole("button", { name: "Show in the conversation" }).waitFor();
  await picture(full.page, "widget-fullscreen");
  const empty = await hostSite(await new Project().serve());
  const loading = await show(chromium, empty, { page: { width: 360, height: 400 }, result: "none", ready: false });
  await picture(loading.page, "widget-loading");
  await settled(loading);
  await picture(loading.page, "widget-empty");
});
