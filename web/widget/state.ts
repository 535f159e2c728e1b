// What the page knows, and what it shows of it. Pure: what a person asked for is laid over what the server said last,
// so that taking it back is forgetting it.
import type { Task } from "./tasks";

/** What a person asked for and the server has not answered yet. */
export type Wish =
  | { readonly kind: "add"; readonly key: string; readonly title: string }
  | { readonly kind: "complete"; readonly id: string; readonly completed: boolean }
  | { readonly kind: "clear" };

export type Filter = "all" | "open" | "done";

/** Where a message stands: beside what it is about. */
export type Place = "page" | "add" | "clear" | `task:${string}`;

export interface State {
  /** Whether there is a list to show, and if not, why. */
  readonly phase: "loading" | "ready" | "failed";
  /** The list, as the server said it last. */
  readonly tasks: readonly Task[];
  readonly wishes: readonly Wish[];
  readonly messages: ReadonlyMap<Place, string>;
  /** Whether the host passes calls on. */
  readonly writable: boolean;
  /** Whether somebody waits for a refresh they asked for. */
  readonly refreshing: boolean;
  /** Whether the page asks if completed tasks shall really go. */
  readonly confirming: boolean;
  readonly filter: Filter;
  /** What is looked for; `undefined` while nobody looks. */
  readonly query: string | undefined;
  /** Shown whatever the filter says: what was just clicked must not vanish under the hand. */
  readonly kept: ReadonlySet<string>;
}

export const BEGINNING: State = {
  phase: "loading",
  tasks: [],
  wishes: [],
  messages: new Map(),
  writable: true,
  refreshing: false,
  confirming: false,
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
    case "clear":
      return tasks.filter((task) => task.status !== "done");
  }
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

export function withMessage(state: State, place: Place, words: string | undefined): State {
  const messages = new Map(state.messages);
  if (words === undefined) messages.delete(place);
  else messages.set(place, words);
  return { ...state, messages };
}
