// Lays out who waits for whom: in layers from left to right, or downwards where it is narrow, with few crossings, one
// group beside another. Knows nodes only by name; `edges` go from what must come first to what waits for it, and must
// not form a cycle.

export const NODE = { width: 196, height: 54 };
/** Between one layer and the next, and between the nodes of a layer. */
const AHEAD = 60;
const BESIDE = 14;
const BEND = 12;
const APART = 36;
const SWEEPS = 24;
/** What ordering may cost, in looks from one stop to another, and how many bends long edges may have together. */
const EFFORT = 100_000;
const BENDS = 1_000;

export interface Point {
  x: number;
  y: number;
}

export interface Drawing {
  width: number;
  height: number;
  /** The upper left corner of each node. */
  nodes: Map<string, Point>;
  edges: { from: string; to: string; path: string }[];
}

/** A place in a layer: a node, or where a long edge passes. */
interface Stop {
  node: string | null;
  before: Stop[];
  after: Stop[];
  /** Where in its layer. */
  at: number;
}

export function layOut(names: string[], edges: [string, string][], room: number, downwards: boolean): Drawing {
  const drawing: Drawing = { width: 0, height: 0, nodes: new Map(), edges: [] };
  const groups = connected(names, edges).map(({ names, edges }) => layOutGroup(names, edges, downwards));
  groups.sort((a, b) => b.nodes.size - a.nodes.size);
  // Groups stand in rows as wide as there is room, or as the widest of them.
  const widest = Math.max(room, ...groups.map((group) => group.width));
  let [x, y, high] = [0, 0, 0];
  for (const group of groups) {
    if (x > 0 && x + group.width > widest) [x, y, high] = [0, y + high + APART, 0];
    for (const [name, at] of group.nodes) drawing.nodes.set(name, { x: at.x + x, y: at.y + y });
    for (const { from, to, points } of group.edges) {
      drawing.edges.push({ from, to, path: curve(points.map((at) => ({ x: at.x + x, y: at.y + y })), downwards) });
    }
    drawing.width = Math.max(drawing.width, x + group.width);
    drawing.height = Math.max(drawing.height, y + group.height);
    high = Math.max(high, group.height);
    x += group.width + APART;
  }
  return drawing;
}

function connected(names: string[], edges: [string, string][]): { names: string[]; edges: [string, string][] }[] {
  const leader = new Map(names.map((name) => [name, name]));
  const find = (name: string): string => {
    let top = name;
    while (leader.get(top) !== top) top = leader.get(top)!;
    leader.set(name, top);
    return top;
  };
  for (const [from, to] of edges) leader.set(find(from), find(to));
  const groups = new Map<string, { names: string[]; edges: [string, string][] }>();
  for (const name of names) {
    const top = find(name);
    if (!groups.has(top)) groups.set(top, { names: [], edges: [] });
    groups.get(top)!.names.push(name);
  }
  for (const edge of edges) groups.get(find(edge[0]))!.edges.push(edge);
  return [...groups.values()];
}

interface Group {
  width: number;
  height: number;
  nodes: Map<string, Point>;
  edges: { from: string; to: string; points: Point[] }[];
}

function layOutGroup(names: string[], edges: [string, string][], downwards: boolean): Group {
  const [long, wide] = downwards ? [NODE.height, NODE.width] : [NODE.width, NODE.height];
  const layer = rank(names, edges);
  const layers: Stop[][] = [];
  const stops = new Map<string, Stop>();
  const put = (at: number, node: string | null): Stop => {
    const stop: Stop = { node, before: [], after: [], at: 0 };
    (layers[at] ??= []).push(stop);
    return stop;
  };
  for (const name of names) stops.set(name, put(layer.get(name)!, name));
  const routes: { from: string; to: string; stops: Stop[] }[] = [];
  let bends = 0;
  for (const [from, to] of edges) {
    const route = [stops.get(from)!];
    const long = layer.get(to)! - layer.get(from)! - 1;
    // Where there are too many, the others go straight.
    if (bends + long <= BENDS) for (let i = 1; i <= long; i += 1) route.push(put(layer.get(from)! + i, null));
    bends += long;
    route.push(stops.get(to)!);
    for (let i = 1; i < route.length; i += 1) {
      route[i - 1]!.after.push(route[i]!);
      route[i]!.before.push(route[i - 1]!);
    }
    routes.push({ from, to, stops: route });
  }
  const looks = layers.flat().reduce((sum, stop) => sum + 1 + stop.before.length + stop.after.length, 0);
  const sweeps = Math.max(2, Math.min(SWEEPS, Math.floor(EFFORT / looks)));
  order(layers, sweeps);
  const breadth = align(layers, wide, sweeps);
  const ahead = (layer: number) => layer * (long + AHEAD);
  const point = (ahead: number, beside: number): Point => (downwards ? { x: beside, y: ahead } : { x: ahead, y: beside });
  const nodes = new Map<string, Point>();
  for (const [name, stop] of stops) nodes.set(name, point(ahead(layer.get(name)!), stop.at - wide / 2));
  const drawn = routes.map(({ from, to, stops }) => {
    const first = layer.get(from)!;
    const points = [point(ahead(first) + long, stops[0]!.at)];
    for (let i = 1; i < stops.length - 1; i += 1) {
      points.push(point(ahead(first + i), stops[i]!.at), point(ahead(first + i) + long, stops[i]!.at));
    }
    points.push(point(ahead(layer.get(to)!), stops[stops.length - 1]!.at));
    return { from, to, points };
  });
  const { x: width, y: height } = point(ahead(layers.length - 1) + long, breadth);
  return { width, height, nodes, edges: drawn };
}

/** The layer of each: after everything that comes before it, and no further from what comes after than need be. */
function rank(names: string[], edges: [string, string][]): Map<string, number> {
  const after = new Map<string, string[]>(names.map((name) => [name, []]));
  const missing = new Map<string, number>(names.map((name) => [name, 0]));
  for (const [from, to] of edges) {
    after.get(from)!.push(to);
    missing.set(to, missing.get(to)! + 1);
  }
  const layer = new Map<string, number>(names.map((name) => [name, 0]));
  const starts = names.filter((name) => missing.get(name) === 0);
  const ready = [...starts];
  for (let name; (name = ready.pop()) !== undefined; ) {
    for (const next of after.get(name)!) {
      layer.set(next, Math.max(layer.get(next)!, layer.get(name)! + 1));
      missing.set(next, missing.get(next)! - 1);
      if (missing.get(next) === 0) ready.push(next);
    }
  }
  for (const name of starts) {
    const nearest = Math.min(...after.get(name)!.map((next) => layer.get(next)!));
    if (Number.isFinite(nearest)) layer.set(name, nearest - 1);
  }
  return layer;
}

/** Orders each layer by the middle of its neighbours, forth and back, which leaves few crossings. */
function order(layers: Stop[][], sweeps: number): void {
  const number = (layer: Stop[]) => layer.forEach((stop, i) => (stop.at = i));
  layers.forEach(number);
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    const forth = sweep % 2 === 0;
    const through = forth ? layers : [...layers].reverse();
    for (const layer of through) {
      const wish = new Map(layer.map((stop) => [stop, mean(forth ? stop.before : stop.after) ?? stop.at]));
      layer.sort((a, b) => wish.get(a)! - wish.get(b)!);
      number(layer);
    }
  }
}

/** Gives each its place in the layer: near its neighbours, and not on top of the one before. Tells how broad it all is. */
function align(layers: Stop[][], wide: number, sweeps: number): number {
  const gap = (a: Stop, b: Stop) => ((a.node ? wide : BEND) + (b.node ? wide : BEND)) / 2 + BESIDE;
  const spread = (layer: Stop[], wish: number[]) => {
    let [moved, last] = [0, -Infinity];
    layer.forEach((stop, i) => {
      stop.at = Math.max(wish[i]!, i ? last + gap(layer[i - 1]!, stop) : -Infinity);
      moved += stop.at - wish[i]!;
      last = stop.at;
    });
    for (const stop of layer) stop.at -= moved / layer.length;
  };
  for (const layer of layers) spread(layer, layer.map((_, i) => i * (wide + BESIDE)));
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    const through = sweep % 2 ? [...layers].reverse() : layers;
    for (const layer of through) {
      spread(layer, layer.map((stop) => mean([...stop.before, ...stop.after]) ?? stop.at));
    }
  }
  let [top, bottom] = [Infinity, -Infinity];
  for (const stop of layers.flat()) [top, bottom] = [Math.min(top, stop.at), Math.max(bottom, stop.at)];
  for (const stop of layers.flat()) stop.at += wide / 2 - top;
  return bottom - top + wide;
}

const mean = (stops: Stop[]): number | null =>
  stops.length ? stops.reduce((sum, stop) => sum + stop.at, 0) / stops.length : null;

/** A line through points that leaves and arrives straight ahead. */
function curve(points: Point[], downwards: boolean): string {
  const round = (value: number) => Math.round(value * 10) / 10;
  let path = `M${round(points[0]!.x)} ${round(points[0]!.y)}`;
  for (let i = 1; i < points.length; i += 1) {
    const [a, b] = [points[i - 1]!, points[i]!];
    const [middle, half] = [(a.x + b.x) / 2, (a.y + b.y) / 2];
    const by = downwards ? [a.x, half, b.x, half] : [middle, a.y, middle, b.y];
    path += `C${[...by, b.x, b.y].map(round).join(" ")}`;
  }
  return path;
}
