// A text that can be edited where it stands. What is being typed is never overwritten: a change by somebody else is
// shown beside it, and the person decides.
import { brief, h, on, set, setText } from "../shared/dom";

export interface Editable {
  element: HTMLElement;
  input: HTMLTextAreaElement | HTMLInputElement;
  /** What the server says now. */
  show(value: string): void;
  /** Puts in what was typed before, to go on with it. */
  resume(typed: string): void;
  /** Saves what was typed; what is disputed, or is about something that is gone, is handed over instead. */
  leave(gone?: string): void;
}

let number = 0;

/** `save` gives the reason if it is refused. */
export function editable(options: {
  label: string;
  kind: "line" | "lines";
  placeholder?: string;
  save: (value: string) => Promise<string | null>;
  /** Hears what was typed and could not be saved when the field can't be seen any more, and why. */
  unsaved: (typed: string, why: string) => void;
}): Editable {
  const id = `field-${++number}`;
  const lines = options.kind === "lines";
  const input = h("textarea", {
    id,
    class: options.kind,
    rows: lines ? 3 : 1,
    placeholder: options.placeholder,
    "aria-label": options.label,
    "aria-describedby": `${id}-why ${id}-theirs`,
    dir: "auto",
    spellcheck: lines ? "true" : "false",
  });
  const why = h("p.why", { id: `${id}-why`, role: "alert", hidden: true });
  const said = h("span", { dir: "auto" });
  const theirs = h(
    "div.theirs",
    { id: `${id}-theirs`, role: "status", hidden: true },
    h("b", {}, "Changed by somebody else meanwhile: "),
    said,
    h(
      "div",
      {},
      h("button.link", { onclick: () => take() }, "Take theirs"),
      h("button.link", { onclick: () => void save(true) }, "Keep mine"),
    ),
  );
  // What the server said when the typing began, what it says now, and what is on its way.
  let base = "";
  let latest = "";
  let saving: string | null = null;
  let rejected: [typed: string, why: string] | null = null;

  const put = (value: string) => {
    if (input.value !== value) input.value = value;
    base = value;
    settle();
  };
  const settle = () => {
    const disputed = input.value !== base && latest !== base && input.value !== latest;
    theirs.hidden = !disputed;
    if (disputed) setText(said, brief(latest, 300) || "(empty)");
  };
  const take = () => {
    put(latest);
    input.focus();
  };
  const refuse = (text: string | null, typed?: string) => {
    why.replaceChildren();
    why.hidden = !text;
    set(input, "aria-invalid", text ? "true" : null);
    rejected = null;
    if (!text) return;
    setText(why, text);
    if (typed === undefined) return;
    rejected = [typed, text];
    const again = () => {
      input.value = typed;
      refuse(null);
      input.focus();
    };
    why.append(" ", h("button.link", { onclick: again }, "Edit what I typed"));
  };

  async function save(anyway: boolean): Promise<void> {
    // A title is one line, however it got here.
    const value = lines ? input.value : input.value.replace(/\s*\n\s*/g, " ");
    if (value === base || saving === value || (!anyway && !theirs.hidden)) return;
    theirs.hidden = true;
    refuse(null);
    saving = value;
    const refused = await options.save(value);
    saving = null;
    if (refused === null) {
      const typedOn = input.value !== value;
      base = latest = value;
      if (!typedOn) put(value);
      return;
    }
    if (!input.getClientRects().length) return options.unsaved(value, refused);
    if (input.value === value) put(latest);
    refuse(refused, value);
  }

  on(input, "blur", (event) => {
    // Going to one of the buttons above is not leaving.
    if (!theirs.contains((event as FocusEvent).relatedTarget as Node | null)) void save(false);
  });
  on(input, "input", () => {
    refuse(null);
    settle();
  });
  on(input, "keydown", (event) => {
    if (event.key === "Escape" && input.value !== base) {
      event.stopPropagation();
      put(latest);
      refuse(null);
    } else if (event.key === "Enter" && (!lines || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void save(false);
    }
  });

  return {
    element: h("div", { class: `editable ${options.kind}` }, input, why, theirs),
    input,
    show(value) {
      latest = value;
      if (saving !== null) return;
      if (input.value === base || input.value === value) put(value);
      else settle();
    },
    resume(typed) {
      input.value = typed;
      settle();
      input.focus();
    },
    leave(gone) {
      if (rejected) options.unsaved(...rejected);
      refuse(null);
      const typed = input.value;
      const why = gone ?? (theirs.hidden ? null : "Somebody else changed it meanwhile");
      if (why === null) return void save(false);
      if (typed === base || typed === saving) return;
      put(latest);
      options.unsaved(typed, why);
    },
  };
}
