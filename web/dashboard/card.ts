// A task as a card on the board.
import { clip, h, set, setText } from "../shared/dom";
import { icon, type Icon } from "./icons";
import { model } from "./model";
import { since, when, who } from "./time";
import { isOpen, PRIORITY_WORDS, STATUS_WORDS, type Task } from "./types";

/** Titles are cut by the style where they don't fit; so much of them is enough for it. */
const ENOUGH = 400;

interface Parts {
  title: HTMLElement;
  doing: HTMLElement;
  priority: HTMLElement;
  waits: HTMLElement;
  subtasks: HTMLElement;
  ended: HTMLElement;
  text: HTMLElement;
  short: HTMLElement;
  holder: HTMLElement;
  refusal: HTMLElement;
  menu: HTMLElement;
}

const parts = new WeakMap<HTMLElement, Parts>();

const chip = (kind: string, name?: Icon) =>
  h("span", { class: `chip ${kind}`, hidden: true }, name && icon(name), h("span"));

export function createCard(): HTMLElement {
  const made: Parts = {
    title: h("div.title.clamp", { dir: "auto" }),
    doing: h("div.doing.clamp", { dir: "auto" }),
    priority: chip("priority"),
    waits: chip("waits", "wait"),
    subtasks: chip("subtasks", "subtasks"),
    ended: chip("ended"),
    text: chip("text", "text"),
    short: h("code.short"),
    holder: h("div.holder.cut"),
    refusal: h("div.refusal", { role: "alert" }),
    menu: h(
      "button.quiet.more",
      { tabindex: -1, "aria-haspopup": "menu", "aria-expanded": "false", "data-act": "menu" },
      icon("more"),
    ),
  };
  const card = h(
    "li.card",
    { tabindex: -1, "aria-describedby": "card-hint" },
    h("div.top", {}, made.title, made.menu),
    made.doing,
    made.holder,
    h("div.chips", {}, made.priority, made.waits, made.subtasks, made.text, made.ended, made.short),
    made.refusal,
  );
  set(made.text, "title", "Has a description");
  parts.set(card, made);
  return card;
}

/** What distinguishes this card beside its task. */
export interface Looks {
  index: number;
  total: number;
  current: boolean;
  carried: boolean;
  fresh: boolean;
}

export function updateCard(card: HTMLElement, task: Task, looks: Looks): void {
  const made = parts.get(card);
  if (!made) return;
  const waits = model.waits.get(task.id) ?? 0;
  const doing = task.status === "in-progress" ? task.activeForm : undefined;
  const refusal = model.refusals.get(task.id);
  if (card.dataset["id"] !== task.id) card.dataset["id"] = task.id;
  set(card, "data-status", task.status);
  set(card, "data-priority", task.priority);
  set(card, "tabindex", looks.current ? 0 : -1);
  set(card, "aria-posinset", looks.index + 1);
  set(card, "aria-setsize", looks.total);
  card.classList.toggle("carried", looks.carried);
  card.classList.toggle("fresh", looks.fresh);
  card.classList.toggle("unsure", task.id.startsWith("new-"));
  card.classList.toggle("next", model.board?.next?.id === task.id);
  setText(made.title, clip(task.title, ENOUGH));
  show(made.doing, doing && clip(doing, ENOUGH));
  showChip(made.priority, task.priority === "medium" ? "" : PRIORITY_WORDS[task.priority]);
  showChip(made.waits, waits ? `waits for ${waits}` : "");
  showChip(made.subtasks, task.subtasks ? `${task.subtasks.done}/${task.subtasks.total}` : "");
  showChip(made.ended, !isOpen(task) && task.completed ? when(task.completed) : "");
  made.text.hidden = !task.hasDescription;
  setText(made.short, task.id.startsWith("new-") ? "…" : task.id.slice(0, 8));
  show(made.holder, holder(task));
  show(made.refusal, refusal);
  set(made.menu, "aria-label", `Actions for ${clip(task.title, 80)}`);
  set(card, "aria-label", label(task, waits, doing, refusal));
}

function holder(task: Task): string {
  if (task.status !== "in-progress") return "";
  const long = `for ${since(task.updated)}`;
  return task.assignee ? `${who(task.assignee)}, ${long}` : long;
}

function label(task: Task, waits: number, doing: string | undefined, refusal: string | undefined): string {
  const said = [clip(task.title, 200), STATUS_WORDS[task.status], `${task.priority} priority`];
  if (doing) said.push(clip(doing, 200));
  if (task.assignee) said.push(`held by ${who(task.assignee)}`);
  if (waits) said.push(`waits for ${waits}`);
  if (task.subtasks) said.push(`${task.subtasks.done} of ${task.subtasks.total} subtasks done`);
  if (refusal) said.push(`refused: ${refusal}`);
  return said.join(", ");
}

function show(element: HTMLElement, text: string | undefined): void {
  element.hidden = !text;
  setText(element, text ?? "");
}

function showChip(element: HTMLElement, text: string): void {
  element.hidden = !text;
  setText(element.lastElementChild!, text);
}
