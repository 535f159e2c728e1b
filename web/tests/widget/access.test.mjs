// The widget without a mouse, without looking, on paper, and in colours that are not its own.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { picture, THEMES, until } from "../harness.mjs";
import { board, box, done, handle, hinder, inside, over, row, shows, STORY, titles } from "../widget.mjs";

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
