// What the page knows: the board as the server said it, what the person did that the server has not confirmed yet,
// and what is being looked at. Draws nothing; tells those who do.
import { isOpen, type Board, type Priority, type Status, type Task } from "./types";

export type View = "board" | "graph" | "progress" | "agents";
export const VIEWS: readonly View[] = ["board", "graph", "progress", "agents"];

/** Something that was done here and is not confirmed yet, as a change of the list. */
export type Patch = (tasks: Task[]) => Task[];

export interface Filter {
  text: string;
  priority: Priority | "";
  status: Status | "";
  assignee: string;
  waiting: "" | "ready" | "waiting" | "critical";
}

export const NO_FILTER: Filter = { text: "", priority: "", status: "", assignee: "", waiting: "" };

export const model = {
  board: null as Board | null,
  /** The tasks, with what is not confirmed yet. */
  tasks: [] as Task[],
  byId: new Map<string, Task>(),
  /** How many open tasks a task waits for; only those that wait. */
  waits: new Map<string, number>(),
  /** Who waits for a task. */
  holdsUp: new Map<string, string[]>(),
  critical: new Set<string>(),
  /** What is wrong with the board itself. */
  trouble: null as { code: string; message: string } | null,
  connection: "connecting" as "connecting" | "live" | "lost",
  locked: false as false | "asked" | "wrong",
  newVersion: false,
  /** Refusals, by the task that they are about. */
  refusals: new Map<string, string>(),
  filter: { ...NO_FILTER },
  view: "board" as View,
  openTask: null as string | null,
  /** Goes up when revisions may begin anew: after a new connection, or with another project. */
  epoch: 0,
  /** How far the server's clock is ahead of this one. */
  skew: 0,
};

const patches = new Set<Patch>();
const drawers: (() => void)[] = [];
let planned = false;

/** Calls `draw` whenever something changed, at most once a frame. */
export function drawn(draw: () => void): void {
  drawers.push(draw);
}

export function invalidate(): void {
  if (planned) return;
  planned = true;
  requestAnimationFrame(() => {
    planned = false;
    for (const draw of drawers) draw();
  });
}

export function setBoard(board: Board): void {
  if (model.board && model.board.version !== board.version) model.newVersion = true;
  if (model.board && (model.board.project !== board.project || model.board.revision > board.revision)) model.epoch += 1;
  model.board = board;
  model.trouble = null;
  model.skew = Date.parse(board.now) - Date.now();
  derive();
}

/** Shows something as done until `forget` is called. */
export function patch(change: Patch): () => void {
  patches.add(change);
  derive();
  return () => {
    if (patches.delete(change)) derive();
  };
}

function derive(): void {
  const board = model.board;
  if (!board) return;
  let tasks = board.tasks;
  for (const change of patches) tasks = change(tasks);
  model.tasks = tasks;
  model.byId = new Map(tasks.map((task) => [task.id, task]));
  model.waits = new Map();
  model.holdsUp = new Map();
  for (const task of tasks) {
    if (!task.dependencies) continue;
    let open = 0;
    for (const id of task.dependencies) {
      const other = model.byId.get(id);
      if (!other) continue;
      if (isOpen(other)) open += 1;
      const held = model.holdsUp.get(id);
      if (held) held.push(task.id);
      else model.holdsUp.set(id, [task.id]);
    }
    if (open && isOpen(task)) model.waits.set(task.id, open);
  }
  model.critical = new Set(board.criticalPath);
  for (const id of model.refusals.keys()) if (!model.byId.has(id)) model.refusals.delete(id);
  invalidate();
}

/** A change of one task. */
export const changed =
  (id: string, fields: Partial<Task>): Patch =>
  (tasks) =>
    tasks.map((task) => (task.id === id ? { ...task, ...fields } : task));

/** However it is written: in small letters or capitals, with accents of their own or not, with or without a dot. */
const folded = (text: string): string => text.normalize("NFKD").toUpperCase().toLowerCase().replace(/i\u0307/g, "i");

// This costs more than the search itself; a title is changed once.
const lower = new WeakMap<Task, string>();
function searchable(task: Task): string {
  let text = lower.get(task);
  if (text === undefined) {
    text = `${task.title} ${task.activeForm ?? ""} ${task.assignee ?? ""} ${task.id}`;
    text = folded(text);
    lower.set(task, text);
  }
  return text;
}

/** The words that are searched for. All of them must be there. */
export const words = (text: string): string[] => folded(text).split(/\s+/).filter(Boolean);

export function matches(task: Task, filter: Filter, wanted: string[]): boolean {
  if (filter.priority && task.priority !== filter.priority) return false;
  if (filter.status && task.status !== filter.status) return false;
  if (filter.assignee && task.assignee !== filter.assignee) return false;
  if (filter.waiting === "waiting" && !model.waits.has(task.id)) return false;
  if (filter.waiting === "ready" && (model.waits.has(task.id) || task.status !== "pending")) return false;
  if (filter.waiting === "critical" && !model.critical.has(task.id)) return false;
  if (!wanted.length) return true;
  const text = searchable(task);
  return wanted.every((word) => text.includes(word));
}

export const isFiltered = (filter: Filter): boolean => Object.values(filter).some(Boolean);

/** The tasks of each status that pass the filter, in the order in which they are shown. */
export function columns(): Map<Status, Task[]> {
  const found = new Map<Status, Task[]>();
  const wanted = words(model.filter.text);
  for (const task of model.tasks) {
    if (!matches(task, model.filter, wanted)) continue;
    const list = found.get(task.status);
    if (list) list.push(task);
    else found.set(task.status, [task]);
  }
  // What was finished last is what people look for.
  for (const status of ["done", "cancelled"] as const) {
    found.get(status)?.sort((a, b) => ((a.completed ?? a.updated) < (b.completed ?? b.updated) ? 1 : -1));
  }
  return found;
}

export function progress(): { done: number; total: number } {
  let [done, total] = [0, 0];
  for (const task of model.tasks) {
    if (task.status === "cancelled") continue;
    total += 1;
    if (task.status === "done") done += 1;
  }
  return { done, total };
}
