// The board of the dashboard: what it shows, what is added to it, its menu, search and help.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { card, clean, column, focused, inColumn, over, STORY, titles } from "../dashboard.mjs";
import { until, uuid } from "../harness.mjs";

describe("the board", () => {
  test("shows every task in the column of its status, and how far it has come", async () => {
    const { page } = await over(STORY);
    await card(page, "Fix the login").waitFor();
    assert.deepEqual(await titles(page, "Pending"), ["Fix the login", "Release 1.4", "Announce it", "Update the dependencies"]);
    assert.deepEqual(await titles(page, "In progress"), ["Write a test that shows it"]);
    assert.deepEqual(await titles(page, "Blocked"), ["Keys for the staging environment"]);
    assert.deepEqual(await titles(page, "Done"), ["Find out why the login fails"]);
    assert.equal(await page.locator(".figures").innerText(), "1/8 completed");
    await card(page, "Write a test that shows it").getByText("Writing the test").waitFor();
    await card(page, "Fix the login").getByText("waits for 1").waitFor();
    await clean(page);
  });

  test("tasks are added by mouse and by keys, and a refusal stands by the field", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Fix the login").waitFor();
    await page.keyboard.press("n");
    await page.keyboard.type("Write the release notes");
    await page.keyboard.press("Enter");
    await inColumn(page, "Pending", "Write the release notes").waitFor();
    await until("it is on the board", async () => (await project.run("list")).includes("Write the release notes"));
    const field = page.getByLabel("Add a task").first();
    await field.click();
    await page.keyboard.type("Thank the testers");
    await page.keyboard.press("Enter");
    await inColumn(page, "Pending", "Thank the testers").waitFor();
    await field.fill("x".repeat(201));
    await field.press("Enter");
    await page.locator(".adding .why").getByText("200 characters").waitFor();
    assert.equal(await field.inputValue(), "x".repeat(201), "what was typed is given back");
    await clean(page);
  });

  test("an empty board says how to begin", async () => {
    const { page } = await over([]);
    await page.getByText("claude mcp add todori -- todori serve").first().waitFor();
    await page.getByLabel("Add a task").last().fill("The first one");
    await page.keyboard.press("Enter");
    await inColumn(page, "Pending", "The first one").waitFor();
    await clean(page);
  });

  test("the menu of a card completes it", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Update the dependencies").getByRole("button").click();
    await page.getByRole("menuitem", { name: "Done", exact: true }).click();
    await inColumn(page, "Done", "Update the dependencies").waitFor();
    await until("it is done", async () => (await project.json("show", uuid(6))).status === "done");
    await page.locator(".figures").getByText("2/8").waitFor();
    await clean(page);
  });

  test("the menu opens by a key, and gives the focus back to the card", async () => {
    const { page } = await over(STORY);
    await card(page, "Fix the login").focus();
    await page.keyboard.press("m");
    await page.getByRole("menuitem", { name: "Start" }).waitFor();
    await page.keyboard.press("Escape");
    await focused(page, "Fix the login");
    await page.keyboard.press("m");
    await page.getByRole("menuitem", { name: "Open" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await inColumn(page, "In progress", "Fix the login").waitFor();
    await focused(page, "Fix the login");
    await clean(page);
  });

  test("search and filters narrow the board as one types", async () => {
    const { page } = await over(STORY);
    await card(page, "Fix the login").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("LOGIN");
    await until("two are left", async () => (await page.locator(".card").count()) === 2);
    await page.getByText("2 of 8").waitFor();
    await page.keyboard.press("Escape");
    await until("all are back", async () => (await page.locator(".card").count()) >= 7);
    await page.getByLabel("Filter by priority").selectOption("low");
    await until("low ones are left", async () => (await titles(page, "Pending")).join() === "Announce it,Update the dependencies");
    await page.getByLabel("Filter by waiting").selectOption("waiting");
    await until("one is left", async () => (await titles(page, "Pending")).join() === "Announce it");
    await page.getByRole("button", { name: "Clear" }).click();
    await until("all are back", async () => (await page.locator(".card").count()) >= 7);
    await page.getByRole("searchbox").fill("nothing like this");
    await column(page, "Pending").getByText("No match").waitFor();
    await clean(page);
  });

  test("what is added behind a filter is said, and can be shown", async () => {
    const { page } = await over(STORY);
    await card(page, "Fix the login").waitFor();
    await page.getByLabel("Search").fill("login");
    await page.getByLabel("Add a task").first().fill("  Something else  ");
    await page.keyboard.press("Enter");
    await page.getByText("which the filter hides").first().waitFor();
    await page.getByRole("button", { name: "Show it" }).click();
    await inColumn(page, "Pending", "Something else").waitFor();
    await page.getByLabel("Filter by status").selectOption("done");
    await column(page, "Pending").waitFor({ state: "hidden" });
    await page.locator("body").press("n");
    await until("it can be typed", () => page.evaluate(() => document.activeElement.matches(".add")));
    await clean(page);
  });

  test("a help dialog names the keys", async () => {
    const { page } = await over(STORY);
    await card(page, "Fix the login").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Pick it up").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await clean(page);
  });
});

describe("large boards", () => {
  test("five thousand tasks are shown, scrolled, filtered and carried", async () => {
    const tasks = Array.from({ length: 5000 }, (_, i) => ({
      title: `Task ${i + 1} about ${["login", "search", "billing", "export"][i % 4]}`,
      status: ["pending", "pending", "in-progress", "done"][i % 4],
      dependencies: i >= 100 && i % 10 === 0 ? [i - 9] : [],
    }));
    const { page, project } = await over(tasks);
    await page.getByText("1250/5000 completed").waitFor();
    assert.ok((await page.locator(".card").count()) < 300, "only what is near is there");
    await column(page, "Pending").locator(".scroller").evaluate((element) => (element.scrollTop = element.scrollHeight));
    await inColumn(page, "Pending", "Task 4998 about search").waitFor();
    await card(page, "Task 4998 about search").focus();
    await page.keyboard.press("Home");
    await focused(page, "Task 1 about login");
    await page.getByRole("searchbox").fill("task 3333");
    await until("one is left", async () => (await page.locator(".card").count()) === 1);
    await page.getByRole("searchbox").fill("");
    await page.keyboard.press("Escape");
    await card(page, "Task 1 about login").focus();
    for (const key of ["Space", "ArrowDown", "ArrowRight", "Space"]) await page.keyboard.press(key);
    await until("it is carried", async () => (await project.json("show", uuid(1))).status === "in-progress");
    await inColumn(page, "In progress", "Task 1 about login").waitFor();
    await page.locator(".tabs").getByText("Graph").click();
    await page.getByText(/240 of \d+ tasks are shown/).waitFor();
    await clean(page);
  });
});
