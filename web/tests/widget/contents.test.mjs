// Whatever is in a list, the widget shows it, in little room, and obeys none of it.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Project, root, until } from "../harness.mjs";
import { HOSTILE } from "../hostile.mjs";
import { box, done, hostSite, inside, over, row, show, shows, titles } from "../widget.mjs";

describe("whatever is in it", () => {
  test("hostile titles do nothing, and can be read", async () => {
    const project = new Project();
    const agent = await project.agent({ words: ["--toolsets", "app"] });
    for (const { title } of HOSTILE) await agent.call("add_todo", { title });
    const site = await hostSite(await project.serve());
    const widget = { project, ...(await show(site)) };
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
