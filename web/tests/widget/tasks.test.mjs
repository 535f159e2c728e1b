// The widget in every kind of host: a list is read and changed, and shows what tasks have besides titles.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "../harness.mjs";
import { board, box, done, ERAS, handle, inside, LAYOUTS, ordered, over, row, shows, STORY, titles } from "../widget.mjs";

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
