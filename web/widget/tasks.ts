// Tasks as tools tell of them. Whatever comes in, what goes out is sound: a list of tasks, or nothing.
import { record } from "./bridge";

export type Priority = "high" | "medium" | "low";
export type Status = "pending" | "in-progress" | "blocked" | "done" | "deferred";

export interface Task {
  readonly id: string;
  readonly title: string;
  readonly status: Status;
  readonly priority: Priority;
  /** What it is called while it is being done. */
  readonly activeForm?: string;
  readonly assignee?: string;
  /** The tasks that come first, open or not. */
  readonly waitsFor: readonly string[];
  /** Asked for, but not yet known to the server. */
  readonly unsaved?: boolean;
}

/** A new list, with the old task wherever nothing about it changed: what stays the same need not be drawn again. */
export function keepingSame(before: readonly Task[], now: readonly Task[]): readonly Task[] {
  const known = new Map(before.map((task) => [task.id, task]));
  return now.map((task) => {
    const old = known.get(task.id);
    return old && same(old, task) ? old : task;
  });
}

function same(one: Task, other: Task): boolean {
  return (
    one.title === other.title &&
    one.status === other.status &&
    one.priority === other.priority &&
    one.activeForm === other.activeForm &&
    one.assignee === other.assignee &&
    one.waitsFor.length === other.waitsFor.length &&
    one.waitsFor.every((id, place) => id === other.waitsFor[place])
  );
}

/** What the result of a tool says: the list, if it has one, and what went wrong, if anything did. */
export interface Told {
  readonly tasks?: readonly Task[];
  readonly problem?: string;
  /** What it says to people, if it has no list. */
  readonly sentence?: string;
}

/** Beside the list, where models do not read: what a task has besides a title. */
const DETAILS = "dev.todori/tasks";

export function told(result: unknown): Told {
  const { structuredContent, content, isError, _meta } = record(result);
  const texts = (Array.isArray(content) ? content : [])
    .map((block) => record(block)["text"])
    .filter((text): text is string => typeof text === "string");
  // Some hosts pass on the text only; of some servers it is JSON.
  const sources = [structuredContent, ...texts.map(parsed)].map(record);
  const details = record(record(_meta)[DETAILS]);
  const found = sources.map((source) => list(source, details)).find((tasks) => tasks !== undefined);
  const sentence = texts.filter((text) => typeof parsed(text) !== "object" && text.trim() !== "").join("\n");
  const said: Told = found ? { tasks: found } : sentence ? { sentence } : {};
  return isError === true ? { ...said, problem: problem(sources, texts) } : said;
}

function problem(sources: readonly Record<string, unknown>[], texts: readonly string[]): string {
  const messages = sources.map((source) => record(source["error"])["message"]);
  const said = messages.find((message): message is string => typeof message === "string" && message !== "");
  return said ?? texts.find((text) => text.trim() !== "") ?? "The server refused, and did not say why.";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A sentence for people.
    return undefined;
  }
}

function list(source: Record<string, unknown>, details: Record<string, unknown>): Task[] | undefined {
  const items = Array.isArray(source) ? source : source["tasks"];
  if (!Array.isArray(items)) return undefined;
  const byId = new Map<string, Task>();
  for (const item of items) {
    const task = one(record(item), details);
    if (task) byId.set(task.id, task);
  }
  return [...byId.values()];
}

function one(item: Record<string, unknown>, details: Record<string, unknown>): Task | undefined {
  const { id, title, completed } = item;
  if (typeof id !== "string" || typeof title !== "string") return undefined;
  const more = { ...item, ...record(Object.hasOwn(details, id) ? details[id] : undefined) };
  const { status, priority, activeForm, assignee, waitsFor } = more;
  const known = (["in-progress", "blocked", "deferred", "done"] as const).find((name) => name === status);
  return {
    id,
    title,
    status: completed === true ? "done" : known === "done" && completed === false ? "pending" : (known ?? "pending"),
    priority: priority === "high" || priority === "low" ? priority : "medium",
    waitsFor: Array.isArray(waitsFor) ? waitsFor.filter((other) => typeof other === "string") : [],
    ...(typeof activeForm === "string" && activeForm.trim() ? { activeForm } : {}),
    ...(typeof assignee === "string" && assignee ? { assignee } : {}),
  };
}
