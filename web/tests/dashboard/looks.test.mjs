// Pictures of the dashboard in every view, width and theme, to be looked at.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { card, clean, live, sheet, STORY, visit, WIDTHS } from "../dashboard.mjs";
import { picture, Project, THEMES, uuid } from "../harness.mjs";

describe("looks", () => {
  for (const width of WIDTHS) {
    for (const theme of THEMES) {
      test(`pictures at ${width} in ${theme}`, async () => {
        const project = new Project();
        project.write(STORY);
        const agent = await project.agent({ name: "claude-code", words: ["--toolsets", "tasks,todowrite"] });
        const item = (content, status) => ({ content, status, activeForm: `Now: ${content}` });
        await agent.call("TodoWrite", { todos: [item("Read the report", "completed"), item("Write the test", "in_progress"), item("Run all tests", "pending")] });
        await agent.call("update_task", { id: uuid(6), status: "in-progress" });
        const server = await project.serve();
        const page = await visit(server, { width, theme, height: width < 500 ? 740 : 1000 });
        await card(page, "Fix the login").waitFor();
        await live(page);
        await picture(page, `dashboard-board-${width}-${theme}`);
        for (const view of ["graph", "progress", "agents"]) {
          await page.goto(`${server.url}/#/${view}`);
          await page.locator({ graph: ".node", progress: ".line", agents: ".feed li" }[view]).first().waitFor();
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, "nothing sticks out");
          await picture(page, `dashboard-${view}-${width}-${theme}`);
        }
        await page.goto(`${server.url}/#/board/${uuid(3)}`);
        await sheet(page).locator(".times dd").first().waitFor();
        await picture(page, `dashboard-details-${width}-${theme}`);
        await clean(page);
      });
    }
  }
});
