// The picture of who waits for whom.
import { clip, h, keyed, on, s, set, setText } from "../shared/dom";
import { icon } from "./icons";
import { layOut, NODE, type Drawing } from "./layers";
import { breakCycles, reduced, type Edge } from "./paths";
import { invalidate, isFiltered, matches, model, words } from "./model";
import { open } from "./route";
import { isOpen, STATUS_WORDS, type Task } from "./types";

/** More than this nobody can read, and browsers become slow. */
const MOST = 240;
const PAD = 24;

let withDone = false;
let zoom = 0;
let key = "";
let drawing: Drawing | null = null;
/** What the picture says besides the edges that are laid out, worked out with it. */
let closing = new Set<string>();
let straight = new Set<string>();
let inCycle = new Set<string>();
let onPath = new Set<string>();
let cycle: string[] = [];
let spared = 0;
let shown: Task[] = [];
let current: string | null = null;

const edges = s("g");
const nodes = s("g");
const svg = s(
  "svg",
  { class: "picture", role: "group", "aria-label": "Who waits for whom" },
  s(
    "defs",
    {},
    ...["plain", "hot"].map((name) =>
      s("marker", { id: `arrow-${name}`, class: name, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" }, s("path", { d: "M1 1l6 3-6 3z" })),
    ),
  ),
  edges,
  nodes,
);
const canvas = h("div.canvas");
canvas.append(svg);
const note = h("span.faint", { role: "status" });
const nothing = h("p.nothing");
const why = h("p.why", { role: "alert", hidden: true });
const text = h("ul.as-text");
const asText = h("details.alternative", {}, h("summary", {}, "As text"), text);
const doneBox = h("input", {
  type: "checkbox",
  onchange: () => {
    withDone = doneBox.checked;
    invalidate();
  },
});

export const graphView = h(
  "section.view.graph",
  { "aria-label": "Graph" },
  h(
    "div.bar-of-view",
    {},
    h("label.check", {}, doneBox, "Show what is done"),
    h("span.legend", {}, h("i.hot"), "critical path"),
    note,
    h(
      "span.zoom",
      {},
      h("button.quiet", { "aria-label": "Smaller", onclick: () => setZoom(zoom / 1.25) }, icon("minus")),
      h("button.link", { onclick: fit }, "Fit"),
      h("button.quiet", { "aria-label": "Larger", onclick: () => setZoom(zoom * 1.25) }, icon("plus")),
    ),
  ),
  nothing,
  why,
  canvas,
  asText,
);

/** Which tasks are shown: those that wait or are waited for, the critical path first. */
function choose(): { tasks: Task[]; all: number } {
  const linked = model.tasks.filter(
    (task) =>
      (withDone || isOpen(task)) &&
      ((task.dependencies ?? []).some(visible) || (model.holdsUp.get(task.id) ?? []).some(visible)),
  );
  let found = linked;
  if (isFiltered(model.filter)) {
    const wanted = words(model.filter.text);
    const near = new Set<string>();
    for (const task of linked) {
      if (!matches(task, model.filter, wanted)) continue;
      for (const id of [task.id, ...(task.dependencies ?? []), ...(model.holdsUp.get(task.id) ?? [])]) near.add(id);
    }
    found = linked.filter((task) => near.has(task.id));
  }
  if (found.length <= MOST) return { tasks: found, all: found.length };
  // The critical path and what is around it, and then the others in the board's order, with what they wait for.
  const kept = new Set<Task>();
  const here = new Set(found);
  const queue = [...found.filter((task) => model.critical.has(task.id)), ...found];
  while (queue.length && kept.size < MOST) {
    const task = queue.shift()!;
    if (kept.has(task)) continue;
    kept.add(task);
    const beside = [...(task.dependencies ?? []), ...(model.holdsUp.get(task.id) ?? [])].flatMap((id) => model.byId.get(id) ?? []);
    queue.unshift(...beside.filter((other) => here.has(other) && !kept.has(other)).slice(0, 20));
  }
  return { tasks: found.filter((task) => kept.has(task)), all: found.length };
}

const visible = (id: string): boolean => {
  const task = model.byId.get(id);
  return task !== undefined && (withDone || isOpen(task));
};

export function drawGraph(): void {
  const { tasks, all } = choose();
  shown = tasks;
  const here = new Set(tasks.map((task) => task.id));
  const links = tasks.flatMap((task) =>
    (task.dependencies ?? []).filter((id) => here.has(id)).map((id): Edge => [id, task.id]),
  );
  nothing.hidden = tasks.length > 0;
  canvas.hidden = asText.hidden = tasks.length === 0;
  setText(
    nothing,
    isFiltered(model.filter)
      ? "Nothing that matches waits or is waited for."
      : "No task waits for another one. Open a task and add what it waits for; the picture draws itself.",
  );
  const downwards = canvas.clientWidth < 700;
  const now = JSON.stringify([[...here], links, downwards]);
  if (now !== key) {
    key = now;
    const apart = breakCycles([...here], links);
    closing = new Set(apart.closing.map((edge) => edge.join(" ")));
    inCycle = new Set(apart.cycles.flat());
    cycle = apart.cycles[0] ?? [];
    const needed = reduced([...here], apart.straight);
    spared = apart.straight.length - needed.length;
    // What closes a cycle is laid out the other way round, where there is room for it.
    straight = new Set(needed.map((edge) => edge.join(" ")));
    const turned = apart.closing.flatMap(([from, to]): Edge[] => (from === to || straight.has(`${to} ${from}`) ? [] : [[to, from]]));
    drawing = layOut([...here], [...needed, ...turned], Math.max(320, canvas.clientWidth - 2 * PAD), downwards);
    if (!zoom) begin();
    else setZoom(zoom);
  }
  if (!drawing) return;
  const notes = [];
  if (all > tasks.length) notes.push(`${tasks.length} of ${all} tasks are shown; search to see others`);
  if (spared) notes.push(`${spared} links that follow from others are not drawn`);
  setText(note, notes.join(" · "));
  const name = (id: string) => `“${clip(model.byId.get(id)?.title ?? id, 40)}”`;
  // Each waits for the one before it.
  const round = [...cycle].reverse();
  why.hidden = !round.length;
  const words = [...round, round[0] ?? ""].slice(0, 6).map(name).join(" waits for ");
  setText(why, `None of these can start: ${words}${round.length > 5 ? " …" : ""}. Open one of them and take away what it waits for.`);
  if (!current || !here.has(current)) current = tasks[0]?.id ?? null;
  const path = model.board?.criticalPath ?? [];
  // A cycle has no longest path.
  const critical = path.some((id) => inCycle.has(id)) ? [] : path;
  onPath = new Set(critical);
  const hot = new Set(critical.slice(1).map((id, i) => `${critical[i]} ${id}`));
  keyed(
    edges,
    drawing.edges,
    ({ from, to }) => `${from} ${to}`,
    () => s("path.edge"),
    (path, { from, to, path: d }) => {
      const turned = closing.has(`${to} ${from}`);
      const isHot = hot.has(`${from} ${to}`);
      set(path, "d", d);
      set(path, "class", turned ? "edge cycle" : isHot ? "edge hot" : "edge");
      // Where each waits for the other, there is an arrow at both ends.
      set(path, "marker-start", turned && "url(#arrow-plain)");
      set(path, "marker-end", straight.has(`${from} ${to}`) && `url(#arrow-${isHot ? "hot" : "plain"})`);
    },
  );
  keyed(nodes, tasks, (task) => task.id, create, update);
  drawText(tasks, here);
}

function create(task: Task): SVGGElement {
  return s(
    "g",
    { class: "node", role: "button", "data-id": task.id },
    s("rect", { width: NODE.width, height: NODE.height, rx: 8 }),
    s("rect.edge-mark", { x: 5, y: 9, width: 3, height: NODE.height - 18, rx: 1.5 }),
    s("foreignObject", { x: 14, y: 6, width: NODE.width - 22, height: NODE.height - 12 }, h("div.node-box", {}, h("div.node-title.clamp", { dir: "auto" }))),
  );
}

function update(node: SVGGElement, task: Task): void {
  const at = drawing?.nodes.get(task.id);
  if (!at) return;
  set(node, "transform", `translate(${at.x} ${at.y})`);
  set(node, "data-status", task.status);
  const isInCycle = inCycle.has(task.id);
  const hot = onPath.has(task.id);
  set(node, "class", isInCycle ? "node cycle" : hot ? "node hot" : "node");
  set(node, "tabindex", task.id === current ? 0 : -1);
  const waits = model.waits.get(task.id) ?? 0;
  const holds = (model.holdsUp.get(task.id) ?? []).length;
  const said = `${clip(task.title, 200)}, ${STATUS_WORDS[task.status]}, waits for ${waits}, holds up ${holds}`;
  set(node, "aria-label", isInCycle ? `${said}, in a cycle` : hot ? `${said}, on the critical path` : said);
  setText(node.querySelector(".node-title")!, clip(task.title, 200));
}

/** The same in words. */
function drawText(tasks: Task[], here: Set<string>): void {
  if (!asText.open) return text.replaceChildren();
  const name = (id: string) => `“${clip(model.byId.get(id)?.title ?? id, 120)}”`;
  const rows = tasks.filter((task) => (task.dependencies ?? []).some((id) => here.has(id)));
  keyed(text, rows, (task) => task.id, () => h("li", { dir: "auto" }), (row, task) => {
    const others = (task.dependencies ?? []).filter((id) => here.has(id)).map(name);
    setText(row, `${name(task.id)} (${STATUS_WORDS[task.status]}) waits for ${others.join(" and ")}`);
  });
}
on(asText, "toggle", invalidate);

function setZoom(to: number): void {
  if (!drawing) return;
  zoom = Math.min(2, Math.max(0.05, to));
  const [width, height] = [drawing.width + 2 * PAD, drawing.height + 2 * PAD];
  set(svg, "viewBox", `${-PAD} ${-PAD} ${width} ${height}`);
  set(svg, "width", Math.round(width * zoom));
  set(svg, "height", Math.round(height * zoom));
}

/** All of it at once. */
function fit(): void {
  if (!drawing || !canvas.clientWidth) return;
  const [across, down] = [canvas.clientWidth / (drawing.width + 2 * PAD), canvas.clientHeight / (drawing.height + 2 * PAD)];
  setZoom(Math.min(1, across, down));
}

/** As large as can be read. */
function begin(): void {
  if (!drawing || !canvas.clientWidth) return;
  setZoom(Math.min(1, Math.max(0.8, canvas.clientWidth / (drawing.width + 2 * PAD))));
  // Where it does not all fit, it begins at the beginning of what matters most.
  const first = model.board?.criticalPath.find((id) => drawing?.nodes.has(id)) ?? shown[0]?.id ?? "";
  const at = drawing.nodes.get(first);
  if (at) canvas.scrollTo((at.x - PAD) * zoom, (at.y + PAD + NODE.height / 2) * zoom - canvas.clientHeight / 2);
}

on(
  canvas,
  "wheel",
  (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    setZoom(zoom * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
  },
  { passive: false },
);

// Dragging the ground moves the picture, as on maps.
let hold: { x: number; y: number; left: number; top: number } | null = null;
on(canvas, "pointerdown", (event) => {
  if (event.pointerType !== "mouse" || event.button !== 0 || (event.target as Element).closest(".node")) return;
  hold = { x: event.clientX, y: event.clientY, left: canvas.scrollLeft, top: canvas.scrollTop };
  canvas.setPointerCapture(event.pointerId);
});
on(canvas, "pointermove", (event) => {
  if (!hold) return;
  canvas.scrollLeft = hold.left + hold.x - event.clientX;
  canvas.scrollTop = hold.top + hold.y - event.clientY;
});
for (const name of ["pointerup", "pointercancel"] as const) on(canvas, name, () => (hold = null));

const idOf = (target: EventTarget | null) => (target as Element | null)?.closest<SVGGElement>(".node")?.dataset["id"];
on(nodes, "click", (event) => {
  const id = idOf(event.target);
  if (id) open(id);
});
on(nodes, "keydown", (event) => {
  const id = idOf(event.target);
  if (!id) return;
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (way) goFrom(id, way[0]!, way[1]!);
  else if (event.key === "Enter" || event.key === " ") open(id);
  else return;
  event.preventDefault();
});

/** Goes to the nearest node that way. */
function goFrom(id: string, dx: number, dy: number): void {
  const from = drawing?.nodes.get(id);
  if (!from || !drawing) return;
  let best: { id: string; far: number } | null = null;
  for (const task of shown) {
    const to = drawing.nodes.get(task.id);
    if (!to || task.id === id) continue;
    const [along, aside] = dx ? [(to.x - from.x) * dx, Math.abs(to.y - from.y)] : [(to.y - from.y) * dy, Math.abs(to.x - from.x)];
    if (along <= 0) continue;
    const far = along + 2 * aside;
    if (!best || far < best.far) best = { id: task.id, far };
  }
  if (!best) return;
  current = best.id;
  drawGraph();
  const node = nodes.querySelector<SVGGElement>(`[data-id="${CSS.escape(best.id)}"]`);
  node?.focus({ preventScroll: true });
  node?.scrollIntoView({ block: "nearest", inline: "nearest" });
}
