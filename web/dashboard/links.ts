// What the open task waits for, and what it holds up. Others are found by their titles.
import { clip, h, keyed, on, set, setText } from "../shared/dom";
import { edit } from "./actions";
import { icon } from "./icons";
import { matches, model, NO_FILTER, words } from "./model";
import { open } from "./route";
import { isOpen, STATUS_WORDS, type Details, type Task } from "./types";

const MOST = 8;

export function linksSection(): { element: HTMLElement; show(task: Details): void } {
  let task: Details | null = null;
  let found: Task[] = [];
  let chosen = 0;
  const waits = h("ul.links");
  const holds = h("ul.links");
  const holdsHead = h("h3", {}, "Holds up");
  const why = h("p.why", { role: "alert", hidden: true });
  const options = h("ul.options", { role: "listbox", id: "dependency-options", "aria-label": "Tasks", hidden: true });
  const input = h("input", {
    type: "text",
    role: "combobox",
    placeholder: "Add what it waits for",
    "aria-label": "Add what it waits for",
    "aria-expanded": "false",
    "aria-controls": "dependency-options",
    "aria-autocomplete": "list",
    autocomplete: "off",
    dir: "auto",
  });
  const refuse = (text: string | null) => {
    why.hidden = !text;
    setText(why, text ?? "");
  };

  async function replace(dependencies: string[]): Promise<void> {
    if (!task) return;
    refuse(null);
    refuse(await edit(task.id, { dependencies: dependencies }, { dependencies }));
  }

  function suggest(): void {
    const wanted = words(input.value);
    const taken = new Set([task?.id, ...(task?.dependencies ?? [])]);
    found = [];
    if (wanted.length) {
      for (const other of model.tasks) {
        if (taken.has(other.id) || other.id.startsWith("new-") || !matches(other, NO_FILTER, wanted)) continue;
        if (isOpen(other)) found.push(other);
        if (found.length === MOST) break;
      }
    }
    chosen = 0;
    drawOptions();
  }

  function drawOptions(): void {
    options.hidden = !wantedHere() || (!found.length && !input.value.trim());
    set(input, "aria-expanded", String(!options.hidden));
    set(input, "aria-activedescendant", found.length && !options.hidden ? `dependency-${chosen}` : null);
    options.replaceChildren(
      ...found.map((other, i) =>
        h(
          "li",
          { role: "option", id: `dependency-${i}`, "aria-selected": String(i === chosen), "data-status": other.status, "data-id": other.id },
          h("span.dot"),
          h("span.what.cut", { dir: "auto" }, clip(other.title, 200)),
        ),
      ),
    );
    if (!found.length) options.append(h("li.faint", {}, "No open task with these words"));
  }

  const wantedHere = () => document.activeElement === input && input.value.trim() !== "";

  function choose(other: Task | undefined): void {
    if (!other || !task) return;
    input.value = "";
    suggest();
    void replace([...(task.dependencies ?? []), other.id]);
  }

  on(input, "input", () => {
    refuse(null);
    suggest();
  });
  on(input, "blur", drawOptions);
  on(input, "keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length) {
      event.preventDefault();
      chosen = (chosen + step + found.length) % found.length;
      drawOptions();
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(found[chosen]);
    } else if (event.key === "Escape" && input.value) {
      event.stopPropagation();
      input.value = "";
      suggest();
    }
  });
  // Before the field loses the focus, and with it the list.
  on(options, "pointerdown", (event) => {
    event.preventDefault();
    const id = (event.target as HTMLElement).closest<HTMLElement>("[data-id]")?.dataset["id"];
    choose(found.find((other) => other.id === id));
  });

  const row = (id: string) =>
    h(
      "li",
      {},
      h("span.dot"),
      h("button.what.cut", { dir: "auto", onclick: () => open(id) }),
      h("span.faint"),
    );

  function fill(element: HTMLElement, id: string): void {
    const other = model.byId.get(id);
    set(element, "data-status", other?.status ?? "pending");
    element.classList.toggle("over", other !== undefined && !isOpen(other));
    setText(element.children[1]!, other ? clip(other.title, 300) : id);
    setText(element.children[2]!, other ? STATUS_WORDS[other.status] : "");
  }

  return {
    element: h(
      "section.part",
      {},
      h("h3", {}, "Waits for"),
      waits,
      h("div.find", {}, h("span.field", {}, icon("plus"), input), options),
      why,
      holdsHead,
      holds,
    ),
    show(details) {
      if (task?.id !== details.id) {
        input.value = "";
        options.hidden = true;
        refuse(null);
      }
      task = details;
      const removable = (id: string) => {
        const made = row(id);
        const take = () => void replace((task?.dependencies ?? []).filter((other) => other !== id));
        made.append(h("button.quiet", { "aria-label": "Don’t wait for this", onclick: take }, icon("close")));
        return made;
      };
      keyed(waits, details.dependencies ?? [], (id) => id, removable, fill);
      const held = details.holdsUp ?? [];
      holdsHead.hidden = held.length === 0;
      keyed(holds, held.slice(0, 50), (id) => id, row, fill);
    },
  };
}
