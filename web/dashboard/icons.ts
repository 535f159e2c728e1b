// The few pictures of the page, drawn as lines on a grid of 16.
import { s } from "../shared/dom";

const LINES = {
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14",
  close: "M4 4l8 8M12 4l-8 8",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  wait: "M5 2h6M5 14h6M5.5 2v2.5L8 8l2.5-3.5V2M5.5 14v-2.5L8 8l2.5 3.5V14",
  subtasks: "M2 4.5l1.2 1.2L5.5 3.5M2 11l1.2 1.2L5.5 10M8 4.5h6M8 11h6",
  text: "M3 4h10M3 8h10M3 12h6",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M12.6 3.4l-.7.7M4.1 11.9l-.7.7",
  moon: "M13.5 9.5A6 6 0 1 1 6.5 2.5a4.8 4.8 0 0 0 7 7Z",
  help: "M6 6.2A2 2 0 1 1 8.7 8c-.5.3-.7.6-.7 1.2v.3M8 12h.01",
  copy: "M6 6h7v7H6zM3 10V3h7",
  back: "M10 3L5 8l5 5",
  fold: "M6 3l5 5-5 5",
  check: "M3 8.5l3.2 3.2L13 5",
  trash: "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5",
} as const;

export type Icon = keyof typeof LINES;

export const icon = (name: Icon): SVGSVGElement =>
  s("svg.icon", { viewBox: "0 0 16 16", "aria-hidden": "true" }, s("path", { d: LINES[name] }));

/** The mark: a tick that is a bird on the wing. */
export const mark = (): SVGSVGElement =>
  s(
    "svg",
    { class: "mark", viewBox: "0 0 24 24", "aria-hidden": "true" },
    s("rect", { x: 1, y: 1, width: 22, height: 22, rx: 7 }),
    s("path", { d: "M5 12.6c2.6-.4 4.2.8 5.2 3.4 1.4-5.2 4-8.2 8.8-9.2" }),
    s("circle", { cx: 17.3, cy: 11.7, r: 1.3 }),
  );
