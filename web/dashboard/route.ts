// What the address says: `#/board`, `#/graph/3f2b8c1e-…`. Back and forward work as people expect.
import { on } from "../shared/dom";
import { invalidate, model, VIEWS, type View } from "./model";

export function follow(): void {
  on(window, "hashchange", read);
  read();
}

function read(): void {
  const [view, task] = location.hash.replace(/^#\/?/, "").split("/");
  model.view = VIEWS.find((known) => known === view) ?? "board";
  model.openTask = task || null;
  invalidate();
}

const write = (view: View, task: string | null): void => {
  location.hash = task ? `#/${view}/${task}` : `#/${view}`;
};

export const open = (task: string): void => write(model.view, task);
/** Leaves no way back to what was closed on purpose. */
export const close = (): void => location.replace(`#/${model.view}`);
export const goToView = (view: View): void => write(view, model.openTask);
