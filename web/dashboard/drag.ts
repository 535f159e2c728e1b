// Dragging a card: with the mouse as soon as it moves, with a finger after a moment, so that swiping still scrolls.
import { h, on } from "../shared/dom";
import type { WindowedList } from "./windowed";
import type { Status } from "./types";

const SLOP = 6;
const LONG_PRESS = 350;
const EDGE = 48;

export interface Target {
  status: Status;
  element: HTMLElement;
  list: WindowedList;
  /** Whether there is an order to drop into. */
  ordered: boolean;
}

export interface Hooks {
  targets(): Target[];
  board: HTMLElement;
  begin(id: string): void;
  drop(id: string, status: Status, index: number | null): void;
  end(): void;
}

/** Lets the cards in an element be dragged. */
export function draggable(hooks: Hooks): void {
  let pressed: { card: HTMLElement; id: string; x: number; y: number; pointer: number; timer: number } | null = null;
  let held: { ghost: HTMLElement; dx: number; dy: number; x: number; y: number; at: Target | null; index: number | null } | null = null;
  let scrolling = 0;
  const marker = h("div.marker");

  on(hooks.board, "pointerdown", (event) => {
    const on = event.target as HTMLElement;
    const card = on.closest<HTMLElement>(".card");
    const id = card?.dataset["id"];
    if (!card || !id || id.startsWith("new-") || event.button !== 0 || on.closest("button, .refusal")) return;
    // One hand at a time; a second finger changes nothing.
    if (pressed && pressed.pointer !== event.pointerId) return;
    cancel();
    const touch = event.pointerType !== "mouse";
    const timer = touch ? window.setTimeout(() => lift(), LONG_PRESS) : 0;
    pressed = { card, id, x: event.clientX, y: event.clientY, pointer: event.pointerId, timer };
  });

  on(window, "pointermove", (event) => {
    if (!pressed || event.pointerId !== pressed.pointer) return;
    const far = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > SLOP;
    if (!held && far) {
      if (pressed.timer) return cancel();
      lift();
    }
    if (held) follow(event.clientX, event.clientY);
  });
  on(window, "pointerup", (event) => {
    if (!pressed || event.pointerId !== pressed.pointer) return;
    if (held?.at) hooks.drop(pressed.id, held.at.status, held.at.ordered ? held.index : null);
    if (held) {
      // The click that ends a drag must not open the task.
      const swallow = (click: Event) => click.stopPropagation();
      on(window, "click", swallow, { capture: true, once: true });
      setTimeout(() => removeEventListener("click", swallow, true));
    }
    cancel();
  });
  on(window, "pointercancel", (event) => event.pointerId === pressed?.pointer && cancel());
  on(window, "keydown", (event) => {
    if (event.key === "Escape" && held) {
      event.stopImmediatePropagation();
      cancel();
    }
  }, true);
  // Without this the page would scroll under the finger, and the browser would take the pointer away.
  on(window, "touchmove", (event) => held && event.preventDefault(), { passive: false });
  on(hooks.board, "contextmenu", (event) => pressed?.timer && event.preventDefault());

  function lift(): void {
    if (!pressed) return;
    const box = pressed.card.getBoundingClientRect();
    const ghost = pressed.card.cloneNode(true) as HTMLElement;
    ghost.classList.add("ghost");
    ghost.setAttribute("aria-hidden", "true");
    ghost.removeAttribute("data-id");
    ghost.style.width = `${box.width}px`;
    document.body.append(ghost);
    document.body.classList.add("dragging");
    getSelection()?.removeAllRanges();
    held = { ghost, dx: pressed.x - box.left, dy: pressed.y - box.top, x: pressed.x, y: pressed.y, at: null, index: null };
    hooks.begin(pressed.id);
    follow(pressed.x, pressed.y);
    scrolling = requestAnimationFrame(scroll);
  }

  function follow(x: number, y: number): void {
    if (!held || !pressed) return;
    [held.x, held.y] = [x, y];
    held.ghost.style.transform = `translate(${x - held.dx}px, ${y - held.dy}px) rotate(1deg)`;
    // Above the board there is nothing to drop on.
    const inside = y >= hooks.board.getBoundingClientRect().top;
    const target = hooks.targets().find(({ element }) => {
      const box = element.getBoundingClientRect();
      return inside && x >= box.left && x <= box.right;
    });
    if (held.at !== target) {
      held.at?.element.classList.remove("over");
      target?.element.classList.add("over");
    }
    held.at = target ?? null;
    marker.remove();
    held.index = null;
    if (!target?.ordered) return;
    const { index, y: at } = target.list.slot(y, pressed.id);
    held.index = index;
    marker.style.transform = `translateY(${at}px)`;
    target.list.list.parentElement?.append(marker);
  }

  /** Scrolls what is under the edge that the card is held to. */
  function scroll(): void {
    if (!held) return;
    const list = held.at?.list.element;
    if (list) {
      const box = list.getBoundingClientRect();
      const speed = held.y < box.top + EDGE ? -10 : held.y > box.bottom - EDGE ? 10 : 0;
      if (speed) list.scrollTop += speed;
    }
    const box = hooks.board.getBoundingClientRect();
    const sideways = held.x < box.left + EDGE ? -12 : held.x > box.right - EDGE ? 12 : 0;
    if (sideways) hooks.board.scrollLeft += sideways;
    if (sideways || list) follow(held.x, held.y);
    scrolling = requestAnimationFrame(scroll);
  }

  function cancel(): void {
    if (pressed?.timer) clearTimeout(pressed.timer);
    pressed = null;
    if (!held) return;
    cancelAnimationFrame(scrolling);
    held.ghost.remove();
    held.at?.element.classList.remove("over");
    marker.remove();
    document.body.classList.remove("dragging");
    held = null;
    hooks.end();
  }
}
