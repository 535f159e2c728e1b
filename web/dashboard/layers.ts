// Lays out who waits for whom: in layers from left to right, few crossings, one group beside another. Knows nodes only
// by name; `edges` go from what must come first to what waits for it, and must not form a circle.

export const NODE = { width: 196, height: 54 };
const ACROSS = 64;
const DOWN = 14;
const BEND = 12;
const APART = 36;
const SWEEPS = 24;

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
  y: number;
}

export function layOut(names: string[], edges: [string, string][], room: number): Drawing {
  const drawing: Drawing = { width: 0, height: 0, nodes: new Map(), edges: [] };
  const groups = connected(names, edges).map(({ names, edges }) => layOutGroup(names, edges));
  groups.sort((a, b) => b.nodes.size - a.nodes.size);
  // Groups stand in rows as wide as there is room, or as the widest of them.
  const widest = Math.max(room, ...groups.map((group) => group.width));
  let [x, y, high] = [0, 0, 0];
  for (const group of groups) {
    if (x > 0 && x + group.width > widest) [x, y, high] = [0, y + high + APART, 0];
    for (const [name, at] of group.nodes) drawing.nodes.set(name, { x: at.x + x, y: at.y + y });
    for (const { from, to, points } of group.edges) {
      drawing.edges.push({ from, to, path: curve(points.map((at) => ({ x: at.x + x, y: at.y + y }))) });
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

function layOutGroup(names: string[], edges: [string, string][]): Group {
  const layer = rank(names, edges);
  const layers: Stop[][] = [];
  const stops = new Map<string, Stop>();
  const put = (at: number, node: string | null): Stop => {
    const stop: Stop = { node, before: [], after: [], y: 0 };
    (layers[at] ??= []).push(stop);
    return stop;
  };
  for (const name of names) stops.set(name, put(layer.get(name)!, name));
  const routes: { from: string; to: string; stops: Stop[] }[] = [];
  for (const [from, to] of edges) {
    const route = [stops.get(from)!];
    for (let at = layer.get(from)! + 1; at < layer.get(to)!; at += 1) route.push(put(at, null));
    route.push(stops.get(to)!);
    for (let i = 1; i < route.length; i += 1) {
      route[i - 1]!.after.push(route[i]!);
      route[i]!.before.push(route[i - 1]!);
    }
    routes.push({ from, to, stops: route });
  }
  order(layers);
  const height = align(layers);
  const nodes = new Map<string, Point>();
  const x = (at: number) => at * (NODE.width + ACROSS);
  for (const [name, stop] of stops) nodes.set(name, { x: x(layer.get(name)!), y: stop.y - NODE.height / 2 });
  const drawn = routes.map(({ from, to, stops }) => {
    const first = layer.get(from)!;
    const points: Point[] = [{ x: x(first) + NODE.width, y: stops[0]!.y }];
    for (let i = 1; i < stops.length - 1; i += 1) {
      points.push({ x: x(first + i), y: stops[i]!.y }, { x: x(first + i) + NODE.width, y: stops[i]!.y });
    }
    points.push({ x: x(layer.get(to)!), y: stops[stops.length - 1]!.y });
    return { from, to, points };
  });
  return { width: x(layers.length - 1) + NODE.width, height, nodes, edges: drawn };
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
function order(layers: Stop[][]): void {
  const number = (layer: Stop[]) => layer.forEach((stop, i) => (stop.y = i));
  layers.forEach(number);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const forth = sweep % 2 === 0;
    const through = forth ? layers : [...layers].reverse();
    for (const layer of through) {
      const wish = new Map(layer.map((stop) => [stop, mean(forth ? stop.before : stop.after) ?? stop.y]));
      layer.sort((a, b) => wish.get(a)! - wish.get(b)!);
      number(layer);
    }
  }
}

/** Gives each its height: near its neighbours, and not on top of the one above. Tells how high it all is. */
function align(layers: Stop[][]): number {
  const gap = (a: Stop, b: Stop) => ((a.node ? NODE.height : BEND) + (b.node ? NODE.height : BEND)) / 2 + DOWN;
  const spread = (layer: Stop[], wish: number[]) => {
    let [moved, last] = [0, -Infinity];
    layer.forEach((stop, i) => {
      stop.y = Math.max(wish[i]!, i ? last + gap(layer[i - 1]!, stop) : -Infinity);
      moved += stop.y - wish[i]!;
      last = stop.y;
    });
    for (const stop of layer) stop.y -= moved / layer.length;
  };
  for (const layer of layers) spread(layer, layer.map((_, i) => i * (NODE.height + DOWN)));
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const through = sweep % 2 ? [...layers].reverse() : layers;
    for (const layer of through) {
      spread(layer, layer.map((stop) => mean([...stop.before, ...stop.after]) ?? stop.y));
    }
  }
  let [top, bottom] = [Infinity, -Infinity];
  for (const stop of layers.flat()) [top, bottom] = [Math.min(top, stop.y), Math.max(bottom, stop.y)];
  for (const stop of layers.flat()) stop.y += NODE.height / 2 - top;
  return bottom - top + NODE.height;
}

const mean = (stops: Stop[]): number | null =>
  stops.length ? stops.reduce((sum, stop) => sum + stop.y, 0) / stops.length : null;

/** A line through points that leaves and arrives level. */
function curve(points: Point[]): string {
  const round = (value: number) => Math.round(value * 10) / 10;
  let path = `M${round(points[0]!.x)} ${round(points[0]!.y)}`;
  for (let i = 1; i < points.length; i += 1) {
    const [a, b] = [points[i - 1]!, points[i]!];
    const middle = round((a.x + b.x) / 2);
    path += a.y === b.y ? `H${round(b.x)}` : `C${middle} ${round(a.y)} ${middle} ${round(b.y)} ${round(b.x)} ${round(b.y)}`;
  }
  return path;
}
