// The dashboard asks for its token, obeys no title, and reaches nothing but its own server.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { card, clean, column, live, over, sheet, STORY, titles } from "../dashboard.mjs";
import { until, uuid } from "../harness.mjs";
import { HOSTILE } from "../hostile.mjs";

describe("safety", () => {
  test("asks for the token, and says when it is wrong", async () => {
    const token = "a-token-of-some-length-1234";
    const { page } = await over(STORY, { serve: { env: { TODORI_TOKEN: token } } });
    await page.getByLabel("Token").fill("not the right one");
    await page.keyboard.press("Enter");
    await page.getByText("without spaces").waitFor();
    await page.getByLabel("Token").fill("not-the-right-one-at-all");
    await page.keyboard.press("Enter");
    await page.getByText("This is not the token").waitFor();
    await page.getByLabel("Token").fill(token);
    await page.keyboard.press("Enter");
    await card(page, "Fix the login").waitFor();
    await live(page);
    await page.reload();
    await card(page, "Fix the login").waitFor();
    assert.equal(await page.evaluate(() => JSON.stringify(localStorage).includes("1234")), false, "it is kept for the tab only");
    await clean(page, ["401"]);
  });

  test("the right token opens a board that can’t be read, and the form says when nothing answers", async () => {
    const token = "a-token-of-some-length-1234";
    const { page, server, project } = await over(STORY, { serve: { env: { TODORI_TOKEN: token } } });
    await page.getByLabel("Token").waitFor();
    await server.end();
    await page.getByLabel("Token").fill(token);
    await page.keyboard.press("Enter");
    await page.locator("#token-why").getByText("did not answer").waitFor();
    writeFileSync(join(project.path, ".todori/tasks.yaml"), "version: 1\ntasks:\n  - [");
    await project.serve({ port: server.port, env: { TODORI_TOKEN: token } });
    await page.keyboard.press("Enter");
    await page.getByText("The board’s file can’t be read").waitFor();
    project.write(STORY);
    await card(page, "Fix the login").waitFor();
    await live(page);
    await clean(page, ["401", "503", "ERR_"]);
  });

  test("hostile titles are text, in every view", async () => {
    const { page, project, server } = await over([]);
    const agent = await project.agent({ words: ["--toolsets", "todo,tasks"] });
    for (const { title } of HOSTILE) await agent.call("todo_update", { add: [{ content: title }] });
    await page.goto(`${server.url}/`);
    await until("all are there", async () => (await column(page, "Pending").locator("h2 .count").innerText()) === String(HOSTILE.length));
    for (const [i, { title, shown }] of HOSTILE.entries()) {
      const wanted = title.length > 400 ? shown.slice(0, 400) : shown;
      await page.getByRole("searchbox").fill(title);
      await until(`number ${i} is shown`, async () => (await titles(page, "Pending")).includes(wanted));
    }
    await page.getByRole("searchbox").fill("");
    for (const view of ["board", "graph", "progress", "agents"]) {
      await page.goto(`${server.url}/#/${view}`);
      await page.locator(".view:not([hidden])").waitFor();
      const found = await page.evaluate(() => ({
        strangers: document.querySelectorAll("script:not(body > script), iframe, img, base, form[action], link[rel=stylesheet], meta[http-equiv], plaintext, object, embed, [onload], [onerror], [onfocus]").length,
        styles: document.querySelectorAll("style").length,
        scripts: document.querySelectorAll("script").length,
        obeyed: document.title === "obeyed",
        wide: document.documentElement.scrollWidth - innerWidth,
      }));
      assert.deepEqual(found, { strangers: 0, styles: 1, scripts: 1, obeyed: false, wide: 0 });
    }
    await clean(page);
  });

  test("hostile titles are text on the graph, in details and in the agents’ lists", async () => {
    const some = HOSTILE.filter(({ title }) => title.length < 300 && !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(title));
    const tasks = some.map(({ title }, i) => ({ title, active_form: title, status: "in-progress", assignee: "x", dependencies: i ? [i] : [] }));
    const { page, server } = await over(tasks, { hash: "#/graph" });
    await until("the graph is drawn", async () => (await page.locator(".node").count()) === tasks.length);
    const shown = await page.locator(".node-title").allTextContents();
    assert.deepEqual(shown, some.map(({ title, shown }) => (title.length > 200 ? shown.slice(0, 200) : shown)));
    await page.goto(`${server.url}/#/board/${uuid(3)}`);
    await sheet(page).getByLabel("Title").waitFor();
    assert.equal(await sheet(page).getByLabel("Title").inputValue(), some[2].title);
    await page.goto(`${server.url}/#/agents`);
    const links = page.locator(".agent .links");
    await until("the agent has them all", async () => (await links.locator("button").count()) === tasks.length);
    assert.deepEqual(await links.locator("button").allTextContents(), some.map(({ shown }) => shown));
    await clean(page);
  });

  test("the page may do nothing but speak to its own server", async () => {
    const { server, page } = await over(STORY);
    const answer = await page.request.get(`${server.url}/`);
    const policy = answer.headers()["content-security-policy"];
    for (const part of ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'"]) assert.ok(policy.includes(part), policy);
    assert.ok(!policy.includes("unsafe"), policy);
    assert.ok((await answer.body()).length < 100_000);
  });
});
