// The widget follows its host: theme, room, display mode, and the end.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Project, until } from "../harness.mjs";
import { box, calls, done, hostSite, inside, over, settled, show, STORY } from "../widget.mjs";

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

  test("loading and an empty list take the same room", async () => {
    const project = new Project();
    const site = await hostSite(await project.serve());
    const widget = await show(site, { result: "none", ready: false });
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
