// Cards that are carried on the dashboard, by mouse, finger and keys, and what is taken back.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { card, clean, column, dragTo, focused, inColumn, over, sheet, STORY, titles, visit } from "../dashboard.mjs";
import { until, uuid } from "../harness.mjs";

describe("a card is carried", () => {
  test("a card is dragged to another column", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Update the dependencies").waitFor();
    const target = await card(page, "Keys for the staging environment").boundingBox();
    await dragTo(page, card(page, "Update the dependencies"), target.x + 50, target.y + target.height + 60);
    await page.locator(".marker").waitFor();
    await page.mouse.up();
    await inColumn(page, "Blocked", "Update the dependencies").waitFor();
    await until("it is blocked", async () => (await project.json("show", uuid(6))).status === "blocked");
    assert.equal(await sheet(page).isVisible(), false, "a drag is no click");
    await clean(page);
  });

  test("a card is dragged up within its column", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Update the dependencies").waitFor();
    const first = await card(page, "Fix the login").boundingBox();
    await dragTo(page, card(page, "Update the dependencies"), first.x + 50, first.y + 3);
    await page.mouse.up();
    const order = ["Update the dependencies", "Fix the login", "Release 1.4", "Announce it"];
    await until("it is first", async () => (await titles(page, "Pending")).join() === order.join());
    await until("the order is kept", async () => {
      const tasks = await project.json("list", "--all");
      const rows = tasks.tasks ?? tasks;
      return rows.filter((task) => task.status === "pending").map((task) => task.title).join() === order.join();
    });
    await clean(page);
  });

  test("a card is dragged by a finger that stays on it for a moment", async () => {
    const { page, project } = await over(STORY, { hasTouch: true });
    await card(page, "Update the dependencies").waitFor();
    const from = await card(page, "Update the dependencies").boundingBox();
    const to = await column(page, "Blocked").boundingBox();
    const touch = await page.context().newCDPSession(page);
    const send = (type, x, y) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: x === undefined ? [] : [{ x, y }] });
    await send("touchStart", from.x + 40, from.y + 12);
    await page.locator(".ghost").waitFor();
    await send("touchMove", from.x + 100, from.y + 20);
    await send("touchMove", to.x + 60, to.y + 300);
    await page.locator('.column.over[data-status="blocked"]').waitFor();
    await send("touchEnd");
    await until("it is blocked", async () => (await project.json("show", uuid(6))).status === "blocked");
    assert.equal(await sheet(page).isVisible(), false);
    await clean(page);
  });

  test("Escape ends a drag without a change", async () => {
    const { page } = await over(STORY);
    await card(page, "Update the dependencies").waitFor();
    const target = await column(page, "Done").boundingBox();
    await dragTo(page, card(page, "Update the dependencies"), target.x + 50, target.y + 200);
    await page.keyboard.press("Escape");
    await page.mouse.up();
    assert.equal(await page.locator(".ghost").count(), 0);
    await inColumn(page, "Pending", "Update the dependencies").waitFor();
    await clean(page);
  });

  test("a card is carried by keys: picked up, moved, put down, taken back", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Fix the login").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowUp");
    await until("it is shown there", async () => (await titles(page, "Pending"))[0] === "Release 1.4");
    await page.keyboard.press("Escape");
    await until("it is back", async () => (await titles(page, "Pending"))[0] === "Fix the login");
    await focused(page, "Release 1.4");
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Space");
    await until("it is blocked", async () => (await project.json("show", uuid(4))).status === "blocked");
    await inColumn(page, "Blocked", "Release 1.4").waitFor();
    await focused(page, "Release 1.4");
    await page.keyboard.press("]");
    await until("it is done", async () => (await project.json("show", uuid(4))).status === "done");
    await clean(page);
  });

  test("a card is moved within its column by Shift and arrows", async () => {
    const { page } = await over(STORY);
    await card(page, "Fix the login").focus();
    await page.keyboard.press("Shift+ArrowDown");
    await until("it went down", async () => (await titles(page, "Pending")).slice(0, 2).join() === "Release 1.4,Fix the login");
    await clean(page);
  });

  test("what is carried by keys is put back when somebody looks elsewhere", async () => {
    const { page } = await over(STORY);
    for (const leave of [() => page.keyboard.press("2"), () => page.getByLabel("Search").click()]) {
      await card(page, "Update the dependencies").focus();
      await page.keyboard.press("Space");
      await page.keyboard.press("ArrowRight");
      await inColumn(page, "In progress", "Update the dependencies").waitFor();
      await leave();
      await page.locator(".unseen").getByText("Update the dependencies was put back").waitFor();
      await page.getByRole("link", { name: "Board" }).click();
      await inColumn(page, "Pending", "Update the dependencies").waitFor();
    }
    await clean(page);
  });
});

describe("what was done is taken back", () => {
  test("what is deleted comes back with Undo, and with what waited for it", async () => {
    const { page, project } = await over(STORY);
    await card(page, "Fix the login").focus();
    await page.keyboard.press("Delete");
    await until("it is gone", async () => (await card(page, "Fix the login").count()) === 0);
    await page.getByRole("button", { name: "Undo" }).click();
    await card(page, "Fix the login").waitFor();
    await card(page, "Release 1.4").getByText("waits for 1").waitFor();
    assert.equal((await project.json("show", uuid(3))).title, "Fix the login");
    await clean(page);
  });

  test("Undo is offered only as long as it means what it says", async () => {
    const { page } = await over(STORY);
    await card(page, "Fix the login").focus();
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await card(page, "Release 1.4").focus();
    await page.keyboard.press("]");
    await inColumn(page, "In progress", "Release 1.4").waitFor();
    assert.equal(await page.getByRole("button", { name: "Undo" }).count(), 0);
    await clean(page);
  });

  test("a refused undo says why", async () => {
    const { page } = await over(STORY);
    await card(page, "Fix the login").waitFor();
    await page.keyboard.press("Control+z");
    await page.locator(".toast.bad").getByText("changed from a browser").waitFor();
    await clean(page, ["409"]);
  });

  test("Undo takes back what it names, whatever others did meanwhile", async () => {
    const { page, server, project } = await over(STORY);
    const other = await visit(server);
    await card(page, "Fix the login").focus();
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await card(other, "Announce it").focus();
    await other.keyboard.press("]");
    await inColumn(other, "In progress", "Announce it").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator(".toast").getByText("Taken back: “Fix the login”").waitFor();
    await card(page, "Fix the login").waitFor();
    assert.equal((await project.json("show", uuid(5))).status, "in-progress");
    await clean(page);
  });
});
