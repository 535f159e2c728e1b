// The subtasks of the task that is open: tick, rename, delete, add.
import { brief, h, keyed, set, setText } from "../shared/dom";
import { takeBack } from "./actions";
import { toast } from "./announce";
import { attempt, call } from "./server";
import { editable, type Editable } from "./field";
import { icon } from "./icons";
import type { Details, Subtask } from "./types";
import { handBack } from "./welcome";

/** So many are made at once; the others follow, a few a frame. */
const AT_ONCE = 60;

type Section = { element: HTMLElement; show(task: Details): void; leave(gone?: string): void };

/** `reload` reads a task anew and shows it. */
export function subtasksSection(reload: (task: string) => Promise<void>): Section {
  let task: Details | null = null;
  let ticking = new Map<string, boolean>();
  const fields = new Map<string, Editable>();
  // What was begun for a task waits there.
  const begun = new Map<string, string>();
  let room = AT_ONCE;
  const figures = h("span.count");
  const list = h("ul.subtasks");
  const why = h("p.why", { role: "alert", hidden: true });
  const refuse = (text: string | null) => {
    why.hidden = !text;
    setText(why, text ?? "");
  };
  const input = h("input", {
    type: "text",
    placeholder: "Add a subtask",
    "aria-label": "Add a subtask",
    autocomplete: "off",
    dir: "auto",
  });
  const form = h(
    "form",
    {
      class: "add-subtask",
      onsubmit: async (event: Event) => {
        event.preventDefault();
        const title = input.value.trim();
        if (!task || !title) return;
        refuse(null);
        input.value = "";
        const parentId = task.id;
        const result = await attempt(() => call("add_subtask", { parentId, title }));
        if (result.ok) return;
        if (task?.id !== parentId) return handBack(title, result.why);
        if (!input.value) input.value = title;
        refuse(result.why);
      },
    },
    h("span.field", {}, icon("plus"), input),
  );

  async function tick(subtask: Subtask, box: HTMLInputElement): Promise<void> {
    const ticked = box.checked;
    const status = ticked ? "done" : "pending";
    ticking.set(subtask.id, ticked);
    refuse(null);
    const result = await attempt(() => call("update_subtask", { subtaskId: subtask.id, status }));
    // Until it was read again the task here is the old one, and would take the tick away for a moment.
    if (result.ok && task) await reload(task.id);
    if (ticking.get(subtask.id) === ticked) ticking.delete(subtask.id);
    if (result.ok) return;
    box.checked = subtask.status === "done";
    refuse(result.why);
  }

  async function remove(subtask: Subtask): Promise<void> {
    const parent = task?.id;
    refuse(null);
    const result = await attempt(() => call("delete_subtask", { subtaskId: subtask.id }));
    if (!result.ok) return refuse(result.why);
    input.focus();
    toast(`Deleted “${brief(subtask.title, 60)}”`, { action: ["Undo", () => void takeBack(parent)] });
  }

  function create(subtask: Subtask): HTMLElement {
    const { id } = subtask;
    const now = () => task?.subtasks.find((other) => other.id === id) ?? subtask;
    const field = editable({
      label: `Subtask ${subtask.number}`,
      kind: "line",
      save: async (title) => {
        const result = await attempt(() => call("update_subtask", { subtaskId: id, title }));
        return result.ok ? null : result.why;
      },
      unsaved: (typed, why) => handBack(typed, why),
    });
    const box = h("input", { type: "checkbox", onchange: () => void tick(now(), box) });
    const row = h(
      "li",
      {},
      box,
      field.element,
      h("button.quiet", { "aria-label": "Delete this subtask", onclick: () => void remove(now()) }, icon("close")),
    );
    fields.set(id, field);
    return row;
  }

  function leave(gone?: string): void {
    for (const field of fields.values()) field.leave(gone);
    if (!task) return;
    if (input.value.trim() && gone) handBack(input.value, gone);
    else if (input.value.trim()) begun.set(task.id, input.value);
    input.value = "";
  }

  function show(details: Details): void {
    if (task?.id !== details.id) {
      ticking = new Map();
      room = AT_ONCE;
      input.value = begun.get(details.id) ?? "";
      begun.delete(details.id);
      refuse(null);
    }
    task = details;
    const done = details.subtasks.filter((subtask) => subtask.status === "done").length;
    setText(figures, details.subtasks.length ? `${done}/${details.subtasks.length}` : "");
    const here = new Set(details.subtasks.map((subtask) => subtask.id));
    for (const [id, field] of fields) {
      if (here.has(id)) continue;
      field.leave("The subtask is gone.");
      fields.delete(id);
    }
    keyed(list, details.subtasks.slice(0, room), (subtask) => subtask.id, create, (row, subtask) => {
      const box = row.firstElementChild as HTMLInputElement;
      box.checked = ticking.get(subtask.id) ?? subtask.status === "done";
      set(box, "aria-label", subtask.title);
      set(row, "data-status", subtask.status);
      fields.get(subtask.id)?.show(subtask.title);
    });
    if (room >= details.subtasks.length) return;
    requestAnimationFrame(() => {
      if (task !== details) return;
      room += AT_ONCE;
      show(details);
    });
  }

  return { element: h("section.part", {}, h("h3", {}, "Subtasks ", figures), list, form, why), show, leave };
}
