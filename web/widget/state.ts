// What the page knows, and what it shows of it. Pure: what a person asked for is laid over what the server said last,
// so that taking it back is forgetting it.
import type { Task } from "./tasks";

/** What a person asked for and the server has not answered yet. */
export type Wish =
  | { readonly kind: "add"; readonly key: string; readonly title: string }
  | { readonly kind: "complete"; readonly id: string; readonly completed: boolean }
  | { readonly kind: "move"; readonly id: string; readonly to: Spot }
  | { readonly kind: "clear" };

/** Where a task goes: right before or right after another one. */
export interface Spot {
  readonly side: "before" | "after";
  readonly beside: string;
}

export type Filter = "all" | "open" | "done";

/** Where a message stands: beside what it is about. */
export type Place = "page" | "add" | "clear" | `task:${string}`;

export interface State {
  /** Whether there is a list to show, and if not, why. */
  readonly phase: "loading" | "ready" | "failed" | "told";
  /** What came instead of a list, where nobody may ask for one: a sentence about it. */
  readonly sentence: string;
  /** The list, as the server said it last. */
  readonly tasks: readonly Task[];
  readonly wishes: readonly Wish[];
  readonly messages: ReadonlyMap<Place, string>;
  /** Whether the host passes calls on. */
  readonly writable: boolean;
  /** Whether tasks can be moved, as far as anybody knows: not every host lets a page do what its model can't. */
  readonly movable: boolean;
  /** Whether somebody waits for a refresh they asked for. */
  readonly refreshing: boolean;
  /** The completed tasks of which the page asks whether they shall really go. */
  readonly confirming: ReadonlySet<string> | undefined;
  /** Whether it asks anew, because the list was another one meanwhile. */
  readonly anew: boolean;
  readonly filter: Filter;
  /** What is looked for; `undefined` while nobody looks. */
  readonly query: string | undefined;
  /** Shown whatever the filter says: what was just clicked must not vanish under the hand. */
  readonly kept: ReadonlySet<string>;
}

export const BEGINNING: State = {
  phase: "loading",
  sentence: "",
  tasks: [],
  wishes: [],
  messages: new Map(),
  writable: true,
  movable: true,
  refreshing: false,
  confirming: undefined,
  anew: false,
  filter: "all",
  query: undefined,
  kept: new Set(),
};

/** The list with every wish fulfilled. */
export function wished(state: State): readonly Task[] {
  return state.wishes.reduce(fulfil, state.tasks);
}

function fulfil(tasks: readonly Task[], wish: Wish): readonly Task[] {
  switch (wish.kind) {
    case "add":
      return [
        ...tasks,
        { id: wish.key, title: wish.title, status: "pending", priority: "medium", waitsFor: [], unsaved: true },
      ];
    case "complete":
      return tasks.map((task) =>
        task.id === wish.id && (task.status === "done") !== wish.completed
          ? { ...task, status: wish.completed ? ("done" as const) : ("pending" as const) }
          : task,
      );
    case "move":
      return moved(tasks, wish.id, wish.to);
    case "clear":
      return tasks.filter((task) => task.status !== "done");
  }
}

function moved(tasks: readonly Task[], id: string, { side, beside }: Spot): readonly Task[] {
  const task = tasks.find((other) => other.id === id);
  const rest = tasks.filter((other) => other !== task);
  const at = rest.findIndex((other) => other.id === beside);
  // One of the two is gone; the server will say so.
  if (!task || at < 0) return tasks;
  const gap = side === "before" ? at : at + 1;
  return [...rest.slice(0, gap), task, ...rest.slice(gap)];
}

/**
 * The spot of a gap between the tasks that are seen, for one of them: gap 0 is before the first. Nothing if it is there
 * already, or if there is no such gap. The spot is beside the last one it is moved past, so that it is moved past
 * nothing that is hidden behind that one.
 */
export function spotIn(seen: readonly string[], id: string, gap: number): Spot | undefined {
  const at = seen.indexOf(id);
  const down = gap > at;
  const beside = seen[down ? gap - 1 : gap];
  if (at < 0 || beside === undefined || beside === id) return undefined;
  return { side: down ? "after" : "before", beside };
}

/** Whether a task is among those that a person wants to see. */
export function wanted(state: State): (task: Task) => boolean {
  const words = (state.query ?? "").toLocaleLowerCase().split(/\s+/u).filter(Boolean);
  return (task) => {
    const done = task.status === "done";
    const fits = state.filter === "all" || (state.filter === "done") === done || state.kept.has(task.id);
    if (!fits || words.length === 0) return fits;
    const title = task.title.toLocaleLowerCase();
    return words.every((word) => title.includes(word));
  };
}

/** Which tasks are done. */
export const doneOf = (tasks: readonly Task[]): ReadonlySet<string> =>
  new Set(tasks.filter((task) => task.status === "done").map((task) => task.id));

export function withMessage(state: State, place: Place, words: string | undefined): State {
  const messages = new Map(state.messages);
  if (words === undefined) messages.delete(place);
  else messages.set(place, words);
  return { ...state, messages };
}
