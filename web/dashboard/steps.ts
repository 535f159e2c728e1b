// The subtasks of the task that is open: tick, rename, delete, add.
import { h, keyed, set, setText } from "../shared/dom";
import { attempt, call } from "./server";
import { editable, type Editable } from "./field";
import { icon } from "./icons";
import type { Details, Subtask } from "./types";

export function stepsSection(): { element: HTMLElement; show(task: Details): void } {
  let task: Details | null = null;
  let ticking = new Map<string, boolean>();
  const fields = new WeakMap<Element, Editable>();
  const figures = h("span.count");
  const list = h("ul.steps");
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
      class: "add-step",
      onsubmit: async (event: Event) => {
        event.preventDefault();
        const title = input.value;
        if (!task || !title.trim()) return;
        refuse(null);
        input.value = "";
        const parentId = task.id;
        const result = await attempt(() => call("add_subtask", { parentId, title }));
        if (result.ok) return;
        if (!input.value) input.value = title;
        refuse(result.why);
      },
    },
    h("span.field", {}, icon("plus"), input),
  );

  async function tick(step: Subtask, box: HTMLInputElement): Promise<void> {
    const status = box.checked ? "done" : "pending";
    ticking.set(step.id, box.checked);
    refuse(null);
    const result = await attempt(() => call("update_subtask", { subtaskId: step.id, status }));
    ticking.delete(step.id);
    if (result.ok) return;
    box.checked = step.status === "done";
    refuse(result.why);
  }

  async function remove(step: Subtask): Promise<void> {
    refuse(null);
    const result = await attempt(() => call("delete_subtask", { subtaskId: step.id }));
    if (!result.ok) return refuse(result.why);
    input.focus();
  }

  function create(step: Subtask): HTMLElement {
    const { id } = step;
    const now = () => task?.subtasks.find((other) => other.id === id) ?? step;
    const field = editable({
      label: `Subtask ${step.number}`,
      kind: "line",
      save: async (title) => {
        const result = await attempt(() => call("update_subtask", { subtaskId: id, title }));
        return result.ok ? null : result.why;
      },
    });
    const box = h("input", { type: "checkbox", onchange: () => void tick(now(), box) });
    const row = h(
      "li",
      {},
      box,
      field.element,
      h("button.quiet", { "aria-label": "Delete this subtask", onclick: () => void remove(now()) }, icon("close")),
    );
    fields.set(row, field);
    return row;
  }

  return {
    element: h("section.part", {}, h("h3", {}, "Subtasks ", figures), list, form, why),
    show(details) {
      if (task?.id !== details.id) {
        ticking = new Map();
        input.value = "";
        refuse(null);
      }
      task = details;
      const done = details.subtasks.filter((step) => step.status === "done").length;
      setText(figures, details.subtasks.length ? `${done}/${details.subtasks.length}` : "");
      keyed(list, details.subtasks, (step) => step.id, create, (row, step) => {
        const box = row.firstElementChild as HTMLInputElement;
        box.checked = ticking.get(step.id) ?? step.status === "done";
        set(box, "aria-label", step.title);
        set(row, "data-status", step.status);
        fields.get(row)?.show(step.title);
      });
    },
  };
}
