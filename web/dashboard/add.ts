// The field that adds a task.
import { h, on } from "../shared/dom";
import { add } from "./actions";
import { icon } from "./icons";

let number = 0;

/** A form of one field; `added` hears the id of what was added. */
export function addForm(added: (id: string) => void): { form: HTMLFormElement; focus(): void } {
  const why = h("p.why", { id: `add-why-${++number}`, role: "alert", hidden: true });
  const input = h("input", {
    type: "text",
    class: "add",
    placeholder: "Add a task",
    "aria-label": "Add a task",
    "aria-describedby": why.id,
    autocomplete: "off",
    dir: "auto",
    enterkeyhint: "done",
  });
  const refuse = (text: string) => {
    why.textContent = text;
    why.hidden = !text;
    if (text) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  };
  const form = h(
    "form",
    {
      class: "adding",
      onsubmit: async (event: Event) => {
        event.preventDefault();
        const title = input.value.trim();
        if (!title) return input.focus();
        refuse("");
        input.value = "";
        const result = await add(title);
        if (result.ok) return added(result.value);
        // What was typed is given back, unless something else has been typed since.
        if (!input.value) input.value = title;
        refuse(result.why);
        input.focus();
      },
    },
    h("span.field", {}, icon("plus"), input, h("kbd", { "aria-hidden": "true" }, "n")),
    why,
  );
  on(input, "input", () => refuse(""));
  on(input, "keydown", (event) => {
    if (event.key !== "Escape") return;
    input.value = "";
    refuse("");
    input.blur();
  });
  return { form, focus: () => input.focus() };
}
