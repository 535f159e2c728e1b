// What an empty board says: how to begin.
import { brief, h } from "../shared/dom";
import { addForm } from "./add";
import { toast } from "./announce";
import { icon, mark } from "./icons";

const COMMANDS: [string, string][] = [
  ["Claude Code", "claude mcp add todori -- todori serve"],
  ["Codex", "codex mcp add todori -- todori serve"],
  ["Gemini CLI", "gemini mcp add todori todori serve"],
];

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast("Copied");
  } catch {
    toast("The browser did not allow copying", { bad: true });
  }
}

/** Gives back what somebody typed and could not be saved: to go on with it where that is possible, or else to copy. */
export function handBack(typed: string, why: string, again: () => boolean = () => false): void {
  const act = () => void (again() || copy(typed));
  const said = `Not saved: “${brief(typed, 80)}”. ${why}`;
  toast(said, { bad: true, stays: true, action: ["Get it back", act] });
}

export function welcome(added: (id: string) => void): { element: HTMLElement; focus(): void } {
  const { form, focus } = addForm(added);
  const rows = COMMANDS.map(([name, command]) =>
    h(
      "div.command",
      {},
      h("span", {}, name),
      h("code", {}, command),
      h("button.quiet", { "aria-label": `Copy the command for ${name}`, onclick: () => void copy(command) }, icon("copy")),
    ),
  );
  const element = h(
    "div.welcome",
    { hidden: true },
    mark(),
    h("h2", {}, "Nothing to do yet"),
    h("p", {}, "Add the first task here, or let an agent plan its work: what it adds appears on this page at once."),
    form,
    h("h3", {}, "Connect an agent"),
    ...rows,
    h("p.faint", {}, "Run it in the project’s folder. From a shell, ", h("code", {}, "todori add TITLE"), " does the same as the field above."),
  );
  return { element, focus };
}
