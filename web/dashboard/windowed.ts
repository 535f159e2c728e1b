// A long list of which only what is near the visible part exists. Rows may differ in height: they are measured when
// they are first shown, and guessed until then.
import { h, keyed, on, set } from "../shared/dom";
import type { Task } from "./types";

const GUESS = 84;
const GAP = 8;
/** How far beyond the visible part rows exist, so that scrolling finds them there. */
const MARGIN = 300;

export class WindowedList {
  readonly element: HTMLElement;
  readonly list: HTMLUListElement;
  items: Task[] = [];
  /** Whether the card that the Tab key goes to is one of these. */
  hasCurrent = false;
  /** Whether all of it is there, as for printing. */
  unbounded = false;
  #heights = new Map<string, number>();
  // Asking an element for these makes the browser lay out the page; they are remembered instead.
  #viewport = 0;
  #scrolled = 0;
  #width = 0;
  #planned = false;
  /** What is there, and how many of it are above the visible part. */
  #drawn: { shown: Task[]; hidden: number } = { shown: [], hidden: 0 };

  constructor(
    label: string,
    private readonly create: (task: Task) => HTMLElement,
    private readonly update: (element: HTMLElement, task: Task, index: number, total: number) => void,
  ) {
    this.list = h("ul.cards", { "aria-label": label });
    this.element = h("div.scroller", { tabindex: -1 }, this.list);
    on(
      this.element,
      "scroll",
      () => {
        this.#scrolled = this.element.scrollTop;
        this.#plan();
      },
      { passive: true },
    );
    new ResizeObserver(() => {
      if (this.#width !== this.element.clientWidth) this.#heights.clear();
      this.#width = this.element.clientWidth;
      this.#viewport = this.element.clientHeight;
      this.#plan();
    }).observe(this.element);
  }

  /** Shows these. Call `measure` when everything on the page is drawn. */
  show(items: Task[]): void {
    this.items = items;
    this.#draw();
  }

  /** Brings a task into view and gives its element. */
  reveal(id: string): HTMLElement | null {
    const index = this.items.findIndex((task) => task.id === id);
    if (index < 0) return null;
    if (!this.#find(id)) {
      this.element.scrollTop = this.#top(index) - this.#viewport / 2;
      this.#scrolled = this.element.scrollTop;
      this.#draw();
      this.measure();
    }
    const element = this.#find(id);
    element?.scrollIntoView({ block: "nearest", inline: "nearest" });
    return element;
  }

  /** Where something dropped at this height would go: before which of the items, and where to show that. */
  slot(clientY: number, without: string): { index: number; y: number } {
    const box = this.list.getBoundingClientRect();
    let y = 0;
    for (const row of this.list.children) {
      const id = (row as HTMLElement).dataset["id"];
      if (id === without) continue;
      const rect = row.getBoundingClientRect();
      if (clientY < rect.top + rect.height / 2) {
        return { index: this.#position(id, without), y: rect.top - box.top - GAP / 2 };
      }
      y = rect.bottom - box.top + GAP / 2;
    }
    const last = this.list.lastElementChild as HTMLElement | null;
    const after = last ? this.#position(last.dataset["id"], without) + (last.dataset["id"] === without ? 0 : 1) : 0;
    return { index: after, y };
  }

  #position(id: string | undefined, without: string): number {
    let position = 0;
    for (const task of this.items) {
      if (task.id === id) break;
      if (task.id !== without) position += 1;
    }
    return position;
  }

  #find(id: string): HTMLElement | null {
    for (const row of this.list.children) if ((row as HTMLElement).dataset["id"] === id) return row as HTMLElement;
    return null;
  }

  #height(task: Task): number {
    return this.#heights.get(task.id) ?? GUESS + GAP;
  }

  #top(index: number): number {
    let top = 0;
    for (let i = 0; i < index; i += 1) top += this.#height(this.items[i]!);
    return top;
  }

  #plan(): void {
    if (this.#planned) return;
    this.#planned = true;
    requestAnimationFrame(() => {
      this.#planned = false;
      this.#draw();
      this.measure();
    });
  }

  #draw(): void {
    const items = this.items;
    const scrolled = this.#scrolled;
    const margin = this.unbounded ? Infinity : MARGIN;
    const [from, to] = [scrolled - margin, scrolled + (this.#viewport || 800) + margin];
    let [first, end, above, below, top] = [-1, items.length, 0, 0, 0];
    let firstVisible = 0;
    for (let i = 0; i < items.length; i += 1) {
      const height = this.#height(items[i]!);
      if (first < 0 && top + height >= from) [first, above] = [i, top];
      if (top < scrolled) firstVisible = i;
      if (top > to && end === items.length) end = i;
      if (end !== items.length) below += height;
      top += height;
    }
    // Scrolled beyond the end, as happens when a filter shortens the list.
    if (first < 0) [first, above] = [Math.max(0, items.length - 20), this.#top(Math.max(0, items.length - 20))];
    const shown = items.slice(first, end);
    const index = new Map(shown.map((task, i) => [task.id, first + i]));
    // The focus stays in the list when what had it is scrolled away.
    const focused = document.activeElement as HTMLElement | null;
    if (focused && this.list.contains(focused)) {
      const id = focused.closest<HTMLElement>("li")?.dataset["id"];
      if (id && !index.has(id) && items.some((task) => task.id === id)) this.element.focus({ preventScroll: true });
    }
    keyed(
      this.list,
      shown,
      (task) => task.id,
      this.create,
      (element, task) => this.update(element as HTMLElement, task, index.get(task.id)!, items.length),
    );
    this.list.style.paddingTop = `${above}px`;
    this.list.style.paddingBottom = `${below}px`;
    set(this.element, "tabindex", this.hasCurrent && !this.list.querySelector('[tabindex="0"]') ? 0 : -1);
    this.#drawn = { shown, hidden: firstVisible - first };
  }

  /** Learns how high the rows are. What turns out higher above the visible part must not push that down. */
  measure(): void {
    const { shown, hidden } = this.#drawn;
    if (!this.#viewport) return;
    const rows = this.list.children;
    let shift = 0;
    for (let i = 0; i < shown.length; i += 1) {
      const height = (rows[i] as HTMLElement).offsetHeight + GAP;
      const before = this.#height(shown[i]!);
      if (height === before || height === GAP) continue;
      this.#heights.set(shown[i]!.id, height);
      if (i < hidden) shift += height - before;
    }
    if (shift) this.element.scrollTop = this.#scrolled += shift;
  }
}
