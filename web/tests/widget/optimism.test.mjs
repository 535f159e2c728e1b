// What is asked for in the widget is shown at once, and taken back with the reason where it fails.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Project, until } from "../harness.mjs";
import { board, box, calls, done, hinder, hostSite, over, row, settled, show, shows, titles } from "../widget.mjs";

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
    const widget = await show(site, { result: { isError: true, content: [{ type: "text", text: "No luck" }] }, ready: false, before: (page) => page.addInitScript(() => {
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
    writeFileSync(join(widget.project.path, ".todori/tasks.yaml"), "version: 1\ntasks: [\n");
    await widget.frame.getByRole("button", { name: "Refresh the list" }).click();
    await widget.frame.getByText("Not refreshed: .todori/tasks.yaml is broken").waitFor();
    assert.deepEqual(await titles(widget), ["First"]);
    await done(widget);
  });
});
