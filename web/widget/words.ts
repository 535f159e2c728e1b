// What the page says to people, in one place.
import { readable } from "../shared/readable";
import { figure } from "./host";
import type { Task } from "./tasks";

const many = (count: number, one: string, more: string) => `${figure(count)} ${count === 1 ? one : more}`;

/** "3 of 7 done" */
export function progress(done: number, total: number): string {
  if (total === 0) return "";
  return done === total ? (total === 1 ? "Done" : `All ${figure(total)} done`) : `${figure(done)} of ${figure(total)} done`;
}

export const clear = (count: number) => `Clear ${figure(count)} done`;
export const confirmClear = (count: number, anew: boolean) =>
  `${anew ? "The list has changed. " : ""}Remove ${many(count, "completed task", "completed tasks")} for good?`;
export const NOTHING_DONE = "Nothing removed: no task is completed any more.";
export const cleared = (count: number) => `Removed ${many(count, "completed task", "completed tasks")}.`;

/** Where a task is that was moved, or could not be moved further. */
export const moved = (title: string, place: number, of: number) => `“${title}” is now ${figure(place)} of ${figure(of)}.`;
export const atEnd = (title: string, first: boolean) => `“${title}” is the ${first ? "first" : "last"} already.`;
export const MOVE_NOT_OFFERED = "this app does not let the page move tasks.";

/** Whom a task is with. */
export const holder = (assignee: string) => assignee.replace(/^person:/, "");

/** "Waits for A", "Waits for A and B", "Waits for A and 2 more" */
export function waits(others: readonly Task[]): string {
  const [first, second] = others;
  if (!first) return "";
  if (!second) return `Waits for ${quoted(first)}`;
  if (others.length === 2) return `Waits for ${quoted(first)} and ${quoted(second)}`;
  return `Waits for ${quoted(first)} and ${figure(others.length - 1)} more`;
}

// A mark on each side keeps a title of the other direction from turning the sentence around.
const quoted = (task: Task) => `\u2068“${readable(short(task.title))}”\u2069`;

/** As much of a title as fits into a sentence; never half a character. */
export function short(title: string): string {
  const line = title.replace(/\s+/gu, " ").trim();
  if (line.length <= 60) return line;
  const letters = [...new Intl.Segmenter().segment(line.slice(0, 120))].map(({ segment }) => segment);
  return letters.length <= 60 ? `${letters.slice(0, -1).join("")}…` : `${letters.slice(0, 59).join("")}…`;
}
