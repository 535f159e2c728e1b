// Tasks are moved in the widget, by mouse, finger, keys and buttons.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../harness.mjs";
import { board, box, calls, carry, done, handle, hinder, inside, ordered, over, row, settled, shows, titles } from "../widget.mjs";

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
