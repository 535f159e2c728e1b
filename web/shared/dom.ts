// Makes and updates elements. Text only ever becomes text, with nothing hidden in it: nothing here can turn a string
// into markup.
import { readable } from "./readable";

export type Child = Node | string | null | undefined | false;
type Listener = (event: any) => void;
export type Props = Record<string, string | number | boolean | Listener | null | undefined>;

const SVG = "http://www.w3.org/2000/svg";

type Tag<Map> = (keyof Map & string) | `${keyof Map & string}.${string}`;
type Made<Map, T> = T extends `${infer Name extends keyof Map & string}.${string}` ? Map[Name] : T extends keyof Map ? Map[T] : never;

/** An HTML element (`div.card.done`) with its attributes, listeners (`onclick`) and children. */
export function h<T extends Tag<HTMLElementTagNameMap>>(
  tag: T,
  props: Props = {},
  ...children: Child[]
): Made<HTMLElementTagNameMap, T> {
  const [name, ...classes] = tag.split(".");
  return fill(document.createElement(name!), classes, props, children) as Made<HTMLElementTagNameMap, T>;
}

/** The same for SVG. */
export function s<T extends Tag<SVGElementTagNameMap>>(
  tag: T,
  props: Props = {},
  ...children: Child[]
): Made<SVGElementTagNameMap, T> {
  const [name, ...classes] = tag.split(".");
  return fill(document.createElementNS(SVG, name!), classes, props, children) as unknown as Made<SVGElementTagNameMap, T>;
}

function fill<E extends Element>(element: E, classes: string[], props: Props, children: Child[]): E {
  element.classList.add(...classes);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else set(element, name, value);
  }
  for (const child of children) if (child) element.append(typeof child === "string" ? readable(child) : child);
  return element;
}

type Events = HTMLElementEventMap & DocumentEventMap & WindowEventMap;

/** Hears an event of an element, or of the window. */
export function on<K extends keyof Events>(
  target: EventTarget,
  name: K,
  listener: (event: Events[K]) => unknown,
  options?: AddEventListenerOptions | boolean,
): void {
  target.addEventListener(name, listener as EventListener, options);
}

/** Sets an attribute if it is not so already; false, null and undefined take it away. */
export function set(element: Element, name: string, value: string | number | boolean | null | undefined): void {
  if (value === false || value === null || value === undefined) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
    return;
  }
  let text = value === true ? "" : String(value);
  if (name === "title" || name === "aria-label") text = readable(text);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/** Sets the text if it differs, so that selections and screen readers are left in peace. */
export function setText(element: Element, text: string): void {
  const shown = readable(text);
  if (element.textContent !== shown) element.textContent = shown;
}

/** The beginning of a text, without half a character at its end. */
export const clip = (text: string, most: number): string =>
  text.length > most ? text.slice(0, most).replace(/[\ud800-\udbff]$/, "") : text;

/** The same, and it shows that there is more. */
export const brief = (text: string, most: number): string => (text.length > most ? `${clip(text, most)}…` : text);

const kept = new WeakMap<Element, Map<string, Element>>();

/** Makes the children of an element those of a list, reusing the element of each key. */
export function keyed<T, E extends Element>(
  parent: Element,
  items: readonly T[],
  key: (item: T) => string,
  create: (item: T) => E,
  update: (element: E, item: T) => void,
): void {
  const before = kept.get(parent) ?? new Map<string, Element>();
  const after = new Map<string, Element>();
  for (const item of items) {
    const name = key(item);
    const element = (before.get(name) ?? create(item)) as E;
    update(element, item);
    after.set(name, element);
  }
  for (const [name, element] of before) if (after.get(name) !== element) element.remove();
  // Moving an element takes the focus from it; it gets it back.
  const focused = document.activeElement;
  const held = focused && parent.contains(focused) ? focused : null;
  let place: Element | null = parent.firstElementChild;
  for (const element of after.values()) {
    if (element === place) place = place.nextElementSibling;
    else parent.insertBefore(element, place);
  }
  kept.set(parent, after);
  if (held instanceof HTMLElement && held.isConnected && document.activeElement !== held) {
    held.focus({ preventScroll: true });
  }
}
