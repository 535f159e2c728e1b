// Says things: to screen readers, and in short notes at the edge of the page.
import { h, on, setText } from "../shared/dom";
import { readable } from "../shared/readable";
import { icon } from "./icons";

const STAYS = 9_000;

const voice = h("div.unseen", { role: "status", "aria-live": "polite" });
const notes = h("div.toasts", { role: "region", "aria-label": "Notes" });

export const places: Node[] = [voice, notes];

export function announce(text: string): void {
  // The same words said twice are heard twice only if they differ.
  setText(voice, voice.textContent === readable(text) ? `${text}\u00a0` : text);
}

let closeLast = () => {};

/** Takes away what could be undone: something else was done since, and Undo would mean that. */
export const outdate = (): void => closeLast();

/** Shows a note for a while, or until it is closed. */
export function toast(text: string, options: { action?: [string, () => void]; bad?: boolean; stays?: boolean } = {}): void {
  announce(text);
  const close = () => {
    clearTimeout(timer);
    note.remove();
  };
  if (options.action && !options.stays) closeLast = close;
  const note = h(
    "div",
    { class: `toast${options.bad ? " bad" : ""}${options.stays ? " stays" : ""}` },
    h("span", { dir: "auto" }, text),
    options.action &&
      h(
        "button",
        {
          class: "link",
          onclick: () => {
            close();
            options.action?.[1]();
          },
        },
        options.action[0],
      ),
    h("button.quiet", { "aria-label": "Close", onclick: close }, icon("close")),
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    clearTimeout(timer);
    if (!options.stays) timer = setTimeout(close, STAYS);
  };
  wait();
  // Nobody should have to hurry while reading.
  for (const name of ["pointerenter", "focusin"] as const) on(note, name, () => clearTimeout(timer));
  for (const name of ["pointerleave", "focusout"] as const) on(note, name, wait);
  notes.append(note);
  while (notes.childElementCount > 3 && !notes.firstElementChild!.matches(".stays")) notes.firstElementChild!.remove();
}
