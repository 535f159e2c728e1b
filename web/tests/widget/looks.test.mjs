// Pictures of the widget in every width and theme.
import { test } from "node:test";
import { picture, Project, THEMES, WIDTHS } from "../harness.mjs";
import { box, carry, handle, hinder, hostSite, settled, show } from "../widget.mjs";

test("pictures, to be looked at", async () => {
  const project = new Project();
  project.write([
    { title: "Sketch the onboarding flow", status: "done" },
    { title: "Collect what people said about the beta", status: "done" },
    { title: "Fix the login redirect on Safari", status: "in-progress", active_form: "Fixing the login redirect on Safari", assignee: "claude-code" },
    { title: "Write the release notes" },
    { title: "Ship 1.0 to everybody", priority: "high", dependencies: [3, 4] },
    { title: "Answer the three oldest issues", status: "blocked" },
    { title: "تحديث الوثائق العربية 🎉" },
    { title: "Plan the offsite", status: "deferred", priority: "low" },
  ]);
  const site = await hostSite(await project.serve());
  for (const width of WIDTHS)
    for (const theme of THEMES) {
      const context = { theme, availableDisplayModes: ["inline", "fullscreen"] };
      const look = { width, height: 800, theme };
      const widget = await show(site, { page: look, context });
      await picture(widget.page, `widget-${width}-${theme}`);
      await handle(widget, "Ship 1.0 to everybody").focus();
      await carry(widget, "Write the release notes", "Answer the three oldest issues", 0.8);
      await picture(widget.page, `widget-${width}-${theme}-moving`);
      await widget.page.keyboard.press("Escape");
      await widget.page.mouse.up();
      await hinder(widget, { complete_todo: "refuse", add_todo: "refuse", list_todos: "error" });
      await box(widget, "Write the release notes").click();
      await widget.frame.getByLabel("New task").fill("Order cake for the launch party");
      await widget.frame.getByLabel("New task").press("Enter");
      await widget.frame.getByRole("button", { name: "Refresh the list" }).click();
      await widget.frame.getByText("Not refreshed: ").waitFor();
      await widget.frame.getByRole("button", { name: "Clear 2 done" }).click();
      await picture(widget.page, `widget-${width}-${theme}-trouble`);
      await widget.page.context().close();
    }
  const full = await show(site, { page: { width: 1200, height: 800 }, context: { theme: "light", availableDisplayModes: ["inline", "fullscreen"] } });
  await full.frame.getByRole("button", { name: "Show in full screen" }).click();
  await full.frame.getByRole("button", { name: "Show in the conversation" }).waitFor();
  await picture(full.page, "widget-fullscreen");
  const empty = await hostSite(await new Project().serve());
  const loading = await show(empty, { page: { width: 360, height: 400 }, result: "none", ready: false });
  await picture(loading.page, "widget-loading");
  await settled(loading);
  await picture(loading.page, "widget-empty");
});
