// What stands before the board: the form for the token, and what is said when there is no board to show.
import { h, set, setText } from "../shared/dom";
import { mark } from "./icons";
import { model } from "./model";
import { refresh, unlock } from "./server";

const field = h("input", {
  type: "password",
  id: "token",
  autocomplete: "current-password",
  required: true,
  "aria-describedby": "token-why",
});
const why = h("p.why", { id: "token-why", role: "alert" });
const form = h(
  "form",
  {
    class: "gate",
    onsubmit: async (event: Event) => {
      event.preventDefault();
      const text = field.value.trim();
      // Headers carry only so much; what can't be sent can't be right.
      if (!/^[\x21-\x7e]+$/.test(text)) return setText(why, "A token is made of letters, digits and signs, without spaces");
      const failed = await unlock(text);
      setText(why, failed ?? (model.locked ? "This is not the token" : ""));
      if (model.locked) field.select();
      else field.value = "";
    },
  },
  mark(),
  h("h1", {}, "This board is locked"),
  h("p", {}, "Enter the token that the server was started with (", h("code", {}, "TODORI_TOKEN"), " or ", h("code", {}, "--token-file"), ")."),
  h("label", { for: "token" }, "Token"),
  field,
  why,
  h("button.primary", {}, "Unlock"),
  h("p.faint", {}, "It is kept until this tab is closed."),
);

const title = h("h1");
const message = h("p.message", { dir: "auto" });
const advice = h("p");
const trouble = h(
  "div.gate",
  { role: "alert" },
  mark(),
  title,
  message,
  advice,
  h("button.primary", { onclick: () => void refresh() }, "Look again"),
);

const WORDS: Record<string, [string, string]> = {
  no_project: [
    "There is no project here",
    "Run “todori init” in the project’s folder, or start the server inside a git repository. This page shows the board as soon as there is one.",
  ],
  vanished: ["The board’s file is gone", "Bring it back (git checkout), or run “todori init” to begin anew. This page looks again by itself."],
  broken_file: ["The board’s file can’t be read", "Mend the file by hand; it is left as it is until then. This page looks again by itself."],
};

export const gates: HTMLElement[] = [form, trouble];

/** Whether there is something in the way of the board. */
export function drawGate(): boolean {
  const wasHidden = form.hidden;
  form.hidden = !model.locked;
  if (model.locked && wasHidden) requestAnimationFrame(() => field.focus());
  if (model.locked === "wrong" && wasHidden) setText(why, "This is not the token");
  set(field, "aria-invalid", model.locked === "wrong" ? "true" : null);
  const wrong = model.locked ? null : model.trouble;
  trouble.hidden = !wrong;
  if (wrong) {
    const [head, words] = WORDS[wrong.code] ?? ["The board can’t be shown", "This page looks again by itself."];
    setText(title, head);
    setText(message, wrong.message);
    setText(advice, words);
  }
  return Boolean(model.locked || wrong);
}
form.hidden = trouble.hidden = true;
