// What a person can do to tasks. Each shows at once, and is taken back with the reason where the server refuses.
import { brief } from "../shared/dom";
import { announce, toast } from "./announce";
import { changed, invalidate, model, type Patch } from "./model";
import { attempt, call, inWords, move, refresh, undo } from "./server";
import { STATUS_WORDS, type Status, type Task } from "./types";

/** Where a task goes in the order: beside another one, or where it is. */
export type Place = { before?: string; after?: string };

function settle(id: string, result: { ok: boolean; why?: string }): boolean {
  if (result.ok) model.refusals.delete(id);
  else {
    model.refusals.set(id, result.why ?? "");
    announce(result.why ?? "");
  }
  invalidate();
  return result.ok;
}

/** What follows from a status at once. */
function withStatus(task: Task, status: Status): Task {
  if (task.status === status) return task;
  const { assignee: _, completed: __, ...rest } = task;
  const moment = new Date(Date.now() + model.skew).toISOString();
  return { ...rest, status, updated: moment, ...(status === "done" || status === "cancelled" ? { completed: moment } : {}) };
}

/** The list after a task went somewhere else. */
export const moved =
  (id: string, place: Place, status: Status): Patch =>
  (tasks) => {
    const from = tasks.findIndex((task) => task.id === id);
    const task = tasks[from];
    if (!task) return tasks;
    const rest = tasks.filter((other) => other !== task);
    const beside = place.before ?? place.after;
    const at = rest.findIndex((other) => other.id === beside);
    rest.splice(at < 0 ? from : place.before ? at : at + 1, 0, withStatus(task, status));
    return rest;
  };

export async function setStatus(task: Task, status: Status): Promise<boolean> {
  if (task.status === status) return true;
  const doing = () => call("update_task", { id: task.id, status });
  const done = settle(task.id, await attempt(doing, moved(task.id, {}, status)));
  if (done) announce(`${brief(task.title, 200)}: ${STATUS_WORDS[status]}`);
  return done;
}

export async function moveTask(task: Task, place: Place, status: Status): Promise<boolean> {
  const differs = status !== task.status;
  if (!place.before && !place.after) return differs ? setStatus(task, status) : true;
  const body = { id: task.id, ...place, ...(differs ? { status } : {}) };
  return settle(task.id, await attempt(() => move(body), moved(task.id, place, status)));
}

export async function remove(task: Task): Promise<void> {
  const doing = () => call("delete_task", { id: task.id });
  const gone: Patch = (tasks) => tasks.filter((other) => other.id !== task.id);
  if (!settle(task.id, await attempt(doing, gone))) return;
  toast(`Deleted “${brief(task.title, 60)}”`, { action: ["Undo", () => void takeBack(task.id)] });
}

/** Takes back the last change that was made in a browser, or the last one that touched a task, and says what it was. */
export async function takeBack(id?: string): Promise<void> {
  try {
    const { undone } = await undo(id);
    // What is taken back may be that there was a task at all.
    const before = model.byId;
    await refresh();
    // First what was asked for, or what came or went; the others were only touched by it.
    const ids = [...new Set(undone)];
    const main = ids.find((one) => one === id) ?? ids.find((one) => model.byId.has(one) !== before.has(one)) ?? ids[0] ?? "";
    const title = (model.byId.get(main) ?? before.get(main))?.title;
    const gone = model.byId.has(main) ? "" : ", which is gone again";
    const more = ids.length > 1 ? `, and what it did to ${ids.length - 1} more` : "";
    toast(title ? `Taken back: “${brief(title, 60)}”${gone}${more}` : "Taken back");
  } catch (error) {
    toast(inWords(error), { bad: true });
  }
}

let added = 0;

/** Adds a task at the end; gives its id, or why not. */
export async function add(title: string): Promise<{ ok: true; value: string } | { ok: false; why: string }> {
  const moment = new Date(Date.now() + model.skew).toISOString();
  const fresh: Task = {
    id: `new-${++added}`,
    title,
    status: "pending",
    priority: "medium",
    created: moment,
    updated: moment,
  };
  // The board may tell of it before the call is answered; it must not stand there twice meanwhile.
  const known = new Set(model.byId.keys());
  const shown: Patch = (tasks) =>
    tasks.some((task) => task.title === title && !known.has(task.id)) ? tasks : [...tasks, fresh];
  const result = await attempt(() => call("create_task", { title }), shown);
  if (!result.ok) return result;
  announce(`Added ${brief(title, 200)}`);
  return { ok: true, value: result.value?.id ?? "" };
}

/** Changes fields of a task; gives why not if it was refused. */
export async function edit(id: string, fields: object, shown: Partial<Task> = {}): Promise<string | null> {
  const result = await attempt(() => call("update_task", { id, ...fields }), changed(id, shown));
  return result.ok ? null : result.why;
}

/** What can be done to a task as it stands, in the words of a menu. */
export function statusActions(task: Task): { label: string; status: Status }[] {
  const all: { label: string; status: Status; from: Status[] }[] = [
    { label: "Start", status: "in-progress", from: ["pending", "blocked", "deferred"] },
    { label: "Done", status: "done", from: ["pending", "in-progress", "blocked", "deferred"] },
    { label: "Put back to pending", status: "pending", from: ["in-progress", "blocked", "deferred"] },
    { label: "Reopen", status: "pending", from: ["done", "cancelled"] },
    { label: "Block", status: "blocked", from: ["pending", "in-progress"] },
    { label: "Defer", status: "deferred", from: ["pending", "in-progress", "blocked"] },
    { label: "Cancel", status: "cancelled", from: ["pending", "in-progress", "blocked", "deferred"] },
  ];
  return all.filter((action) => action.from.includes(task.status));
}
