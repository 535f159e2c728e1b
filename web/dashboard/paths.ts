// What is true of who waits for whom before it is drawn: where it forms cycles, and what it says twice. `edges` go
// from what must come first to what waits for it.

export type Edge = [from: string, to: string];

function follow(names: string[], edges: Edge[]): Map<string, string[]> {
  const after = new Map<string, string[]>(names.map((name) => [name, []]));
  for (const [from, to] of edges) after.get(from)!.push(to);
  return after;
}

/** Breaks cycles: the edges without those that close one, those that do, and the cycles that they close. */
export function breakCycles(names: string[], edges: Edge[]): { straight: Edge[]; closing: Edge[]; cycles: string[][] } {
  const after = follow(names, edges);
  const closes = new Set<string>();
  const cycles: string[][] = [];
  const seen = new Set<string>();
  for (const start of names) {
    if (seen.has(start)) continue;
    seen.add(start);
    // The way here, and at each which of its edges comes next.
    const way = [start];
    const next = [0];
    const on = new Set(way);
    while (way.length) {
      const at = way[way.length - 1]!;
      const to = after.get(at)![next[next.length - 1]!++];
      if (to === undefined) {
        on.delete(at);
        way.pop();
        next.pop();
      } else if (on.has(to)) {
        closes.add(`${at} ${to}`);
        cycles.push(way.slice(way.indexOf(to)));
      } else if (!seen.has(to)) {
        seen.add(to);
        on.add(to);
        way.push(to);
        next.push(0);
      }
    }
  }
  if (!closes.size) return { straight: edges, closing: [], cycles };
  const isClosing = ([from, to]: Edge) => closes.has(`${from} ${to}`);
  return { straight: edges.filter((edge) => !isClosing(edge)), closing: edges.filter(isClosing), cycles };
}

/** The edges without those that follow from others. They must not form a cycle. */
export function reduced(names: string[], edges: Edge[]): Edge[] {
  const after = follow(names, edges);
  const before = new Map<string, string[]>(names.map((name) => [name, []]));
  for (const [from, to] of edges) before.get(to)!.push(from);
  const missing = new Map(names.map((name) => [name, before.get(name)!.length]));
  const ready = names.filter((name) => !missing.get(name));
  const number = new Map(names.map((name, i) => [name, i]));
  const words = Math.ceil(names.length / 32);
  // Of each a bit for everything that must come before it.
  const above = new Map<string, Uint32Array>();
  const kept: Edge[] = [];
  for (let name; (name = ready.pop()) !== undefined; ) {
    const far = new Uint32Array(words);
    for (const other of before.get(name)!) above.get(other)!.forEach((bits, i) => (far[i]! |= bits));
    const near = new Uint32Array(far);
    for (const other of before.get(name)!) {
      const at = number.get(other)!;
      if (!(far[at >> 5]! & (1 << (at & 31)))) kept.push([other, name]);
      near[at >> 5]! |= 1 << (at & 31);
    }
    above.set(name, near);
    for (const to of after.get(name)!) {
      missing.set(to, missing.get(to)! - 1);
      if (!missing.get(to)) ready.push(to);
    }
  }
  return kept;
}
