// The list of tasks. Thousands of rows are drawn a slice at a time, so that the page never stands still; the browser
// skips those that are out of sight.
import type { Task } from "./tasks";
import { makeRow, type Row, type RowModel } from "./row";

/** How many rows are made before others get a turn. */
const SLICE = 150;

export interface List {
  show(models: readonly RowModel[]): void;
  /** Scrolls to the end of the list, and nothing around it. */
  showLast(): void;
}

export function makeList(
  element: HTMLUListElement,
  scroller: HTMLElement,
  toggle: (task: Task, completed: boolean) => void,
  lost: () => void,
): List {
  let rows = new Map<string, Row>();
  let models: readonly RowModel[] = [];
  let drawn = 0;

  const rowFor = (model: RowModel): Row => {
    const { id } = model.task;
    let row = rows.get(id);
    if (!row) {
      row = makeRow((completed) => {
        const task = models.find((now) => now.task.id === id)?.task;
        if (task) toggle(task, completed);
      });
      row.element.dataset["id"] = id;
      rows.set(id, row);
    }
    return row;
  };

  /** Puts rows in place from `drawn` on, as many new ones as fit in a slice. */
  const slice = () => {
    let fresh = 0;
    let cursor = element.children[drawn] ?? null;
    for (; drawn < models.length && fresh < SLICE; drawn++) {
      const model = models[drawn]!;
      if (!rows.has(model.task.id)) fresh++;
      const row = rowFor(model);
      row.show(model);
      if (row.element === cursor) cursor = cursor.nextElementSibling;
      else element.insertBefore(row.element, cursor);
    }
    if (drawn < models.length) return later();
    while (cursor) {
      const next: Element | null = cursor.nextElementSibling;
      cursor.remove();
      cursor = next;
    }
  };

  let scheduled = false;
  const later = () => {
    if (scheduled) return;
    scheduled = true;
    // Not requestAnimationFrame: hosts draw pages that are out of sight rarely, and the list should be there then too.
    setTimeout(() => {
      scheduled = false;
      slice();
    });
  };

  element.addEventListener("keydown", (event) => {
    const boxes = () => [...element.querySelectorAll<HTMLInputElement>(".row:not([hidden]) > .box")];
    const from = event.target;
    if (!(from instanceof HTMLInputElement) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const all = boxes();
    const at = all.indexOf(from);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    const box = to === undefined ? undefined : all[to];
    if (!box) return;
    event.preventDefault();
    focus(box);
  });

  // A shade at the lower edge says that there is more.
  const seesEnd = ([entry]: IntersectionObserverEntry[]) => scroller.classList.toggle("more", !entry!.isIntersecting);
  new IntersectionObserver(seesEnd, { root: scroller, rootMargin: "4px" }).observe(scroller.lastElementChild!);

  // Without scrolling the page around this one.
  const focus = (box: HTMLInputElement) => {
    box.focus({ preventScroll: true });
    const row = box.parentElement!.getBoundingClientRect();
    const view = scroller.getBoundingClientRect();
    if (row.top < view.top) scroller.scrollTop += row.top - view.top - 8;
    else if (row.bottom > view.bottom) scroller.scrollTop += Math.min(row.bottom - view.bottom + 8, row.top - view.top);
  };

  return {
    show(next) {
      const before = models;
      models = next;
      const ids = new Set(next.map((model) => model.task.id));
      const at = before.findIndex((model) => rows.get(model.task.id)?.element.contains(document.activeElement));
      rows = new Map([...rows].filter(([id, row]) => ids.has(id) || void row.element.remove()));
      drawn = 0;
      // Short lists are laid out whole, so that the page knows at once how high it is.
      element.classList.toggle("many", next.length > SLICE);
      slice();
      // Who stood on a row that is gone stands on the next one, not at the beginning of the page.
      if (at < 0 || ids.has(before[at]!.task.id)) return;
      const near = [...before.slice(at), ...before.slice(0, at).reverse()].find((model) => ids.has(model.task.id));
      const row = near && rows.get(near.task.id);
      if (row && !row.element.hidden) focus(row.box);
      else lost();
    },
    showLast() {
      scroller.scrollTop = scroller.scrollHeight;
    },
  };
}
