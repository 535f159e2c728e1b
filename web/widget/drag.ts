// Dragging rows by their handles: shows where a row would go, scrolls at the edges, and says where it was let go. Knows
// rows as lines on the page, not what is in them.

export interface DragDeeds {
  /** The lines that have a place in the order, first to last. */
  order(): readonly (HTMLElement | undefined)[];
  /** A line was let go in a gap: gap 0 is before the first. */
  drop(line: HTMLElement, gap: number): void;
  /** A handle was pressed, not dragged. */
  press(line: HTMLElement): void;
}

/** How far a pointer may tremble before it drags. */
const TREMBLE = 4;
/** How near an edge scrolling begins, how far beyond it grows no faster, and how many pixels a frame it goes then. */
const EDGE = 44;
const BEYOND = 56;
const FASTEST = 36;

interface Drag {
  readonly pointer: number;
  readonly handle: HTMLElement;
  readonly line: HTMLElement;
  readonly from: number;
  y: number;
  /** Where it would go now; nothing until it moves. */
  gap?: number;
}

export function makeDragging(list: HTMLElement, scroller: HTMLElement, deeds: DragDeeds): void {
  const marker = document.getElementById("drop")!;
  const ghost = document.getElementById("ghost")!;
  let drag: Drag | undefined;
  /** What follows a drag as a click is none. */
  let dragged = false;

  const lineAt = (y: number): HTMLElement | undefined => {
    const reaches = (element: Element) => element.getBoundingClientRect().bottom > y;
    const chunk = [...list.children].find(reaches) ?? list.lastElementChild;
    const line = chunk && ([...chunk.children].find(reaches) ?? chunk.lastElementChild);
    return line instanceof HTMLElement ? line : undefined;
  };

  const place = () => {
    if (!drag) return;
    const view = scroller.getBoundingClientRect();
    const line = lineAt(Math.min(Math.max(drag.y, view.top), view.bottom - 1));
    if (!line) return;
    const { top, bottom, height } = line.getBoundingClientRect();
    const order = deeds.order();
    const at = order.indexOf(line);
    const below = at >= 0 && drag.y > top + height / 2;
    drag.gap = at < 0 ? order.length : below ? at + 1 : at;
    const own = order.indexOf(drag.line);
    marker.hidden = drag.gap === own || drag.gap === own + 1;
    const edge = (below ? bottom : top) - view.top + scroller.scrollTop;
    marker.style.top = `${Math.min(Math.max(edge - 1, 1), scroller.scrollHeight - 3)}px`;
    ghost.style.top = `${drag.y}px`;
  };

  const scroll = () => {
    if (drag?.gap === undefined) return;
    const view = scroller.getBoundingClientRect();
    const above = view.top + EDGE - drag.y;
    const below = drag.y - view.bottom + EDGE;
    const depth = Math.min(Math.max(above, below, 0) / (EDGE + BEYOND), 1);
    if (depth > 0) {
      scroller.scrollTop += (above > below ? -1 : 1) * Math.ceil(depth * FASTEST);
      place();
    }
    requestAnimationFrame(scroll);
  };

  const begin = (drag: Drag) => {
    drag.gap = -1;
    dragged = true;
    scroller.classList.add("dragging");
    drag.line.classList.add("lifted");
    ghost.textContent = drag.line.querySelector(".title")?.textContent ?? "";
    ghost.style.right = `${innerWidth - drag.handle.getBoundingClientRect().left + 6}px`;
    ghost.hidden = false;
    requestAnimationFrame(scroll);
  };

  const end = () => {
    drag?.line.classList.remove("lifted");
    scroller.classList.remove("dragging");
    marker.hidden = ghost.hidden = true;
    drag = undefined;
  };

  const held = (event: Event) =>
    event.target instanceof Element ? event.target.closest<HTMLElement>(".handle") : null;

  list.addEventListener("pointerdown", (event) => {
    const handle = held(event);
    const line = handle?.closest<HTMLElement>(".row");
    if (!handle || !line || event.button !== 0 || !event.isPrimary) return;
    dragged = false;
    drag = { pointer: event.pointerId, handle, line, from: event.clientY, y: event.clientY };
    // Wherever the pointer goes, outside of the page too.
    handle.setPointerCapture(event.pointerId);
  });
  list.addEventListener("pointermove", (event) => {
    if (drag?.pointer !== event.pointerId) return;
    drag.y = event.clientY;
    if (drag.gap === undefined && Math.abs(drag.y - drag.from) < TREMBLE) return;
    if (drag.gap === undefined) begin(drag);
    place();
  });
  list.addEventListener("pointerup", (event) => {
    if (drag?.pointer !== event.pointerId) return;
    const { line, gap } = drag;
    end();
    if (gap !== undefined && line.isConnected) deeds.drop(line, gap);
  });
  list.addEventListener("pointercancel", end);
  list.addEventListener("lostpointercapture", end);
  window.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || !drag) return;
      event.stopPropagation();
      end();
    },
    true,
  );
  list.addEventListener("click", (event) => {
    const line = held(event)?.closest<HTMLElement>(".row");
    if (line && !dragged) deeds.press(line);
    dragged = false;
  });
}
