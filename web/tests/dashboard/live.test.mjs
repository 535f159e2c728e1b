// Browsers and agents on one board: everybody sees what the others do, and when a server is lost.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { card, clean, inColumn, live, over, STORY, visit, WIDTHS } from "../dashboard.mjs";
import { uuid } from "../harness.mjs";

describe("everybody sees the same", () => {
  test("two browsers and an agent change the board under each other", async () => {
    const { page: one, server, project } = await over(STORY);
    const two = await visit(server);
    await Promise.all([live(one), live(two)]);
    const agent = await project.agent({ name: "claude-code" });
    await agent.call("create_task", { title: "From the agent" });
    for (const page of [one, two]) await inColumn(page, "Pending", "From the agent").waitFor();
    await agent.call("update_task", { id: uuid(6), status: "in-progress" });
    for (const page of [one, two]) {
      await inColumn(page, "In progress", "Update the dependencies").getByText(/claude-code-\w+, for/).waitFor();
      await page.locator(".now").getByText("Update the dependencies").first().waitFor();
    }
    await card(one, "Fix the login").focus();
    await one.keyboard.press("]");
    await inColumn(two, "In progress", "Fix the login").waitFor();
    await project.run("done", uuid(3));
    for (const page of [one, two]) await inColumn(page, "Done", "Fix the login").waitFor();
    await Promise.all([clean(one), clean(two)]);
  });

  test("the list of a session shows live, and goes with it", async () => {
    const { page, project } = await over(STORY, { hash: "#/agents" });
    await live(page);
    const agent = await project.agent({ name: "claude-code", words: ["--toolsets", "tasks,todowrite"] });
    const item = (content, status) => ({ content, status, activeForm: `Doing: ${content}` });
    await agent.call("TodoWrite", { todos: [item("Read", "completed"), item("Write", "in_progress"), item("Rest", "pending")] });
    const box = page.locator(".agent", { hasText: "claude-code" });
    await box.locator(".doing-now").getByText("Doing: Write").waitFor();
    await box.getByText("1/3 completed").waitFor();
    await agent.call("TodoWrite", { todos: [item("Read", "completed"), item("Write", "completed"), item("Rest", "in_progress")] });
    await box.locator(".doing-now").getByText("Doing: Rest").waitFor();
    await agent.call("update_task", { id: uuid(6), status: "in-progress" });
    await box.getByRole("button", { name: "Update the dependencies" }).waitFor();
    await page.locator(".feed").getByText("Update the dependencies").first().waitFor();
    await agent.end();
    await box.getByText("gone", { exact: true }).waitFor();
    assert.equal(await box.locator(".own-list").isVisible(), false, "what it left is only the task");
    await clean(page);
  });

  test("eight windows of one browser do not block each other", async () => {
    const { page, server, project } = await over(STORY);
    await live(page);
    const others = [];
    for (let i = 0; i < 7; i += 1) {
      const other = await page.context().newPage();
      await other.goto(`${server.url}/`);
      others.push(other);
    }
    for (const other of others) await live(other);
    await project.run("add", "For everybody");
    for (const other of [page, ...others]) await card(other, "For everybody").waitFor();
    // Whoever held the stream is gone; somebody else takes over.
    await page.close();
    for (const other of others) await live(other);
    await project.run("add", "For the others");
    for (const other of others) await card(other, "For the others").waitFor();
  });

  test("a long title stays inside the card of its agent", async () => {
    const { page, project } = await over([], { hash: "#/agents" });
    const agent = await project.agent({ name: "coder" });
    const { structuredContent: made } = await agent.call("create_task", { title: "w".repeat(200) });
    await agent.call("update_task", { id: made.id, status: "in-progress" });
    await page.locator(".agent .links .faint").waitFor();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const card = await page.locator(".agent").boundingBox();
      for (const part of [".alive", ".doing-now .faint", ".links .faint"]) {
        const box = await page.locator(`.agent ${part}`).first().boundingBox();
        assert.ok(box.width > 10 && box.x + box.width <= card.x + card.width, `${part} at ${width}`);
      }
    }
    await clean(page);
  });

  test("a lost server is said, and found again", async () => {
    const { page, server, project } = await over(STORY);
    await live(page);
    await server.end();
    await page.locator(".banner").getByText("can’t be reached").waitFor();
    await card(page, "Fix the login").focus();
    await page.keyboard.press("]");
    await card(page, "Fix the login").getByText("did not answer").waitFor();
    await inColumn(page, "Pending", "Fix the login").waitFor();
    await project.run("add", "While it was away");
    await project.serve({ port: server.port });
    await inColumn(page, "Pending", "While it was away").waitFor();
    await page.locator(".banner").waitFor({ state: "hidden" });
    await live(page);
    await clean(page, ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE"]);
  });

  test("a broken file is said, and the page recovers when it is mended", async () => {
    const { page, project } = await over(STORY);
    await live(page);
    writeFileSync(join(project.path, ".todori/tasks.yaml"), "version: 1\ntasks:\n  - [");
    await page.getByText("The board’s file can’t be read").waitFor();
    project.write(STORY);
    await card(page, "Fix the login").waitFor();
    await clean(page, ["503"]);
  });
});
