// Draws a state, and says what a person does on the page. Text reaches the page as text only.
import { readable } from "../shared/readable";
import type { Display, DisplayMode } from "./host";
import { figure } from "./host";
import { makeList } from "./list";
import { type Filter, type Spot, type State, wanted, wished } from "./state";
import type { Task } from "./tasks";
import * as words from "./words";

/** What a person can do. */
export interface Deeds {
  add(title: string): void;
  complete(task: Task, completed: boolean): void;
  move(task: Task, to: Spot | undefined): void;
  refresh(): void;
  askToClear(): void;
  keep(): void;
  clear(): void;
  choose(filter: Filter): void;
  find(query: string | undefined): void;
  dismiss(): void;
  turn(mode: DisplayMode): void;
}

export interface View {
  readonly page: HTMLElement;
  draw(state: State): void;
  drawDisplay(display: Display): void;
  /** Tells those who listen instead of looking. */
  announce(text: string): void;
  /** Gives words back that could not be added. */
  giveBack(title: string): void;
  focusHeading(): void;
  showLast(): void;
  /** Puts the harmless answer at hand again, unless somebody went on to something else. */
  askAnew(): void;
}

/** From how many tasks on it is worth looking for one. */
const WORTH_FINDING = 8;

function part<T extends Element>(id: string, kind: { new (): T; prototype: T }): T {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page lacks ${id}`);
  return element;
}
const button = (id: string) => part(id, HTMLButtonElement);
const some = (id: string) => part(id, HTMLElement);

export function makeView(deeds: Deeds): View {
  const page = some("page");
  const title = part("title", HTMLInputElement);
  const query = part("query", HTMLInputElement);
  const scroller = some("scroll");
  const heading = some("heading");
  const focusHeading = () => heading.focus({ preventScroll: true });
  const list = makeList(some("list"), scroller, { ...deeds, lost: focusHeading });
  const filters = [...document.querySelectorAll<HTMLInputElement>("#filter input")];

  const offer = () => {
    button("add-button").disabled = title.value.trim() === "";
  };
  title.addEventListener("input", offer);
  const add = (event: Event) => {
    event.preventDefault();
    const words = title.value.trim();
    if (!words) return;
    title.value = "";
    offer();
    deeds.add(words);
  };
  // Hosts may forbid forms, and then nothing is ever submitted; so the key and the button work by themselves.
  title.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) add(event);
  });
  button("add-button").addEventListener("click", add);
  part("add", HTMLFormElement).addEventListener("submit", add);
  button("refresh").addEventListener("click", deeds.refresh);
  button("again").addEventListener("click", deeds.refresh);
  button("page-message-close").addEventListener("click", () => {
    deeds.dismiss();
    focusHeading();
  });
  button("clear").addEventListener("click", () => {
    deeds.askToClear();
    // The harmless answer is the one at hand.
    button("confirm-no").focus({ preventScroll: true });
  });
  const keep = () => {
    deeds.keep();
    button("clear").focus({ preventScroll: true });
  };
  button("confirm-no").addEventListener("click", keep);
  button("confirm-yes").addEventListener("click", () => {
    focusHeading();
    deeds.clear();
  });
  some("confirm").addEventListener("keydown", (event) => {
    if (event.key === "Escape") keep();
  });
  for (const filter of filters) filter.addEventListener("change", () => deeds.choose(filter.value as Filter));
  button("find-open").addEventListener("click", () => {
    deeds.find("");
    query.focus({ preventScroll: true });
  });
  query.addEventListener("input", () => deeds.find(query.value));
  const stopFinding = () => {
    deeds.find(undefined);
    button("find-open").focus({ preventScroll: true });
  };
  button("find-close").addEventListener("click", stopFinding);
  query.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    stopFinding();
  });
  button("show-all").addEventListener("click", () => {
    deeds.find(undefined);
    deeds.choose("all");
    focusHeading();
  });

  const tell = (id: string, text: string | undefined) => {
    const element = some(id);
    element.hidden = text === undefined;
    const words = readable(text ?? "");
    if (element.textContent !== words) element.textContent = words;
  };

  const drawProgress = (done: number, total: number, ready: boolean) => {
    const said = ready ? words.progress(done, total) : "";
    some("progress-words").textContent = said;
    const bar = some("progress");
    bar.ariaValueMax = String(total);
    bar.ariaValueNow = String(done);
    bar.ariaValueText = said || "Nothing to do";
    bar.classList.toggle("full", total > 0 && done === total);
    (bar.firstElementChild as HTMLElement).style.width = `${total === 0 ? 0 : (100 * done) / total}%`;
  };

  const drawEmpty = (state: State, total: number, visible: number) => {
    const empty = some("empty");
    const [strong, soft] = empty.querySelectorAll("p");
    const say = (first: string, second: string, action: boolean) => {
      strong!.textContent = first;
      soft!.textContent = second;
      button("show-all").hidden = !action;
    };
    empty.hidden = state.phase === "loading" || visible > 0;
    empty.dataset["kind"] = state.phase === "failed" || state.phase === "told" ? state.phase : total === 0 ? "none" : "nothing-fits";
    if (empty.hidden) return;
    if (state.phase === "told") say("", readable(state.sentence), false);
    else if (state.phase === "failed") say("The list is not here", "What went wrong is said above.", false);
    else if (total === 0)
      say("Nothing to do", state.writable ? "Add the first task above, or ask for one in the chat." : "", false);
    else if (state.query?.trim()) say("No task matches", `Nothing like “${readable(words.short(state.query))}”.`, true);
    else if (state.filter === "done") say("Nothing is done yet", "", true);
    else say("Nothing is open", "Everything is done.", true);
  };

  const drawBar = (state: State, done: number, total: number) => {
    some("bar").hidden = state.phase !== "ready" || total === 0;
    const counts: Record<Filter, number> = { all: total, open: total - done, done };
    for (const filter of filters) {
      const name = filter.value as Filter;
      filter.checked = state.filter === name;
      filter.parentElement!.querySelector("b")!.textContent = figure(counts[name]);
    }
    const confirming = done > 0 ? state.confirming : undefined;
    const clear = button("clear");
    clear.hidden = done === 0 || confirming !== undefined || !state.writable;
    clear.textContent = words.clear(done);
    some("confirm").hidden = confirming === undefined;
    some("confirm-words").textContent = confirming ? words.confirmClear(confirming.size, state.anew) : "";
    tell("clear-message", state.messages.get("clear"));
    const finding = state.query !== undefined;
    const open = button("find-open");
    open.hidden = total < WORTH_FINDING && !finding;
    open.ariaExpanded = String(finding);
    some("find").hidden = !finding;
    if (query.value !== (state.query ?? "")) query.value = state.query ?? "";
  };

  const drawMessages = (state: State) => {
    const banner = some("page-message");
    const message = state.messages.get("page");
    banner.hidden = message === undefined;
    const words = readable(message ?? "");
    const line = banner.querySelector("p")!;
    if (line.textContent !== words) line.textContent = words;
    button("again").hidden = !state.writable;
    button("page-message-close").hidden = state.phase !== "ready";
    tell("add-message", state.messages.get("add"));
    title.ariaInvalid = String(state.messages.has("add"));
  };

  let turn: DisplayMode = "fullscreen";
  button("display").addEventListener("click", () => deeds.turn(turn));

  return {
    page,
    focusHeading,
    showLast: list.showLast,
    draw(state) {
      const tasks = wished(state);
      const byId = new Map(tasks.map((task) => [task.id, task]));
      const fits = wanted(state);
      const several = tasks.filter(fits).length > 1;
      const models = tasks.map((task) => ({
        task,
        waits: words.waits(holdingUp(task, byId)),
        message: state.messages.get(`task:${task.id}`),
        writable: state.writable,
        movable: state.writable && state.movable && several && !task.unsaved,
        hidden: !fits(task),
      }));
      const done = tasks.filter((task) => task.status === "done").length;
      const loading = state.phase === "loading";
      page.ariaBusy = String(loading || state.refreshing);
      some("skeleton").hidden = !loading;
      button("refresh").hidden = !state.writable;
      button("refresh").classList.toggle("turning", state.refreshing);
      part("add", HTMLFormElement).hidden = !state.writable || state.phase === "failed";
      some("read-only").hidden = state.writable || loading;
      some("read-only-words").hidden = state.phase !== "ready";
      drawProgress(done, tasks.length, state.phase === "ready");
      drawBar(state, done, tasks.length);
      drawMessages(state);
      drawEmpty(state, tasks.length, models.filter((model) => !model.hidden).length);
      list.show(models);
    },
    drawDisplay({ mode, available }) {
      turn = mode === "inline" ? "fullscreen" : "inline";
      const control = button("display");
      control.hidden = !available.includes(turn);
      control.ariaLabel = turn === "fullscreen" ? "Show in full screen" : "Show in the conversation";
      control.title = turn === "fullscreen" ? "Full screen" : "Back";
      control.querySelector("use")!.setAttribute("href", turn === "fullscreen" ? "#i-expand" : "#i-shrink");
    },
    announce(text) {
      some("status").textContent = readable(text);
    },
    askAnew() {
      const { activeElement: at } = document;
      if (at === heading || at === document.body) button("confirm-no").focus({ preventScroll: true });
      this.announce(some("confirm-words").textContent);
    },
    giveBack(words) {
      if (title.value !== "") return;
      title.value = words;
      offer();
    },
  };
}

/** The open tasks that one waits for. */
function holdingUp(task: Task, byId: ReadonlyMap<string, Task>): Task[] {
  if (task.status === "done") return [];
  const others = task.waitsFor.map((id) => byId.get(id));
  return others.filter((other): other is Task => other !== undefined && other.status !== "done");
}
