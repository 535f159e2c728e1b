// One task in the list. Made once, and then changed only where it differs: so the focus stays where it is.
import { readable } from "../shared/readable";
import type { Task } from "./tasks";
import * as words from "./words";

/** All that a row shows. */
export interface RowModel {
  readonly task: Task;
  readonly waits: string;
  readonly message: string | undefined;
  readonly writable: boolean;
  readonly movable: boolean;
  readonly hidden: boolean;
}

/** What a person can do with it. */
export interface RowDeeds {
  toggle(completed: boolean): void;
  /** Moves it a place up or down. */
  step(by: -1 | 1): void;
}

export interface Row {
  readonly element: HTMLElement;
  readonly box: HTMLInputElement;
  /** What it is dragged by, or moved with keys. */
  readonly handle: HTMLButtonElement;
  /** Shows buttons that move it, for those who can't drag and have no keys; or takes them away. */
  offerSteps(offer: boolean): void;
  show(model: RowModel): void;
  /** Whether there is more to it than its title. */
  hasFacts(): boolean;
}

/** From here on a title is folded; the rest is one click away. */
const LONG = 280;
let made = 0;

function node<K extends keyof HTMLElementTagNameMap>(name: K, className: string): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  element.className = className;
  return element;
}

function icon(name: string): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const use = document.createElementNS(space, "use");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

export function makeRow(deeds: RowDeeds): Row {
  const place = ++made;
  const element = node("div", "row");
  element.setAttribute("role", "listitem");
  const box = node("input", "box");
  const label = node("label", "label");
  const title = node("span", "title");
  const handle = node("button", "handle");
  const facts = node("p", "facts");
  const fold = node("button", "fold");
  const message = node("p", "message");
  box.type = "checkbox";
  box.id = `box-${place}`;
  label.htmlFor = box.id;
  title.id = `title-${place}`;
  title.dir = "auto";
  facts.id = `facts-${place}`;
  fold.type = "button";
  fold.setAttribute("aria-controls", title.id);
  message.setAttribute("role", "alert");
  message.id = `message-${place}`;
  box.setAttribute("aria-labelledby", title.id);
  box.setAttribute("aria-describedby", `${facts.id} ${message.id}`);
  handle.type = "button";
  handle.hidden = true;
  handle.setAttribute("aria-describedby", "move-help");
  label.append(title);
  element.append(box, label, handle);

  box.addEventListener("change", () => deeds.toggle(box.checked));
  let steps: HTMLElement | undefined;
  const offerSteps = (offer: boolean) => {
    if (offer) handle.ariaExpanded = "true";
    else handle.removeAttribute("aria-expanded");
    if (offer) steps ??= makeSteps(deeds.step);
    if (steps) put(steps, offer);
  };
  let folded = true;
  const refold = () => {
    element.classList.toggle("folded", folded && fold.parentElement === element);
    fold.textContent = folded ? "Show more" : "Show less";
    fold.setAttribute("aria-expanded", String(!folded));
  };
  fold.addEventListener("click", () => {
    folded = !folded;
    refold();
  });

  let last: RowModel | undefined;
  const show = (model: RowModel) => {
    const before = last;
    last = model;
    const { task } = model;
    box.checked = task.status === "done";
    if (before?.writable !== model.writable || before.task.unsaved !== task.unsaved)
      box.disabled = !model.writable || task.unsaved === true;
    if (before?.movable !== model.movable) {
      handle.hidden = !model.movable;
      if (model.movable) box.setAttribute("aria-keyshortcuts", "Alt+ArrowUp Alt+ArrowDown");
      else box.removeAttribute("aria-keyshortcuts");
      if (!model.movable) offerSteps(false);
    }
    if (before?.task.title !== task.title) {
      handle.ariaLabel = `Move “${readable(words.short(task.title))}”`;
      title.textContent = readable(task.title);
      const long = task.title.length > LONG || task.title.split("\n").length > 4;
      put(fold, long);
      refold();
    }
    if (before?.task !== task || before.waits !== model.waits) {
      element.dataset["status"] = task.status;
      element.classList.toggle("unsaved", task.unsaved === true);
      element.classList.toggle("waiting", model.waits !== "");
      const said = factsOf(model);
      facts.replaceChildren(...said);
      put(facts, said.length > 0);
    }
    if (before?.message !== model.message) {
      message.textContent = model.message === undefined ? "" : readable(model.message);
      put(message, model.message !== undefined);
    }
  };

  // In this order, whichever of them are there.
  function put(part: HTMLElement, there: boolean): void {
    if (!there) return part.remove();
    if (part.parentElement === element) return;
    const parts = [fold, facts, steps, message];
    const next = parts.slice(parts.indexOf(part) + 1).find((other) => other?.parentElement === element);
    element.insertBefore(part, next ?? null);
  }
  return { element, box, handle, show, offerSteps, hasFacts: () => facts.parentElement === element };
}

function makeSteps(step: (by: -1 | 1) => void): HTMLElement {
  const steps = node("div", "steps");
  for (const [words, by] of [["Move up", -1], ["Move down", 1]] as const) {
    const button = node("button", "quiet");
    button.type = "button";
    button.textContent = words;
    button.addEventListener("click", () => step(by));
    steps.append(button);
  }
  return steps;
}

/** What there is to know of a task besides its title, each in a few words. */
function factsOf({ task, waits }: RowModel): HTMLElement[] {
  const facts: HTMLElement[] = [];
  const say = (className: string, text: string, mark?: string) => {
    const fact = node("span", `fact ${className}`);
    const inner = node("bdi", "");
    inner.textContent = text;
    if (mark) fact.append(icon(mark));
    // The blank is for those who listen: without it two facts are one word.
    fact.append(inner, " ");
    facts.push(fact);
  };
  if (task.status === "done") return facts;
  if (task.status === "in-progress") say("now", readable(task.activeForm ?? "In progress"));
  if (task.status === "blocked") say("blocked", "Blocked");
  if (task.status === "deferred") say("later", "Put off");
  if (task.priority === "high") say("high", "High priority");
  if (task.priority === "low") say("low", "Low priority");
  if (task.status === "in-progress" && task.assignee) say("who", readable(words.holder(task.assignee)));
  if (waits) say("waits", waits, "wait");
  return facts;
}
