// The burn-down and the throughput, as two plots over the same days.
import { h, keyed, on, s, set, setText } from "../shared/dom";
import { invalidate, model } from "./model";
import { inWords, readProgress } from "./server";
import { now } from "./time";
import type { Day } from "./types";

const RANGES = [14, 30, 90];
const EDGE = { left: 40, right: 14, top: 14, bottom: 26 };

let range = 30;
let days: Day[] = [];
let loaded = "";
let trouble = "";
let width = 0;
let at = -1;

const buttons = RANGES.map((count) =>
  h(
    "button",
    {
      onclick: () => {
        range = count;
        invalidate();
      },
    },
    `${count} days`,
  ),
);
const figures = h("dl.summary");
const why = h("p.why", { role: "alert", hidden: true });
const open = plot("Open tasks", 240);
const done = plot("Throughput", 180, h("span.keys", {}, h("span", {}, h("i"), "finished"), h("span", {}, h("i.more-added"), "added")));
const table = h("table");
const asTable = h("details.alternative", {}, h("summary", {}, "As a table"), table);

export const progressView = h(
  "section.view.progress",
  { "aria-label": "Progress" },
  h(
    "div.inner",
    {},
    h("div.bar-of-view", {}, h("div.segments", { role: "group", "aria-label": "Range" }, ...buttons)),
    why,
    figures,
    open.element,
    done.element,
    asTable,
  ),
);
on(asTable, "toggle", invalidate);
new ResizeObserver(() => {
  if (width === open.element.clientWidth) return;
  width = open.element.clientWidth;
  invalidate();
}).observe(open.element);

/** A frame with a title, an image, and the figures of the day that is pointed at. */
function plot(title: string, height: number, keys?: HTMLElement) {
  const svg = s("svg", { height, role: "img", "aria-label": title });
  const said = h("span.said");
  const element = h("figure.plot", {}, h("figcaption", {}, h("b", {}, title), keys, said), svg);
  const frame = h("div.frame", { tabindex: 0, role: "group", "aria-label": `${title}: left and right go through the days` });
  frame.append(svg);
  element.append(frame);
  on(frame, "pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const step = (box.width - EDGE.left - EDGE.right) / Math.max(1, days.length);
    point(Math.floor((event.clientX - box.left - EDGE.left) / step));
  });
  on(frame, "pointerleave", () => point(-1));
  on(frame, "blur", () => point(-1));
  on(frame, "keydown", (event) => {
    const from = at < 0 ? days.length : at;
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: days.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    point(Math.max(0, Math.min(to, days.length - 1)), said);
  });
  return { element, svg, said, height };
}

function point(to: number, loud?: HTMLElement): void {
  at = to >= 0 && to < days.length ? to : -1;
  for (const { said } of [open, done]) set(said, "aria-live", said === loud ? "polite" : null);
  draw();
}

const name = (day: string, long = false): string =>
  new Date(`${day}T12:00:00Z`).toLocaleDateString(undefined, long ? { weekday: "short", day: "numeric", month: "short" } : { day: "numeric", month: "short" });

export function drawProgress(): void {
  const today = new Date(now());
  // A day ends at midnight, here or where the server counts.
  const wanted = `${range} ${model.epoch} ${model.board?.revision} ${today.getDate()} ${today.getUTCDate()}`;
  if (wanted !== loaded) {
    loaded = wanted;
    void load(range);
  }
  RANGES.forEach((count, i) => set(buttons[i]!, "aria-pressed", String(count === range)));
  draw();
}

async function load(count: number): Promise<void> {
  try {
    const answer = await readProgress(count);
    if (count !== range) return;
    days = answer.days;
    trouble = "";
  } catch (error) {
    trouble = inWords(error);
    loaded = "";
  }
  at = -1;
  draw();
}

/** A few round numbers from 0 to beyond the most. */
function ticks(most: number): number[] {
  const rough = Math.max(1, most) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? rough);
  const found = [0];
  while (found[found.length - 1]! < most || found.length < 2) found.push(found.length * step);
  return found;
}

function draw(): void {
  why.hidden = !trouble;
  setText(why, trouble);
  if (!days.length || !width) return;
  const last = days[days.length - 1]!;
  const sum = (key: "finished" | "added") => days.reduce((total, day) => total + day[key], 0);
  const [finished, added] = [sum("finished"), sum("added")];
  const rows: [string, string][] = [
    ["Open now", String(last.open)],
    [`Finished in ${days.length} days`, String(finished)],
    ["Added", String(added)],
    ["Finished a day", (finished / days.length).toFixed(1)],
  ];
  const pace = (finished - added) / days.length;
  if (pace > 0 && last.open > 0) rows.push(["Done at this pace in", `${Math.ceil(last.open / pace)} days`]);
  keyed(figures, rows, ([key]) => key, ([key]) => h("div", {}, h("dt", {}, key), h("dd")), (row, [, value]) => setText(row.lastElementChild!, value));
  const day = days[at] ?? last;
  setText(open.said, `${at < 0 ? "Today" : name(day.day, true)}: ${day.open} open`);
  setText(done.said, `${at < 0 ? "Today" : name(day.day, true)}: ${day.finished} finished, ${day.added} added`);
  drawPlot(open, Math.max(...days.map((day) => day.open)), (x, y, step) => {
    const points = days.map((day, i) => `${x(i) + step / 2} ${y(day.open)}`);
    const ground = `${x(days.length - 1) + step / 2} ${y(0)}L${x(0) + step / 2} ${y(0)}Z`;
    const marks: SVGElement[] = [
      s("path.area", { d: `M${points.join("L")}L${ground}` }),
      s("path.line", { d: `M${points.join("L")}` }),
    ];
    const near = at < 0 ? days.length - 1 : at;
    marks.push(s("circle.point", { cx: x(near) + step / 2, cy: y(days[near]!.open), r: 4 }));
    return marks;
  });
  drawPlot(done, Math.max(...days.map((day) => Math.max(day.finished, day.added))), (x, y, step) => {
    const wide = Math.max(1.5, Math.min(14, step * 0.36));
    return days.flatMap((day, i) => {
      const middle = x(i) + step / 2;
      const bar = (kind: string, left: number, value: number) =>
        s("rect", { class: kind, x: left, y: y(value), width: wide, height: y(0) - y(value), rx: Math.min(2, wide / 2) });
      return [day.finished && bar("finished", middle - wide - 0.5, day.finished), day.added && bar("added", middle + 0.5, day.added)].filter(
        (mark): mark is SVGRectElement => Boolean(mark),
      );
    });
  });
  drawTable();
}

function drawPlot(
  { svg, height }: { svg: SVGSVGElement; height: number },
  most: number,
  marks: (x: (i: number) => number, y: (value: number) => number, step: number) => SVGElement[],
): void {
  const scale = ticks(most);
  const top = scale[scale.length - 1]!;
  const step = (width - EDGE.left - EDGE.right) / days.length;
  const x = (i: number) => Math.round((EDGE.left + i * step) * 10) / 10;
  const y = (value: number) => Math.round((height - EDGE.bottom - (value / top) * (height - EDGE.top - EDGE.bottom)) * 10) / 10;
  set(svg, "width", width);
  set(svg, "viewBox", `0 0 ${width} ${height}`);
  const every = Math.ceil(days.length / Math.max(2, Math.floor(width / 90)));
  svg.replaceChildren(
    ...scale.map((value) => s("path.rule", { d: `M${EDGE.left} ${y(value)}H${width - EDGE.right}` })),
    ...scale.map((value) => s("text", { x: EDGE.left - 8, y: y(value) + 4, "text-anchor": "end" }, String(value))),
    ...days.flatMap((day, i) =>
      (days.length - 1 - i) % every === 0
        ? [s("text", { x: Math.min(x(i) + step / 2, width - 24), y: height - 8, "text-anchor": "middle" }, name(day.day))]
        : [],
    ),
    ...(at < 0 ? [] : [s("path.here", { d: `M${x(at) + step / 2} ${EDGE.top}V${height - EDGE.bottom}` })]),
    ...marks(x, y, step),
  );
}

function drawTable(): void {
  if (!asTable.open) return table.replaceChildren();
  const cell = (kind: "td" | "th", text: string) => h(kind, {}, text);
  table.replaceChildren(
    h("thead", {}, h("tr", {}, ...["Day", "Open", "Finished", "Added"].map((word) => cell("th", word)))),
    h(
      "tbody",
      {},
      ...[...days].reverse().map((day) =>
        h("tr", {}, cell("td", day.day), ...[day.open, day.finished, day.added].map((value) => cell("td", String(value)))),
      ),
    ),
  );
}
