// Everything that is asked of the server: the board, its changes, and the stream that says that there are some.
import { brief, on } from "../shared/dom";
import { ask, json, Locked, Mcp, Refused, Unreachable } from "../shared/mcp";
import { outdate } from "./announce";
import { invalidate, model, patch, setBoard, type Patch } from "./model";
import { remember, remembered } from "./remember";
import type { Board, Day, Details, HistoryEvent } from "./types";

const TOKEN = "todori-token";
/** The server shows a sign of life every 15 seconds; after this long without one the stream is dead. */
const SILENCE = 40_000;
/** In case the stream is open and yet tells nothing. */
const LOOK_ANYWAY = 30_000;
const LOOK_WHILE_BROKEN = 3_000;
/** Browsers keep few connections to one server: a page that nobody looks at gives its own back. */
const LET_GO_AFTER = 20_000;

let token = remembered(TOKEN, "sessionStorage");

const mcp = new Mcp("/mcp/tasks", { name: "browser", version: "1" }, () => token);

function keep(text: string | null): void {
  token = text;
  remember(TOKEN, text, "sessionStorage");
}

async function get<T>(path: string): Promise<T> {
  return checked(await ask(path, {}, token));
}

async function post<T>(path: string, body: object): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  return checked(await ask(path, { method: "POST", headers, body: JSON.stringify(body) }, token));
}

async function checked(response: Response): Promise<any> {
  const message = await json(response);
  if (message.error) throw new Refused(message.error.code ?? "failed", message.error.message ?? String(message.error));
  return message;
}

export const readTask = (id: string) =>
  get<{ task: Details; history: HistoryEvent[] }>(`/api/tasks/${encodeURIComponent(id)}`);
export const readHistory = (limit: number) => get<{ events: HistoryEvent[] }>(`/api/history?limit=${limit}`);
export const readProgress = (days: number) => get<{ days: Day[] }>(`/api/progress?days=${days}`);
export const call = (tool: string, args: object) => mcp.call(tool, args);
export const move = (body: { id: string; before?: string; after?: string; status?: string }) =>
  post<{ revision: number }>("/api/move", body);
/** Takes back the last change made in a browser; with a task, the last one that touched it. */
export const undo = (task?: string) => post<{ revision: number; undone: string[] }>("/api/undo", task ? { task } : {});

let running: Promise<void> | null = null;
let next: Promise<void> | null = null;

/** Reads the board; what is asked for while it is being read is read once more, once. */
export function refresh(): Promise<void> {
  if (!running) {
    running = read().finally(() => (running = null));
    return running;
  }
  next ??= running.then(() => {
    next = null;
    return refresh();
  });
  return next;
}

/** Why the board could not be read the last time, and when that was. */
let unread: unknown = null;
let lastRead = 0;

async function read(): Promise<void> {
  try {
    const board = await get<Board>("/api/board");
    // The first time there is much to do at once; the browser gets a moment in between.
    if (!model.board) await new Promise((resolve) => setTimeout(resolve));
    setBoard(board);
    model.locked = false;
    unread = null;
  } catch (error) {
    unread = error;
    if (error instanceof Locked) lock();
    else if (error instanceof Refused) {
      model.trouble = { code: String(error.code), message: error.message };
      // Words come from the board, behind the token; numbers from whoever turns requests away before that.
      if (typeof error.code === "string") model.locked = false;
    } else interrupt();
  }
  lastRead = Date.now();
  invalidate();
}

/** Does something, shows it as done meanwhile, and gives the words of the refusal if there is one. */
export async function attempt(
  doing: () => Promise<unknown>,
  shown?: Patch,
): Promise<{ ok: true; value: any } | { ok: false; why: string }> {
  outdate();
  const forget = shown ? patch(shown) : () => {};
  try {
    const value = await doing();
    await refresh();
    return { ok: true, value };
  } catch (error) {
    return { ok: false, why: inWords(error) };
  } finally {
    forget();
  }
}

/** Why something did not work, for people. */
export function inWords(error: unknown): string {
  if (error instanceof Locked) {
    lock();
    return "The server asks for its token";
  }
  if (error instanceof Unreachable) {
    interrupt();
    return "The server did not answer; look again when it is back";
  }
  if (!(error instanceof Refused)) return String(error);
  let text = error.message.replace(/^Invalid params: /, "");
  const cycle: unknown = error.data?.["cycle"];
  if (Array.isArray(cycle) && cycle.length) {
    const names = [...cycle, cycle[0]].map((id) => `“${brief(model.byId.get(id)?.title ?? String(id), 40)}”`);
    text += `: ${names.join(" waits for ")}`;
  }
  const hint: unknown = error.data?.["hint"];
  return typeof hint === "string" ? `${text}. ${hint}` : text;
}

function lock(): void {
  model.locked = token ? "wrong" : "asked";
  keep(null);
  interrupt();
  invalidate();
}

/** Tries a token; gives why it could not be tried. Whether it is right shows in the model. */
export async function unlock(text: string): Promise<string | null> {
  token = text;
  await refresh();
  if (model.locked) {
    if (unread instanceof Locked) return null;
    return unread instanceof Refused ? unread.message : "The server did not answer; try again when it is back";
  }
  keep(text);
  retry();
  return null;
}

// A browser keeps few connections to one server, for all its windows together: only one of them holds the stream, and
// tells the others. Without locks (on plain http from elsewhere) each has its own.
type Word = "who" | "updated" | typeof model.connection;
const windows = "BroadcastChannel" in self ? new BroadcastChannel("todori") : null;
let leads = false;
/** Whether something may have been missed since this window began to wait for the one that leads. */
let behind = false;
const tell = (word: Word): void => void (leads && windows?.postMessage(word));

function hear(word: Word): void {
  if (word === "who") return tell(model.connection);
  if (leads || model.locked) return;
  if (word === "updated") return void refresh();
  if (word === "live" && (behind || model.connection !== "live")) {
    behind = false;
    if (model.connection === "lost") model.epoch += 1;
    model.refusals.clear();
    void refresh();
  }
  model.connection = word;
  invalidate();
}
if (windows) windows.onmessage = (event) => hear(event.data);

/** Does it when no other window does, until it ends. */
async function lead(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const mine = async () => {
    leads = true;
    try {
      await work();
    } finally {
      tell("connecting");
      leads = false;
    }
  };
  if (!windows || !navigator.locks) return mine();
  windows.postMessage("who" satisfies Word);
  await navigator.locks.request("todori-stream", { signal }, mine);
}

let stream = new AbortController();
let wake = () => {};

/** Ends the stream; the loop below opens another one. */
function interrupt(): void {
  stream.abort();
}

/** Tries now what would be tried later. */
export function retry(): void {
  wake();
}

const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });

/** Keeps the page up to date for as long as it is there. */
export async function follow(): Promise<never> {
  void refresh();
  look();
  let wait = 500;
  // The first time, the board is being read anyway.
  let again = false;
  let hidden: ReturnType<typeof setTimeout> | undefined;
  on(document, "visibilitychange", () => {
    clearTimeout(hidden);
    if (document.hidden) hidden = setTimeout(interrupt, LET_GO_AFTER);
    else retry();
  });
  on(window, "online", retry);
  for (;;) {
    if (model.locked || document.hidden) {
      await pause(1e9);
      continue;
    }
    stream = new AbortController();
    const mine = stream;
    let silence: ReturnType<typeof setTimeout> | undefined;
    let refused = false;
    behind = again;
    try {
      const listen = () => mcp.listen(["todori://board", "todori://sessions"], mine.signal, {
        ready() {
          wait = 500;
          model.connection = "live";
          model.refusals.clear();
          invalidate();
          // It may be another server by now, with another board that counts from the beginning.
          if (again) model.epoch += 1;
          if (again) void refresh();
          again = true;
          // What changes until the server watches is not missed: its first word says that it has begun to.
          tell("live");
        },
        updated() {
          tell("updated");
          void refresh();
        },
        alive() {
          clearTimeout(silence);
          silence = setTimeout(() => mine.abort(), SILENCE);
        },
      });
      await lead(mine.signal, listen);
    } catch (error) {
      if (error instanceof Locked) lock();
      // There is a server, and it has no room for another stream.
      refused = error instanceof Refused;
    }
    clearTimeout(silence);
    if (document.hidden || model.locked) continue;
    model.connection = refused ? "connecting" : "lost";
    if (refused) void refresh();
    invalidate();
    await pause(wait);
    wait = Math.min(wait * 2, 8_000);
  }
}

/** Looks at the board from time to time, whatever the stream says. */
function look(): void {
  setInterval(() => {
    if (document.hidden || model.locked || model.connection === "lost") return;
    if (model.trouble || Date.now() - lastRead > LOOK_ANYWAY) void refresh();
  }, LOOK_WHILE_BROKEN);
}
