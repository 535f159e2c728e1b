// Whatever a host tells the widget, the list that is true is shown.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Project, until } from "../harness.mjs";
import { box, calls, done, hinder, hostSite, inside, over, settled, show, shows, STORY, titles } from "../widget.mjs";

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
    const widget = { project, ...(await show(await hostSite(await project.serve()), { able: {} })) };
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
