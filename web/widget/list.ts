// The list of tasks. Thousands of rows are made a slice at a time, so that the page never stands still, and stand in
// chunks, which the browser skips when they are out of sight. All rows are in the page, for those who search it or
// have it read to them.
import { makeDragging } from "./drag";
import { makeRow, type Row, type RowModel } from "./row";
import { type Spot, spotIn } from "./state";
import type { Task } from "./tasks";

/** How many rows are in a chunk. */
const CHUNK = 50;
/** How many rows are made, or moved, before others get a turn. */
const MADE_AT_ONCE = 150;
const MOVED_AT_ONCE = 1_000;
/** About how high a row is, and what stands below its title: for chunks that were never laid out. */
const ROW_HEIGHT = 44;
const FACTS_HEIGHT = 24;

export interface List {
  show(models: readonly RowModel[]): void;
  /** Scrolls to the end of the list, and nothing around it. */
  showLast(): void;
}

export interface ListDeeds {
  complete(task: Task, completed: boolean): void;
  /** Moves a task, or says that it can't go any further. It is drawn in its new place at once. */
  move(task: Task, to: Spot | undefined): void;
  /** The focus was in the list, and nothing is left there to focus. */
  lost(): void;
}

export function makeList(element: HTMLElement, scroller: HTMLElement, deeds: ListDeeds): List {
  let rows = new Map<string, Row>();
  let tasks = new Map<string, Task>();
  let shown: readonly RowModel[] = [];
  /** How many chunks are as they should be. */
  let drawn = 0;
  let scheduled = false;

  const rowFor = (id: string): Row => {
    const there = rows.get(id);
    if (there) return there;
    const made = makeRow({
      toggle(completed) {
        const task = tasks.get(id);
        if (task) deeds.complete(task, completed);
      },
      step: (by) => step(id, by),
    });
    rows.set(id, made);
    return made;
  };

  /** What can be moved, and what others can be moved beside. */
  const seen = () => shown.filter((model) => model.movable).map((model) => model.task.id);
  const move = (id: string, gap: number) => {
    const task = tasks.get(id);
    const row = rows.get(id);
    if (!task || !row || row.handle.hidden) return;
    deeds.move(task, spotIn(seen(), id, gap));
    reveal(row.element);
  };
  const step = (id: string, by: -1 | 1) => move(id, seen().indexOf(id) + (by < 0 ? -1 : 2));
  const owner = (part: EventTarget | null) => {
    const line = part instanceof Element ? part.closest(".row") : null;
    return shown.find((model) => rows.get(model.task.id)?.element === line)?.task.id;
  };

  let opened: Row | undefined;
  const open = (row: Row | undefined) => {
    const again = row?.handle.ariaExpanded === "true";
    opened?.offerSteps(false);
    opened = again ? undefined : row;
    opened?.offerSteps(true);
  };
  makeDragging(element, scroller, {
    order: () => seen().map((id) => rows.get(id)?.element),
    drop(line, gap) {
      const id = owner(line);
      if (id === undefined) return;
      move(id, gap);
      rows.get(id)?.handle.focus({ preventScroll: true });
    },
    press: (line) => open(rows.get(owner(line) ?? "")),
  });

  const chunkAt = (place: number): HTMLElement => {
    const there = element.children[place];
    if (there instanceof HTMLElement) return there;
    const made = document.createElement("div");
    made.className = "chunk";
    element.append(made);
    return made;
  };

  /** Puts chunks in order from `drawn` on, until others want a turn. */
  const draw = () => {
    let made = 0;
    let moved = 0;
    for (; drawn * CHUNK < shown.length; drawn++) {
      if (made >= MADE_AT_ONCE || moved >= MOVED_AT_ONCE) return later();
      const chunk = chunkAt(drawn);
      let cursor = chunk.firstElementChild;
      let height = 0;
      for (const model of shown.slice(drawn * CHUNK, (drawn + 1) * CHUNK)) {
        if (!rows.has(model.task.id)) made++;
        const row = rowFor(model.task.id);
        row.show(model);
        height += ROW_HEIGHT + (row.hasFacts() ? FACTS_HEIGHT : 0);
        if (row.element === cursor) cursor = cursor.nextElementSibling;
        else {
          moved++;
          chunk.insertBefore(row.element, cursor);
        }
      }
      const about = `${height}px`;
      if (chunk.dataset["about"] !== about) chunk.style.setProperty("contain-intrinsic-height", about);
      chunk.dataset["about"] = about;
    }
    // What is left over was moved behind what belongs there.
    for (let place = element.children.length - 1; place >= drawn; place--) element.children[place]!.remove();
    for (let place = 0; place < drawn; place++) {
      const { children } = element.children[place]!;
      const belong = Math.min(CHUNK, shown.length - place * CHUNK);
      for (let extra = children.length - 1; extra >= belong; extra--) children[extra]!.remove();
    }
  };

  const later = () => {
    if (scheduled) return;
    scheduled = true;
    // Not requestAnimationFrame: hosts draw pages that are out of sight rarely, and the list should be there then too.
    setTimeout(() => {
      scheduled = false;
      draw();
    });
  };

  // What was offered goes when somebody goes elsewhere. With a pointer only after the click: else the rows below would
  // move under it.
  const left = (event: Event) => {
    if (opened && !opened.element.contains(event.target as Node)) open(undefined);
  };
  document.addEventListener("click", left);
  document.addEventListener("focusin", (event) => {
    if ((event.target as Element).matches(":focus-visible")) left(event);
  });

  element.addEventListener("keydown", (event) => {
    const from = event.target;
    if (event.key === "Escape" && opened?.element.contains(from as Node)) {
      const { handle } = opened;
      open(undefined);
      return handle.focus({ preventScroll: true });
    }
    if (!(from instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as -1 | 1 | undefined;
    if (by && from.matches(event.altKey ? ".box, .handle" : ".handle")) {
      event.preventDefault();
      return step(owner(from) ?? "", by);
    }
    walk(event);
  });

  /** From one checkbox to another. */
  const walk = (event: KeyboardEvent) => {
    const from = event.target;
    if (!(from instanceof HTMLInputElement) || event.altKey) return;
    const boxes = [...element.querySelectorAll<HTMLInputElement>(".box")];
    const at = boxes.indexOf(from);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: boxes.length - 1 }[event.key];
    const box = to === undefined ? undefined : boxes[to];
    if (!box) return;
    event.preventDefault();
    focus(box);
  };

  // Without scrolling the page around this one.
  const focus = (box: HTMLInputElement) => {
    box.focus({ preventScroll: true });
    reveal(box.parentElement!);
  };
  const reveal = (line: HTMLElement) => {
    const row = line.getBoundingClientRect();
    const view = scroller.getBoundingClientRect();
    if (row.top < view.top) scroller.scrollTop += row.top - view.top - 8;
    else if (row.bottom > view.bottom) scroller.scrollTop += Math.min(row.bottom - view.bottom + 8, row.top - view.top);
  };

  // A shade at the lower edge says that there is more.
  const seesEnd = ([entry]: IntersectionObserverEntry[]) => scroller.classList.toggle("more", !entry!.isIntersecting);
  new IntersectionObserver(seesEnd, { root: scroller, rootMargin: "4px" }).observe(scroller.lastElementChild!);

  return {
    show(models) {
      const focused = element.contains(document.activeElement) ? (document.activeElement as HTMLElement) : undefined;
      const before = shown;
      tasks = new Map(models.map((model) => [model.task.id, model.task]));
      shown = models.filter((model) => !model.hidden);
      const at = focused ? before.findIndex((model) => rows.get(model.task.id)?.element.contains(focused)) : -1;
      rows = new Map([...rows].filter(([id]) => tasks.has(id)));
      drawn = 0;
      // Short lists are laid out whole, so that the page knows at once how high it is.
      element.classList.toggle("many", shown.length > MADE_AT_ONCE);
      draw();
      if (!focused || (document.activeElement === focused && !focused.hidden)) return;
      // A row that was moved has lost the focus; who stood on a handle that is gone stands on its row, and who stood on
      // a row that is gone stands on the next.
      if (focused.isConnected && !focused.hidden) return focused.focus({ preventScroll: true });
      const left = new Set(shown.map((model) => model.task.id));
      const near = [...before.slice(at), ...before.slice(0, at).reverse()].find((model) => left.has(model.task.id));
      const row = near && rows.get(near.task.id);
      if (row?.element.isConnected) focus(row.box);
      else deeds.lost();
    },
    showLast() {
      scroller.scrollTop = scroller.scrollHeight;
    },
  };
}
