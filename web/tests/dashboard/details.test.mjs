// The sheet with everything about one task.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { card, clean, focused, live, over, sheet, STORY } from "../dashboard.mjs";
import { until, uuid } from "../harness.mjs";

describe("a task's details", () => {
  test("are edited where they stand", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Fix the login").click();
    const title = sheet(page).getByLabel("Title");
    await title.fill("Fix the login for good");
    await title.press("Enter");
    await card(page, "Fix the login for good").waitFor();
    const description = sheet(page).getByLabel("Description");
    await description.fill("One line.\n\nAnother <b>line</b>.");
    await description.blur();
    await sheet(page).getByLabel("Priority", { exact: true }).selectOption("low");
    await sheet(page).getByLabel("Status", { exact: true }).selectOption("deferred");
    await until("all is kept", async () => {
      const task = await project.json("show", uuid(3));
      return task.title === "Fix the login for good" && task.description === "One line.\n\nAnother <b>line</b>."
        && task.priority === "low" && task.status === "deferred";
    });
    await sheet(page).locator(".history li").first().waitFor();
    await page.keyboard.press("Escape");
    await sheet(page).waitFor({ state: "hidden" });
    await clean(page);
  });

  test("a refused title comes with the reason, and the old one is back", async () => {
    const { page } = await over(STORY);
    await card(page, "Fix the login").click();
    const title = sheet(page).getByLabel("Title");
    await title.fill("x".repeat(201));
    await title.press("Enter");
    await sheet(page).locator(".why").getByText("200 characters").waitFor();
    assert.equal(await title.inputValue(), "Fix the login");
    await sheet(page).getByRole("button", { name: "Edit what I typed" }).click();
    assert.equal(await title.inputValue(), "x".repeat(201));
    await title.press("Escape");
    assert.equal(await title.inputValue(), "Fix the login");
    await clean(page);
  });

  test("what somebody else changes meanwhile is shown, and what is being typed stays", async () => {
    const { page, project } = await over(STORY);
    await live(page);
    await card(page, "Fix the login").click();
    const title = sheet(page).getByLabel("Title");
    await title.fill("My own words");
    await project.run("edit", uuid(3), "--title", "Their words");
    await sheet(page).getByText("Their words").waitFor();
    assert.equal(await title.inputValue(), "My own words");
    await title.blur();
    await sheet(page).getByRole("button", { name: "Keep mine" }).click();
    await until("mine is kept", async () => (await project.json("show", uuid(3))).title === "My own words");
    await title.fill("More of mine");
    await project.run("edit", uuid(3), "--title", "Theirs again");
    await sheet(page).getByRole("button", { name: "Take theirs" }).click();
    assert.equal(await title.inputValue(), "Theirs again");
    await clean(page);
  });

  test("subtasks are added, ticked, renamed and deleted", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Fix the login").click();
    const add = sheet(page).getByLabel("Add a subtask");
    for (const subtask of ["First", "Second"]) {
      await add.fill(subtask);
      await add.press("Enter");
      await sheet(page).getByRole("checkbox", { name: subtask }).waitFor();
    }
    await sheet(page).getByRole("checkbox", { name: "First" }).check();
    await card(page, "Fix the login").getByText("1/2").waitFor();
    const second = sheet(page).getByLabel("Subtask 2");
    await second.fill("The second");
    await second.press("Enter");
    await sheet(page).getByRole("checkbox", { name: "The second" }).waitFor();
    await sheet(page).getByRole("button", { name: "Delete this subtask" }).first().click();
    await card(page, "Fix the login").getByText("0/1").waitFor();
    const { subtasks } = await project.json("show", uuid(3));
    assert.deepEqual(subtasks.map(({ title, status }) => ({ title, status })), [{ title: "The second", status: "pending" }]);
    await page.getByRole("button", { name: "Undo" }).click();
    await until("it is back", async () => (await project.json("show", uuid(3))).subtasks.length === 2);
    await clean(page);
  });

  test("a ticked subtask stays ticked while the task is read again", async () => {
    const { page, project } = await over(STORY);
    await project.run("sub", "add", uuid(3), "First");
    await card(page, "Fix the login").click();
    const box = sheet(page).getByRole("checkbox", { name: "First" });
    await box.waitFor();
    // What the sheet asks from here on is answered only when the test says so.
    let held = 0;
    let release;
    const released = new Promise((resolve) => (release = resolve));
    await page.route("**/api/tasks/**", async (route) => {
      held += 1;
      await released;
      await route.continue();
    });
    await box.check();
    await card(page, "Fix the login").getByText("1/1").waitFor();
    await until("the sheet asks", () => held > 0);
    // Anything that draws the sheet again.
    await project.run("edit", uuid(3), "--priority", "low");
    await until("the priority is drawn", async () => (await sheet(page).getByLabel("Priority").inputValue()) === "low");
    assert.equal(await box.isChecked(), true);
    release();
    await sheet(page).getByText("1/1").waitFor();
    assert.equal(await box.isChecked(), true);
    await clean(page);
  });

  test("dependencies are found by their titles, and a cycle is refused in words", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Update the dependencies").click();
    const find = sheet(page).getByLabel("Add what it waits for");
    await find.fill("release");
    await page.getByRole("option", { name: "Release 1.4" }).waitFor();
    await find.press("Enter");
    await sheet(page).getByRole("button", { name: "Release 1.4" }).waitFor();
    await until("it waits", async () => JSON.stringify(await project.json("show", uuid(6))).includes(uuid(4)));
    await sheet(page).getByRole("button", { name: "Release 1.4" }).click();
    await until("the other one is open", async () => (await sheet(page).getByLabel("Title").inputValue()) === "Release 1.4");
    await find.fill("update");
    await page.getByRole("option", { name: "Update the dependencies" }).click();
    const why = sheet(page).locator(".why", { hasText: "cycle" });
    await why.waitFor();
    assert.match(await why.innerText(), /“Release 1\.4” waits for “Update the dependencies” waits for “Release 1\.4”|“Update the dependencies” waits for “Release 1\.4” waits for “Update the dependencies”/);
    await sheet(page).getByRole("button", { name: "Don’t wait for this" }).click();
    await until("it no longer waits", async () => !(JSON.stringify(await project.json("show", uuid(4))).includes(uuid(3))));
    await clean(page);
  });

  test("closing them saves what was typed, and gives the focus back to the card; Escape closes them too", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Fix the login").focus();
    await page.keyboard.press("Enter");
    const description = sheet(page).getByLabel("Description");
    await description.fill("Not lost");
    await sheet(page).getByRole("button", { name: "Close" }).click();
    await sheet(page).waitFor({ state: "hidden" });
    await until("it is kept", async () => (await project.json("show", uuid(3))).description === "Not lost");
    await focused(page, "Fix the login");
    await page.keyboard.press("Enter");
    await sheet(page).getByLabel("Title").focus();
    await page.keyboard.press("Escape");
    await sheet(page).waitFor({ state: "hidden" });
    await focused(page, "Fix the login");
    await clean(page);
  });

  test("what was typed is given back when it can’t be saved and its field is gone", async () => {
    const { page, project } = await over(STORY);
    await live(page);
    await card(page, "Fix the login").click();
    const title = sheet(page).getByLabel("Title");
    const note = page.locator(".toast.stays");
    // Refused after somebody went on to another task; not one below it, which the long title moves from under the mouse.
    await title.fill("x".repeat(201));
    await card(page, "Write a test that shows it").click();
    await note.getByText("200 characters").waitFor();
    await note.getByRole("button", { name: "Get it back" }).click();
    await until("it is back", async () => (await title.inputValue()) === "x".repeat(201));
    await title.press("Escape");
    // Disputed.
    await title.fill("My own words");
    await project.run("edit", uuid(3), "--title", "Their words");
    await sheet(page).getByText("Their words").waitFor();
    await card(page, "Release 1.4").click();
    await note.getByText("My own words").waitFor();
    await note.getByRole("button", { name: "Get it back" }).click();
    await until("it is back", async () => (await title.inputValue()) === "My own words");
    await title.press("Escape");
    // Deleted under the hands of who types.
    await sheet(page).getByLabel("Description").fill("A long story");
    await project.run("rm", uuid(3));
    await note.getByText("A long story").waitFor();
    await clean(page, ["404"]);
  });

  test("say when the task is gone", async () => {
    const { page, project } = await over(STORY);
    await live(page);
    await card(page, "Fix the login").click();
    await sheet(page).getByLabel("Title").waitFor();
    await project.run("rm", uuid(3));
    await sheet(page).getByText("This task was deleted").waitFor();
    await page.goto(`${page.url().split("#")[0]}#/board/ffffffff`);
    await sheet(page).getByText("There is no such task").waitFor();
    await clean(page, ["404"]);
  });
});
