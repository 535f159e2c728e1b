// The other views of the dashboard: the graph, the plots, and its colours.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { clean, over, sheet, STORY } from "../dashboard.mjs";
import { picture, until, uuid } from "../harness.mjs";

describe("the other views", () => {
  test("the graph marks the critical path, opens tasks, and can be read as text", async () => {
    const { page } = await over(STORY, { hash: "#/graph" });
    await page.locator(".node").first().waitFor();
    assert.deepEqual(await page.locator(".node.hot .node-title").allTextContents(), ["Write a test that shows it", "Fix the login", "Release 1.4", "Announce it"]);
    assert.equal(await page.locator(".edge.hot").count(), 3);
    await page.getByLabel("Show what is done").check();
    await page.locator(".node").getByText("Find out why the login fails").waitFor();
    await page.getByText("As text").click();
    await page.getByText("“Fix the login” (Pending) waits for “Write a test that shows it”").waitFor();
    await page.locator(".node").first().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await sheet(page).getByLabel("Title").waitFor();
    await clean(page);
  });

  test("a hundred and fifty tasks that all wait for all before them are drawn without what follows", async () => {
    const tasks = Array.from({ length: 150 }, (_, i) => ({ title: `Step ${i + 1}`, dependencies: Array.from({ length: i }, (_, j) => j + 1) }));
    const { page } = await over(tasks.map(({ dependencies, ...task }) => (dependencies.length ? { ...task, dependencies } : task)), { hash: "#/graph" });
    await page.getByText("links that follow from others are not drawn").waitFor();
    assert.equal(await page.locator("path.edge").count(), 149);
    await page.getByRole("button", { name: "Fit" }).click();
    const [canvas, picture] = await Promise.all([page.locator(".canvas").boundingBox(), page.locator(".picture").boundingBox()]);
    assert.ok(picture.height <= canvas.height + 1);
    await clean(page);
  });

  test("a cycle is said in words and is no critical path", async () => {
    const tasks = [{ title: "Hen", dependencies: [2] }, { title: "Egg", dependencies: [1] }, { title: "Omelette", dependencies: [2] }];
    const { page } = await over(tasks, { hash: "#/graph" });
    await page.locator(".graph .why").getByText("None of these can start").waitFor();
    assert.equal(await page.locator(".node.cycle").count(), 2);
    assert.equal(await page.locator(".edge.hot").count(), 0);
    await picture(page, "dashboard-cycle");
    await clean(page);
  });

  test("the plots tell each day, by keys and as a table", async () => {
    const { page, project } = await over(STORY, { hash: "#/progress" });
    await project.run("done", uuid(6));
    const plot = page.getByRole("group", { name: /^Throughput/ });
    await plot.focus();
    await until("today is told", async () => {
      await page.keyboard.press("End");
      return (await page.locator(".said").last().innerText()).includes("1 finished");
    });
    await page.getByRole("button", { name: "14 days" }).click();
    await page.getByText("As a table").click();
    await until("there are two weeks", async () => (await page.locator("tbody tr").count()) === 14);
    await clean(page);
  });

  test("the theme follows the system until somebody chooses", async () => {
    const { page } = await over(STORY, { theme: "dark" });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await ground();
    await page.emulateMedia({ colorScheme: "light" });
    const light = await ground();
    assert.notEqual(light, dark);
    await page.emulateMedia({ colorScheme: "dark" });
    assert.equal(await ground(), dark);
    await page.getByRole("button", { name: "Light colours" }).click();
    assert.equal(await ground(), light, "whatever the system says");
    await page.reload();
    assert.equal(await ground(), light);
    await clean(page);
  });
});
