// The board: a column for each status, cards that are dragged or carried by keys from one to another.
import { brief, clip, h, on, set, setText } from "../shared/dom";
import { moved, moveTask, remove, statusActions, setStatus, type Place } from "./actions";
import { addForm } from "./add";
import { announce, toast } from "./announce";
import { createCard, updateCard } from "./card";
import { draggable } from "./drag";
import { clearFilter } from "./header";
import { icon } from "./icons";
import { openMenu, type Item } from "./menu";
import { columns, invalidate, isFiltered, matches, model, patch, words } from "./model";
import { nowStrip } from "./now";
import { remember, remembered } from "./remember";
import { open } from "./route";
import { STATUSES, STATUS_WORDS, type Status, type Task } from "./types";
import { welcome } from "./welcome";
import { WindowedList } from "./windowed";

const FOLDED = "todori-folded";

interface Column {
  status: Status;
  element: HTMLElement;
  list: WindowedList;
  count: HTMLElement;
  empty: HTMLElement;
  tab: HTMLElement;
  fold: HTMLElement | null;
}

/** A card that is being carried by keys. */
interface Carry {
  task: Task;
  status: Status;
  index: number;
  forget: () => void;
}

/** What has an end is shown newest first, so that there is no place to choose. */
const isOrdered = (status: Status): boolean => status !== "done" && status !== "cancelled";

const folded = new Set<string>((remembered(FOLDED) ?? "deferred cancelled").split(" "));
const fresh = new Set<string>();
let shown = new Map<Status, Task[]>();
let current: string | null = null;
let refocus: string | null = null;
let carry: Carry | null = null;
let dragged: string | null = null;
let begun = 0;

const form = addForm(appeared);
const hello = welcome(appeared);
const all = STATUSES.map(column);
const row = h("div.columns", {}, ...all.map((column) => column.element));
const tabs = h("div.switch", { role: "group", "aria-label": "Columns" }, ...all.map((column) => column.tab));
const strip = nowStrip();
export const boardView = h("section.view.board", { "aria-label": "Board" }, strip.element, tabs, row, hello.element);

export function focusAdd(): void {
  if (!model.tasks.length) return hello.focus();
  // What is added is pending: where only another status is shown, there is no field for it.
  if (model.filter.status && model.filter.status !== "pending") {
    model.filter.status = "";
    announce("All statuses are shown");
    drawBoard();
    invalidate();
  }
  form.focus();
}

function column(status: Status): Column {
  const list = new WindowedList(STATUS_WORDS[status], createCard, (card, task, index, total) =>
    updateCard(card, task, {
      index,
      total,
      current: task.id === current,
      carried: task.id === (carry?.task.id ?? dragged),
      fresh: fresh.has(task.id),
    }),
  );
  const count = h("span.count");
  const empty = h("p.nothing");
  const canFold = status === "deferred" || status === "cancelled";
  const fold = canFold ? h("button.quiet.fold", { onclick: () => toggle(status) }, icon("fold")) : null;
  const element = h(
    "section.column",
    { "data-status": status, "aria-label": STATUS_WORDS[status] },
    h("h2", {}, h("span.dot"), h("span.name", {}, STATUS_WORDS[status]), count, fold),
    status === "pending" && form.form,
    empty,
    list.element,
  );
  const tab = h(
    "button",
    { onclick: () => element.scrollIntoView({ inline: "start", block: "nearest", behavior: "smooth" }) },
    h("span.dot", { "data-status": status }),
    STATUS_WORDS[status],
    h("span.count"),
  );
  if (canFold) on(element, "click", () => folded.has(status) && toggle(status));
  return { status, element, list, count, empty, tab, fold };
}

const isFolded = (status: Status): boolean => folded.has(status) && model.filter.status !== status;

function toggle(status: Status): void {
  if (!folded.delete(status)) folded.add(status);
  remember(FOLDED, [...folded].join(" "));
  invalidate();
}

export function drawBoard(): void {
  if (carry && !model.byId.has(carry.task.id)) letGo();
  const isEmpty = model.board !== null && model.tasks.length === 0;
  hello.element.hidden = !isEmpty;
  row.hidden = tabs.hidden = isEmpty;
  strip.draw();
  if (isEmpty) return;
  const focused = (document.activeElement as HTMLElement | null)?.closest<HTMLElement>(".card")?.dataset["id"] ?? null;
  const before = focused === null ? null : whereIs(focused);
  shown = columns();
  if (current === null || !whereIs(current)) current = all.map(({ status }) => shown.get(status)?.[0]?.id).find(Boolean) ?? null;
  // The first time there is everything to make: a column a frame keeps the page answering.
  if (begun < all.length) {
    begun += 1;
    invalidate();
  }
  const drawable = all.slice(0, begun);
  all.forEach((column, i) => drawColumn(column, i < begun));
  for (const { list } of drawable) list.measure();
  row.classList.toggle("filtered", isFiltered(model.filter));
  // Whoever was on a card stays on it wherever it went, or on what took its place.
  if (focused !== null && refocus === null && document.activeElement === document.body) {
    const neighbour = before && shown.get(before.status)?.[Math.min(before.index, (shown.get(before.status)?.length ?? 1) - 1)];
    refocus = whereIs(focused) ? focused : (neighbour?.id ?? null);
  }
  if (refocus === null) return;
  const id = refocus;
  refocus = null;
  focusCard(id);
}

function drawColumn({ status, element, list, count, empty, tab, fold }: Column, withCards: boolean): void {
  const tasks = shown.get(status) ?? [];
  setText(count, model.board ? String(tasks.length) : "");
  setText(tab.lastElementChild!, model.board ? String(tasks.length) : "");
  element.hidden = tab.hidden = Boolean(model.filter.status) && model.filter.status !== status;
  const hides = isFolded(status);
  element.classList.toggle("folded", hides);
  if (fold) {
    set(fold, "aria-expanded", String(!hides));
    set(fold, "aria-label", `${hides ? "Show" : "Hide"} ${STATUS_WORDS[status]}`);
  }
  empty.hidden = tasks.length > 0 || model.board === null;
  setText(empty, isFiltered(model.filter) ? "No match" : "Nothing here");
  list.hasCurrent = current !== null && tasks.some((task) => task.id === current);
  if (withCards) list.show(tasks);
}

function whereIs(id: string): { status: Status; index: number } | null {
  const status = model.byId.get(id)?.status;
  if (!status) return null;
  const index = (shown.get(status) ?? []).findIndex((task) => task.id === id);
  return index < 0 ? null : { status, index };
}

const columnOf = (status: Status): Column => all.find((column) => column.status === status)!;

function focusCard(id: string): void {
  const at = whereIs(id);
  if (!at) return;
  current = id;
  if (isFolded(at.status)) toggle(at.status);
  columnOf(at.status).list.reveal(id)?.focus({ preventScroll: true });
}

/** Brings a card into view on the board, and gives it the focus. */
export function goTo(id: string): void {
  refocus = id;
  invalidate();
}

/** Shows where something new has gone. */
function appeared(id: string): void {
  if (!id) return;
  const task = model.byId.get(id);
  if (task && !matches(task, model.filter, words(model.filter.text))) {
    const show = () => {
      clearFilter();
      goTo(id);
    };
    toast(`Added “${brief(task.title, 60)}”, which the filter hides`, { action: ["Show it", show] });
  }
  fresh.add(id);
  setTimeout(() => fresh.delete(id), 2_000);
  invalidate();
  requestAnimationFrame(() => {
    const at = whereIs(id);
    if (at) columnOf(at.status).list.reveal(id);
    if (document.activeElement === document.body) form.focus();
  });
}

/** Where a place in a column is in the order of all tasks. */
function placeAt(id: string, status: Status, index: number): Place {
  if (!isOrdered(status)) return {};
  const others = (shown.get(status) ?? []).filter((task) => task.id !== id);
  const after = others[index - 1];
  if (after) return { after: after.id };
  const before = others[index];
  return before ? { before: before.id } : {};
}

function shift(task: Task, by: number): void {
  const at = whereIs(task.id);
  if (!at || !isOrdered(at.status)) return announce("This column is in the order of time");
  const index = at.index + by;
  if (index < 0 || index >= (shown.get(at.status)?.length ?? 0)) return;
  refocus = task.id;
  announce(`${clip(task.title, 200)}: ${index + 1} of ${shown.get(at.status)?.length}`);
  void moveTask(task, placeAt(task.id, at.status, index), at.status);
}

/** The columns that there are to move to. */
const reachable = (): Column[] => all.filter(({ element }) => !element.hidden);

function sideways(task: Task, by: number): void {
  const list = reachable();
  const to = list[list.findIndex(({ status }) => status === task.status) + by];
  if (!to) return;
  refocus = task.id;
  void setStatus(task, to.status);
}

function pickUp(task: Task): void {
  const at = whereIs(task.id);
  if (!at || task.id.startsWith("new-")) return;
  carry = { task, ...at, forget: () => {} };
  announce(`Picked up ${clip(task.title, 200)}. Arrows move it, Space puts it down, Escape takes it back.`);
  refocus = task.id;
  invalidate();
}

function carryTo(across: number, down: number): void {
  if (!carry) return;
  const list = reachable();
  const target = list[list.findIndex(({ status }) => status === carry!.status) + across];
  if (!target) return;
  const others = (shown.get(target.status) ?? []).filter((task) => task.id !== carry!.task.id).length;
  carry.index = Math.max(0, Math.min(carry.index + down, others));
  carry.status = target.status;
  const { task, status, index } = carry;
  const place = placeAt(task.id, status, index);
  carry.forget();
  carry.forget = patch(moved(task.id, place, status));
  refocus = task.id;
  announce(isOrdered(status) ? `${STATUS_WORDS[status]}, ${index + 1} of ${others + 1}` : STATUS_WORDS[status]);
}

/** Ends carrying because of something else; the card goes back, and the focus stays where it went. */
export function letGo(): void {
  if (!carry) return;
  const { title } = carry.task;
  putDown(false);
  refocus = null;
  announce(`${clip(title, 200)} was put back`);
}

function putDown(keep: boolean): void {
  if (!carry) return;
  const { task, status, index, forget } = carry;
  carry = null;
  const place = placeAt(task.id, status, index);
  const same = status === task.status && !place.before && !place.after;
  forget();
  refocus = task.id;
  invalidate();
  announce(keep ? `Put down in ${STATUS_WORDS[status]}` : "Taken back");
  if (keep && !same) void moveTask(task, place, status);
}

function menuItems(task: Task): Item[] {
  const items: Item[] = [{ label: "Open", act: () => open(task.id) }];
  statusActions(task).forEach(({ label, status }, i) => {
    const act = () => {
      refocus = task.id;
      void setStatus(task, status);
    };
    items.push(i === 0 ? { label, act, kind: "apart" } : { label, act });
  });
  if (isOrdered(task.status)) {
    items.push({ label: "Move up", act: () => shift(task, -1), kind: "apart" });
    items.push({ label: "Move down", act: () => shift(task, 1) });
  }
  items.push({ label: "Delete", act: () => void remove(task), kind: "bad" });
  return items;
}

function taskOf(target: EventTarget | null): Task | undefined {
  const id = (target as HTMLElement | null)?.closest<HTMLElement>(".card")?.dataset["id"];
  return id === undefined ? undefined : model.byId.get(id);
}

on(row, "click", (event) => {
  const on = event.target as HTMLElement;
  const task = taskOf(on);
  if (!task) return;
  if (on.closest(".refusal")) {
    model.refusals.delete(task.id);
    return invalidate();
  }
  const button = on.closest<HTMLElement>('[data-act="menu"]');
  current = task.id;
  if (button) openMenu(button, menuItems(task), `Actions for ${clip(task.title, 80)}`);
  else if (!task.id.startsWith("new-")) open(task.id);
});

on(row, "focusin", (event) => {
  const task = taskOf(event.target);
  if (task && carry && carry.task.id !== task.id) letGo();
  if (!task || current === task.id) return;
  current = task.id;
  invalidate();
});

on(row, "keydown", (event) => {
  const on = event.target as HTMLElement;
  if (on.closest("input, button") || event.ctrlKey || event.metaKey || event.altKey) return;
  const task = taskOf(on) ?? (current === null ? undefined : model.byId.get(current));
  if (!task) return;
  const act = keys(event, task);
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
});

on(row, "focusout", (event) => {
  // Whoever clicks elsewhere while carrying has let go.
  const to = event.relatedTarget as Node | null;
  if (carry && to && !row.contains(to)) letGo();
});
on(window, "pointerdown", (event) => taskOf(event.target)?.id !== carry?.task.id && letGo(), true);

function keys(event: KeyboardEvent, task: Task): (() => void) | null {
  if (carry) {
    const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
    if (step) return () => carryTo(step[0]!, step[1]!);
    if (event.key === " " || event.key === "Enter") return () => putDown(true);
    return event.key === "Escape" ? () => putDown(false) : null;
  }
  if (event.shiftKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
    return () => shift(task, event.key === "ArrowUp" ? -1 : 1);
  }
  switch (event.key) {
    case "ArrowUp":
      return () => walk(task, 0, -1);
    case "ArrowDown":
      return () => walk(task, 0, 1);
    case "ArrowLeft":
      return () => walk(task, -1, 0);
    case "ArrowRight":
      return () => walk(task, 1, 0);
    case "Home":
      return () => walk(task, 0, -Infinity);
    case "End":
      return () => walk(task, 0, Infinity);
    case "Enter":
      return () => open(task.id);
    case " ":
      return () => pickUp(task);
    case "[":
      return () => sideways(task, -1);
    case "]":
      return () => sideways(task, 1);
    case "Delete":
      return () => void remove(task);
    case "m":
    case "ContextMenu":
      return () => (columnOf(task.status).list.reveal(task.id)?.querySelector("button") as HTMLElement | null)?.click();
    default:
      return null;
  }
}

/** Moves the focus: within a column, or to the next one that has cards. */
function walk(task: Task, across: number, down: number): void {
  const at = whereIs(task.id);
  if (!at) return;
  const list = reachable().filter(({ status }) => !isFolded(status));
  let column = list.findIndex(({ status }) => status === at.status);
  if (across) {
    do column += across;
    while (list[column] && !shown.get(list[column]!.status)?.length);
  }
  const tasks = shown.get(list[column]?.status ?? at.status) ?? [];
  if (!list[column]) return;
  const index = Math.max(0, Math.min(at.index + down, tasks.length - 1));
  const to = tasks[index];
  if (!to) return;
  current = to.id;
  focusCard(to.id);
  invalidate();
}

/** Paper has no end: every card is there while it is printed. */
export function printAll(on: boolean): void {
  begun = all.length;
  for (const { list } of all) list.unbounded = on;
  if (model.board) drawBoard();
}

draggable({
  board: row,
  targets: () => reachable().map((column) => ({ ...column, ordered: isOrdered(column.status) && !column.element.classList.contains("folded") })),
  begin(id) {
    dragged = id;
    invalidate();
  },
  drop(id, status, index) {
    const task = model.byId.get(id);
    if (!task) return;
    const at = whereIs(id);
    if (at?.status === status && (index === null || at.index === index)) return;
    void moveTask(task, index === null ? {} : placeAt(id, status, index), status);
  },
  end() {
    dragged = null;
    invalidate();
  },
});

on(
  row,
  "scroll",
  () => {
    const middle = row.scrollLeft + row.clientWidth / 2;
    for (const { element, tab } of all) {
      const left = element.offsetLeft - row.offsetLeft;
      const here = left <= middle && middle < left + element.offsetWidth;
      set(tab, "aria-current", here ? "true" : null);
    }
  },
  { passive: true },
);
set(all[0]!.tab, "aria-current", "true");
