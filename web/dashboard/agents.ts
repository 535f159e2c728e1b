// Who is at work, and what happened last.
import { clip, h, keyed, set, setText } from "../shared/dom";
import { icon } from "./icons";
import { model } from "./model";
import { doing } from "./now";
import { open } from "./route";
import { readHistory } from "./server";
import { exactly, since, when, who } from "./time";
import { STATUS_WORDS, type HistoryEvent, type Session, type Status } from "./types";

const EVENTS = 100;

let loaded = "";
let events: HistoryEvent[] = [];

const list = h("ul.agents");
const nobody = h(
  "div.nobody",
  {},
  h("p", {}, h("b", {}, "No agent is at work.")),
  h("p.faint", {}, "Agents that have a task in progress, or a list of their own, are shown here with what they are doing. Connect one with"),
  h("p", {}, h("code", {}, "claude mcp add todori -- todori serve")),
);
const feed = h("ol.history.feed");

export const agentsView = h(
  "section.view.at-work",
  { "aria-label": "Agents" },
  h("div.main-part", {}, h("h2.unseen", {}, "Agents"), nobody, list),
  h("div.side-part", {}, h("h2", {}, "Recent changes"), feed),
);

export function drawAgents(): void {
  const sessions = [...(model.board?.sessions ?? [])].sort((a, b) => Number(b.live) - Number(a.live));
  nobody.hidden = sessions.length > 0;
  keyed(list, sessions, (session) => session.name, create, update);
  const revision = `${model.epoch} ${model.board?.revision}`;
  if (revision !== loaded) {
    loaded = revision;
    void load();
  }
  drawFeed();
}

async function load(): Promise<void> {
  try {
    events = (await readHistory(EVENTS)).events;
  } catch {
    // The banner says that the server can't be reached; the next change reads again.
    loaded = "";
    return;
  }
  drawFeed();
}

function create(): HTMLElement {
  return h(
    "li.agent",
    {},
    h("header", {}, h("span.lamp"), h("h3.cut"), h("span.client.cut"), h("span.alive")),
    h("p.doing-now", {}, h("span.what.clamp", { dir: "auto" }), h("span.faint")),
    h("div.own-progress", {}, h("span.bar", {}, h("span.fill")), h("span.faint")),
    h("ul.own-list"),
    h("ul.links"),
  );
}

/** The sign of a status: what is open, under way, done. */
function sign(status: Status): HTMLElement {
  const name = status === "done" ? "check" : status === "in-progress" ? "fold" : status === "blocked" ? "minus" : null;
  return h("span.sign", { "data-status": status }, name && icon(name));
}

function update(row: HTMLElement, session: Session): void {
  const [head, now, own, items, tasks] = row.children as unknown as [HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement];
  row.classList.toggle("gone", !session.live);
  setText(head.children[1]!, who(session.name));
  setText(head.children[2]!, session.client ?? "");
  setText(head.children[3]!, session.live ? "at work" : "gone");
  const current = doing(session);
  setText(now.children[0]!, current ? clip(current.what, 400) : session.live ? "Nothing in progress" : "");
  setText(now.children[1]!, current ? `${session.live ? "for" : "left"} ${since(current.since)}${session.live ? "" : " ago"}` : "");
  now.classList.toggle("idle", !current);
  const list = session.list ?? [];
  const done = list.filter((item) => item.status === "done").length;
  own.hidden = items.hidden = list.length === 0;
  (own.firstElementChild!.firstElementChild as HTMLElement).style.width = list.length ? `${(100 * done) / list.length}%` : "0";
  setText(own.lastElementChild!, `${done}/${list.length} completed`);
  const numbered = list.map((item, i) => ({ item, key: `${i}` }));
  keyed(
    items,
    numbered,
    ({ key }) => key,
    () => h("li", {}, h("span"), h("span.what.clamp", { dir: "auto" }), h("span.unseen")),
    (li, { item }) => {
      if (li.dataset["status"] !== item.status) li.firstElementChild!.replaceWith(sign(item.status));
      set(li, "data-status", item.status);
      setText(li.children[1]!, clip(item.status === "in-progress" ? (item.activeForm ?? item.title) : item.title, 400));
      setText(li.children[2]!, STATUS_WORDS[item.status]);
    },
  );
  const held = session.tasks.flatMap((id) => model.byId.get(id) ?? []);
  tasks.hidden = held.length === 0;
  keyed(
    tasks,
    held,
    (task) => task.id,
    (task) => h("li", {}, h("span.dot"), h("button.what.cut", { dir: "auto", onclick: () => open(task.id) }), h("span.faint")),
    (li, task) => {
      set(li, "data-status", task.status);
      setText(li.children[1]!, clip(task.title, 300));
      setText(li.children[2]!, `for ${since(task.updated)}`);
    },
  );
}

function drawFeed(): void {
  const numbered = events.map((event, i) => ({ event, key: `${event.at} ${event.task.id} ${event.what} ${i}` }));
  keyed(
    feed,
    numbered,
    ({ key }) => key,
    ({ event }) =>
      h(
        "li",
        {},
        h("b.cut", {}, who(event.by)),
        h("span.what", {}, event.what),
        h("time"),
        h("button.about.cut", { dir: "auto", onclick: () => open(event.task.id) }, clip(event.task.title, 300)),
      ),
    (row, { event }) => {
      const time = row.children[2]!;
      setText(time, when(event.at));
      set(time, "title", exactly(event.at));
      set(row.lastElementChild!, "disabled", !model.byId.has(event.task.id));
    },
  );
}
