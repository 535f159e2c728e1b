// The strip above the board: what agents are doing at this moment, and what comes next.
import { clip, h, keyed, set, setText } from "../shared/dom";
import { model } from "./model";
import { open } from "./route";
import { since, who } from "./time";
import { isOpen, type Session } from "./types";

export interface Doing {
  session: Session;
  what: string;
  since: string;
  task: string | null;
}

/** What a session is doing right now, if it is doing anything. */
export function doing(session: Session): Doing | null {
  const item = session.list?.find((item) => item.status === "in-progress");
  if (item) {
    return { session, what: item.activeForm ?? item.title, since: item.updated, task: session.tasks[0] ?? null };
  }
  for (const id of session.tasks) {
    const task = model.byId.get(id);
    if (task?.status === "in-progress") {
      return { session, what: task.activeForm ?? task.title, since: task.updated, task: id };
    }
  }
  return null;
}

export function nowStrip(): { element: HTMLElement; draw(): void } {
  const agents = h("ul.agents-now");
  const next = h("button.next-task", { hidden: true, onclick: () => model.board?.next && open(model.board.next.id) });
  next.append(h("span.tag", {}, "Next"), h("span.what.cut", { dir: "auto" }));
  const element = h("div.now", { "aria-label": "Right now", role: "region" }, agents, next);
  return {
    element,
    draw() {
      const sessions = model.board?.sessions ?? [];
      const busy = sessions.filter((session) => session.live).flatMap((session) => doing(session) ?? []);
      keyed(
        agents,
        busy,
        ({ session }) => session.name,
        () =>
          h(
            "li",
            {},
            h("span.pulse"),
            h("b.cut"),
            h("button.what.cut", { dir: "auto" }),
            h("span.faint"),
          ),
        (li, { session, what, since: moment, task }) => {
          const [, name, text, time] = li.children as unknown as HTMLElement[];
          setText(name!, who(session.name));
          setText(text!, clip(what, 300));
          setText(time!, since(moment));
          text!.onclick = () => (task ? open(task) : (location.hash = "#/agents"));
        },
      );
      const suggested = model.board?.next && model.byId.get(model.board.next.id);
      next.hidden = !suggested || !isOpen(suggested);
      if (suggested) {
        setText(next.lastElementChild!, clip(suggested.title, 300));
        set(next, "title", model.board?.next?.why);
      }
      element.hidden = next.hidden && busy.length === 0;
    },
  };
}
