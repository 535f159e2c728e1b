// The sheet with everything about one task.
import { clip, h, keyed, on, set, setText } from "../shared/dom";
import { edit, remove, setStatus } from "./actions";
import { goTo } from "./board";
import { editable, type Editable } from "./field";
import { icon } from "./icons";
import { linksSection } from "./links";
import { invalidate, model } from "./model";
import { close, open } from "./route";
import { inWords, readTask } from "./server";
import { subtasksSection } from "./subtasks";
import { exactly, since, when, who } from "./time";
import { PRIORITIES, PRIORITY_WORDS, STATUSES, STATUS_WORDS, type Details, type HistoryEvent, type Task } from "./types";
import { copy, handBack } from "./welcome";

let id: string | null = null;
let loaded = "";
let details: Details | null = null;
let history: HistoryEvent[] = [];
/** Answers may overtake each other: which question was the last one, and which one's answer is shown. */
let asked = 0;
let answered = 0;

type Name = "title" | "description";
/** What somebody wants to go on with, when its task is open again. */
let resumed: { id: string; name: Name; typed: string } | null = null;

/** A field of one task: what is saved late, is saved for this one. */
function makeField(of: string, name: Name): Editable {
  const lines = name === "description";
  return editable({
    label: lines ? "Description" : "Title",
    kind: lines ? "lines" : "line",
    ...(lines && { placeholder: "Describe it" }),
    save: (value) => edit(of, { [name]: value }, lines ? {} : { title: value }),
    unsaved: (typed, why) =>
      handBack(typed, why, () => {
        if (!model.byId.has(of)) return false;
        resumed = { id: of, name, typed };
        open(of);
        invalidate();
        return true;
      }),
  });
}
let title = makeField("", "title");
let description = makeField("", "description");
const subtasks = subtasksSection(load);
const links = linksSection();

const statusWhy = h("p.why", { role: "alert", hidden: true });
const status = h("select", { "aria-label": "Status" }, ...STATUSES.map((name) => h("option", { value: name }, STATUS_WORDS[name])));
const priority = h("select", { "aria-label": "Priority" }, ...PRIORITIES.map((name) => h("option", { value: name }, PRIORITY_WORDS[name])));
const holder = h("p.doing");
const short = h("button.id", { title: "Copy the id", onclick: () => id && void copy(id) }, h("code"), icon("copy"));
const dot = h("span.dot");
const events = h("ol.history");
const happened = h("section.part", {}, h("h3", {}, "History"), events);
const times = h("dl.times");
const body = h("div.sheet-body");
const lost = h("p.nothing", { role: "alert", hidden: true });
const titlePlace = h("div");
const descriptionPlace = h("div");

const trash = h(
  "button.quiet",
  {
    "aria-label": "Delete this task",
    title: "Delete this task",
    onclick: () => {
      const task = id === null ? undefined : model.byId.get(id);
      if (!task) return;
      close();
      void remove(task);
    },
  },
  icon("trash"),
);
export const sheet = h(
  "aside.sheet",
  { "aria-label": "Task", tabindex: -1, hidden: true },
  h(
    "header",
    {},
    h("button.quiet.back", { "aria-label": "Back", onclick: close }, icon("back")),
    dot,
    short,
    trash,
    h("button.quiet", { "aria-label": "Close", title: "Close (Esc)", onclick: close }, icon("close")),
  ),
  lost,
  body,
);
body.append(
  titlePlace,
  h("div.pair", {}, h("label", {}, h("h3", {}, "Status"), status), h("label", {}, h("h3", {}, "Priority"), priority)),
  statusWhy,
  holder,
  h("section.part", {}, h("h3", {}, "Description"), descriptionPlace),
  subtasks.element,
  links.element,
  happened,
  times,
);

const refuse = (text: string | null) => {
  statusWhy.hidden = !text;
  setText(statusWhy, text ?? "");
};
on(status, "change", async () => {
  const task = id === null ? undefined : model.byId.get(id);
  if (!task) return;
  refuse(null);
  const to = STATUSES.find((name) => name === status.value);
  if (to && !(await setStatus(task, to))) refuse(model.refusals.get(task.id) ?? null);
});
on(priority, "change", async () => {
  if (id === null) return;
  const to = PRIORITIES.find((name) => name === priority.value);
  if (to) refuse(await edit(id, { priority: to }, { priority: to }));
});

/** The task that the address means, which may be shortened. */
function wanted(): string | null {
  const text = model.openTask;
  if (text === null || model.byId.has(text)) return text;
  const fits = text.length >= 4 ? model.tasks.filter((task) => task.id.startsWith(text)) : [];
  return fits.length === 1 ? fits[0]!.id : text;
}

export function drawDetails(): void {
  const now = model.board === null ? null : wanted();
  if (now !== id) change(now);
  if (id === null) return;
  const task = model.byId.get(id);
  lost.hidden = Boolean(task);
  body.hidden = trash.hidden = dot.hidden = !task;
  short.style.visibility = task ? "" : "hidden";
  if (!task) {
    const why = details ? "This task was deleted." : "There is no such task on the board.";
    setText(lost, why);
    leave(why);
    return;
  }
  const seen = JSON.stringify([task, model.holdsUp.get(id), model.board?.revision]);
  if (seen !== loaded) {
    loaded = seen;
    void load(id);
  }
  fill(task);
}

/** Nothing that was typed goes away without a word. */
function leave(gone?: string): void {
  title.leave(gone);
  description.leave(gone);
  subtasks.leave(gone);
}

function change(to: string | null): void {
  const before = id;
  if (before !== null) {
    leave();
  }
  id = to;
  details = null;
  history = [];
  loaded = "";
  refuse(null);
  sheet.hidden = to === null;
  document.body.classList.toggle("with-sheet", to !== null);
  if (to === null) {
    if (before !== null && model.view === "board" && (sheet.contains(document.activeElement) || document.activeElement === document.body)) goTo(before);
    return;
  }
  // Fields of their own for each task: what is still being saved for another one must not come back here.
  title = makeField(to, "title");
  description = makeField(to, "description");
  titlePlace.replaceChildren(title.element);
  descriptionPlace.replaceChildren(description.element);
  body.scrollTop = 0;
  sheet.focus({ preventScroll: true });
}

async function load(which: string): Promise<void> {
  const turn = ++asked;
  try {
    const answer = await readTask(which);
    if (which !== id || turn < answered) return;
    answered = turn;
    details = answer.task;
    history = answer.history;
  } catch (error) {
    inWords(error);
    // Not at once: whatever failed may need a moment.
    setTimeout(() => {
      loaded = "";
      invalidate();
    }, 2_000);
    return;
  }
  drawDetails();
}

function fill(task: Task): void {
  setText(short.firstElementChild!, task.id.slice(0, 8));
  set(dot, "data-status", task.status);
  title.show(task.title);
  if (status.value !== task.status) status.value = task.status;
  if (priority.value !== task.priority) priority.value = task.priority;
  const doing = task.status === "in-progress";
  const words = [task.activeForm, task.assignee && who(task.assignee), `for ${since(task.updated)}`].filter(Boolean);
  holder.hidden = !doing;
  setText(holder, doing ? words.join(" · ") : "");
  set(sheet, "aria-label", `Task: ${clip(task.title, 120)}`);
  body.classList.toggle("loading", details === null);
  if (!details) return;
  description.show(details.description ?? "");
  if (resumed?.id === task.id) {
    (resumed.name === "title" ? title : description).resume(resumed.typed);
    resumed = null;
  }
  subtasks.show(details);
  links.show({ ...details, dependencies: task.dependencies ?? [], holdsUp: model.holdsUp.get(task.id) ?? [] });
  happened.hidden = history.length === 0;
  keyed(
    events,
    history.slice(0, 100),
    (event) => `${event.at} ${event.by} ${event.what}`,
    () => h("li", {}, h("b.cut"), h("span.what", { dir: "auto" }), h("time")),
    (row, event) => {
      const [by, what, time] = row.children as unknown as [HTMLElement, HTMLElement, HTMLElement];
      setText(by, who(event.by));
      set(by, "title", event.client ?? event.by);
      setText(what, event.what);
      setText(time, when(event.at));
      set(time, "title", exactly(event.at));
    },
  );
  const rows: [string, string][] = [["Created", task.created], ["Updated", task.updated]];
  if (task.completed) rows.push(["Completed", task.completed]);
  keyed(times, rows, ([name]) => name, ([name]) => h("div", {}, h("dt", {}, name), h("dd")), (row, [, moment]) => {
    setText(row.lastElementChild!, exactly(moment));
  });
}

