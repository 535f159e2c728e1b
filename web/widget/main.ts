// The todo list inside a host of MCP Apps: takes what the host and the person say, and asks the server.
import { connect, record, Unanswered } from "./bridge";
import { follow } from "./host";
import { tellSize } from "./size";
import { BEGINNING, type Place, type State, type Wish, doneOf, wanted, wished, withMessage } from "./state";
import { keepingSame, type Task, told } from "./tasks";
import { makeView } from "./view";
import * as words from "./words";

/** How long the server may take. People decide for longer, where the host asks them first. */
const PATIENCE = 60_000;
/** How long to wait for the host to say what the tool answered, before asking ourselves. */
const FIRST_WORD = 800;
/** After being out of sight for so long, the list is asked for anew. */
const STALE = 10_000;
const NO_LIST = "The answer had no list in it.";

let state: State = BEGINNING;
let next = 0;
let asked = 0;
let ended = false;
let stopTelling = () => {};

const set = (change: Partial<State>) => {
  const tasks = change.tasks ? keepingSame(state.tasks, change.tasks) : state.tasks;
  state = { ...state, ...change, tasks };
  soon();
};
const say = (place: Place, text: string | undefined) => {
  state = withMessage(state, place, text);
  soon();
};

// Several changes at once are drawn once.
let drawn: State = BEGINNING;
const soon = () => queueMicrotask(flush);
const flush = () => {
  if (drawn === state) return;
  drawn = state;
  view.draw(state);
};

const view = makeView({
  add(title) {
    say("add", undefined);
    // What is added must be seen.
    set({ query: undefined, filter: state.filter === "done" ? "all" : state.filter });
    const wish: Wish = { kind: "add", key: `new:${++next}`, title };
    ask(wish, "add_todo", { title }, "add", `Added “${words.short(title)}”.`);
    flush();
    view.showLast();
  },
  complete(task: Task, completed) {
    const wish: Wish = { kind: "complete", id: task.id, completed };
    set({ kept: new Set([...state.kept, task.id]) });
    const title = words.short(task.title);
    const done = completed ? `Completed “${title}”.` : `Reopened “${title}”.`;
    ask(wish, "complete_todo", { id: task.id, completed }, `task:${task.id}`, done);
  },
  move(task, to) {
    const title = words.short(task.title);
    if (!to) return view.announce(words.atEnd(title, seen()[0]?.id === task.id));
    // A key that is held down asks for one place after the other; what was not sent yet is overtaken.
    const late = state.wishes.at(-1);
    if (late?.kind === "move" && late.id === task.id && !sent.has(late)) set({ wishes: state.wishes.slice(0, -1) });
    const wish: Wish = { kind: "move", id: task.id, to };
    ask(wish, "move_todo", { id: task.id, [to.side]: to.beside }, `task:${task.id}`, () => {
      const order = seen();
      return words.moved(title, order.findIndex((other) => other.id === task.id) + 1, order.length);
    });
    flush();
  },
  askToClear() {
    set({ confirming: doneOf(wished(state)), anew: false });
    flush();
  },
  keep() {
    set({ confirming: undefined });
    flush();
  },
  clear() {
    const agreed = state.confirming;
    set({ confirming: undefined });
    if (agreed) void clear(agreed);
  },
  refresh: () => look("asked"),
  choose: (filter) => set({ filter, kept: new Set() }),
  find(query) {
    set({ query });
    flush();
  },
  dismiss: () => say("page", undefined),
  async turn(mode) {
    try {
      const { mode: got } = record(await bridge.request("ui/request-display-mode", { mode }, PATIENCE));
      view.drawDisplay(follow({ displayMode: got }));
    } catch (error) {
      say("page", `The view did not change: ${reason(error)}`);
    }
  },
});

const bridge = connect({
  "ui/notifications/tool-input": () => {},
  "ui/notifications/tool-result": (params) => {
    const { tasks, problem, sentence } = told(params);
    if (sentence && problem === undefined && !state.writable && state.phase !== "ready") {
      set({ phase: "told", sentence });
      return say("page", undefined);
    }
    if (tasks) set({ phase: "ready", tasks });
    if (tasks || problem !== undefined) say("page", problem);
    // What a conversation kept may be old; the server knows.
    look("quietly", NO_LIST);
  },
  "ui/notifications/tool-cancelled": () => look("quietly", "The call was cancelled."),
  "ui/notifications/host-context-changed": (params) => view.drawDisplay(follow(params)),
  "ui/resource-teardown": () => {
    ended = true;
    stopTelling();
    bridge.end();
    // What can't be had is not offered.
    set({ writable: false, confirming: undefined });
  },
  ping: () => {},
});

// One call at a time, in order: each answer is the whole list, and the last must be the latest.
let queue: Promise<unknown> = Promise.resolve();
const sent = new WeakSet<Wish>();
const send = (tool: string, parameters: object) =>
  bridge.request("tools/call", { name: tool, arguments: parameters }, PATIENCE);
function call(tool: string, parameters: object, wish?: Wish): Promise<unknown> {
  asked = Date.now();
  const answer = queue.then(() => {
    if (wish && !state.wishes.includes(wish)) return undefined;
    if (wish) sent.add(wish);
    return send(tool, parameters);
  });
  queue = answer.catch(() => {});
  return answer;
}

/** Does at once what a person asked for, and takes it back if it turns out that it can't be. */
async function ask(
  wish: Wish,
  tool: string,
  parameters: object,
  place: Place,
  done: string | (() => string),
): Promise<void> {
  say(place, undefined);
  set({ wishes: [...state.wishes, wish] });
  const drop = () => state.wishes.filter((other) => other !== wish);
  try {
    const answer = await call(tool, parameters, wish);
    if (!state.wishes.includes(wish)) return;
    const { tasks, problem } = told(answer);
    set({ wishes: drop(), ...(tasks ? { tasks } : {}) });
    if (problem !== undefined) return refused(wish, place, problem, !tasks && lacks(problem));
    view.announce(typeof done === "string" ? done : done());
    flush();
    if (wish.kind === "add") view.showLast();
    // A host that passes on the sentence only.
    if (!tasks) look("quietly");
  } catch (error) {
    set({ wishes: drop() });
    refused(wish, place, reason(error), lacks(reason(error), error));
    // Nobody knows whether it happened; the list does.
    if (error instanceof Unanswered && error.why === "silence") look("quietly");
  }
}

/** Removes the completed tasks, if they are still those that a person agreed to; otherwise asks anew. */
async function clear(agreed: ReadonlySet<string>): Promise<void> {
  const wish: Wish = { kind: "clear" };
  say("clear", undefined);
  set({ wishes: [...state.wishes, wish] });
  let before: readonly Task[] = [];
  // Both calls are one in the queue: nothing that was clicked meanwhile comes between them.
  const answer = queue.then(async () => {
    const found = told(await send("list_todos", {}));
    if (!found.tasks || found.problem !== undefined) throw new Error(found.problem ?? NO_LIST);
    before = found.tasks;
    set({ tasks: before });
    const now = doneOf(before);
    if (now.size !== agreed.size || [...now].some((id) => !agreed.has(id))) return undefined;
    return told(await send("delete_completed", {}));
  });
  queue = answer.catch(() => {});
  const drop = () => state.wishes.filter((other) => other !== wish);
  try {
    const got = await answer;
    set({ wishes: drop(), ...(got?.tasks ? { tasks: got.tasks } : {}) });
    if (!got) return askAnew();
    if (got.problem !== undefined) return refused(wish, "clear", got.problem, false);
    const left = new Set(got.tasks?.map((task) => task.id));
    view.announce(words.cleared(got.tasks ? before.filter((task) => !left.has(task.id)).length : agreed.size));
    if (!got.tasks) look("quietly");
  } catch (error) {
    set({ wishes: drop() });
    refused(wish, "clear", reason(error), false);
    if (error instanceof Unanswered && error.why === "silence") look("quietly");
  }
}

function askAnew(): void {
  const now = doneOf(wished(state));
  if (now.size === 0) return say("clear", words.NOTHING_DONE);
  set({ confirming: now, anew: true });
  flush();
  view.askAnew();
}

function refused(wish: Wish, place: Place, why: string, lacking: boolean): void {
  const what = { add: "Not added", complete: "Not changed", move: "Not moved", clear: "Nothing removed" }[wish.kind];
  const about = wish.kind === "complete" || wish.kind === "move" ? wish.id : undefined;
  const gone = about !== undefined && !state.tasks.some((task) => task.id === about);
  if (wish.kind === "move" && lacking) {
    // What can't be had is not offered again.
    set({ movable: false });
    return say(place, `${what}: ${words.MOVE_NOT_OFFERED}`);
  }
  say(gone ? "page" : place, `${what}: ${why}`);
  if (wish.kind === "add") view.giveBack(wish.title);
}

/** Whether an answer says that there is no such tool, or not for this page; not that this one call went wrong. */
function lacks(why: string, error?: unknown): boolean {
  if (error instanceof Unanswered && error.code === -32601) return true;
  const missing = /unknown|no such|not found|not available|(does not|doesn.t) exist|not (callable|visible)/i;
  return /tool|move_todo/i.test(why) && missing.test(why);
}

/** What is shown, as it was wished for. */
const seen = () => wished(state).filter(wanted(state));

/** Asks for the list: because a person wants to, or by ourselves. `otherwise` says why there is none if nobody may ask. */
let looking = false;
async function look(how: "asked" | "quietly", otherwise = ""): Promise<void> {
  if (ended) return;
  if (!state.writable) return state.phase === "loading" ? unseen(how, otherwise) : undefined;
  if (how === "asked") set({ refreshing: true });
  else if (looking) return;
  looking = true;
  let why: string | undefined;
  try {
    const { tasks, problem } = told(await call("list_todos", {}));
    why = problem ?? (tasks ? undefined : NO_LIST);
    if (tasks && state.phase !== "ready") say("page", undefined);
    if (tasks) set({ phase: "ready", tasks });
  } catch (error) {
    why = reason(error);
  }
  looking = false;
  if (how === "asked") set({ refreshing: false });
  if (why !== undefined) return unseen(how, why);
  if (how === "quietly") return;
  set({ kept: new Set(), messages: new Map() });
  view.announce("The list is up to date.");
}

/** The list did not come. Nobody is bothered with that who has one and did not ask for another. */
function unseen(how: "asked" | "quietly", why: string): void {
  if (state.phase === "ready" && how === "quietly") return;
  if (state.phase === "loading") set({ phase: "failed" });
  say("page", state.phase === "ready" ? `Not refreshed: ${why}` : `The list did not load: ${why}`);
}

const reason = (error: unknown) => (error instanceof Error ? error.message : String(error));

async function start(): Promise<void> {
  if (window.parent === window) {
    set({ phase: "failed", writable: false });
    return say("page", "This page works inside an app that shows MCP Apps.");
  }
  try {
    const host = record(
      await bridge.request(
        "ui/initialize",
        {
          protocolVersion: "2026-01-26",
          appInfo: { name: "todori", title: "Todo", version: "1" },
          appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
        },
        PATIENCE,
      ),
    );
    view.drawDisplay(follow(record(host["hostContext"])));
    const able = host["hostCapabilities"];
    if (able !== undefined && record(able)["serverTools"] === undefined) set({ writable: false });
  } catch (error) {
    set({ phase: "failed", writable: false });
    return say("page", `The app around this page does not answer: ${reason(error)}`);
  }
  bridge.notify("ui/notifications/initialized", {});
  stopTelling = tellSize(bridge, view.page);
  setTimeout(() => {
    if (state.phase === "loading" && state.writable) look("quietly");
  }, FIRST_WORD);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && Date.now() - asked > STALE) look("quietly");
  });
}

view.draw(state);
void start();
