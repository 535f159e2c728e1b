// The top of the page: where this is, how far it has come, what to look at, and what to look for.
import { h, keyed, on, set, setText } from "../shared/dom";
import { readable } from "../shared/readable";
import { openHelp } from "./help";
import { icon, mark } from "./icons";
import { columns, invalidate, isFiltered, model, NO_FILTER, progress, VIEWS, type Filter, type View } from "./model";
import { theme, toggleTheme } from "./theme";
import { who } from "./time";
import { PRIORITIES, PRIORITY_WORDS, STATUSES, STATUS_WORDS } from "./types";

const VIEW_WORDS: Record<View, string> = { board: "Board", graph: "Graph", progress: "Progress", agents: "Agents" };

const project = h("span.project.cut", { dir: "auto" });
const fill = h("span.fill");
const bar = h("span.bar", { role: "progressbar", "aria-label": "Completed", "aria-valuemin": 0 }, fill);
const figures = h("span.figures", {}, h("span"), h("span.wide", {}, " completed"));
const links = VIEWS.map((view) => h("a", { href: `#/${view}`, "data-view": view }, VIEW_WORDS[view]));
const state = h("span.state", { role: "status" }, h("span.lamp"), h("span.word"));
const themeButton = h("button.quiet", { onclick: () => { toggleTheme(); drawHeader(); } });
const search = h("input", {
  type: "search",
  id: "search",
  placeholder: "Search",
  "aria-label": "Search titles, ids and assignees",
  autocomplete: "off",
  spellcheck: "false",
  dir: "auto",
});

type Choice = [value: string, words: string];

function chooser(name: keyof Filter, any: string, choices: () => Choice[]): { select: HTMLSelectElement; draw(): void } {
  const select = h("select", {
    "aria-label": `Filter by ${any.toLowerCase()}`,
    onchange: () => {
      (model.filter as Record<string, string>)[name] = select.value;
      invalidate();
    },
  });
  return {
    select,
    draw() {
      const list: Choice[] = [["", any], ...choices()];
      keyed(select, list, ([value]) => value, () => h("option"), (option, [value, words]) => {
        set(option, "value", value);
        setText(option, words);
      });
      // Who has nothing any more can't be chosen any more.
      if (!list.some(([value]) => value === model.filter[name])) (model.filter as Record<string, string>)[name] = "";
      if (select.value !== model.filter[name]) select.value = model.filter[name];
      select.classList.toggle("set", Boolean(model.filter[name]));
    },
  };
}

const assignees = (): Choice[] => {
  const names = new Set(model.tasks.flatMap((task) => task.assignee ?? []));
  return [...names].sort().map((name) => [name, who(name)]);
};
const choosers = [
  chooser("priority", "Priority", () => PRIORITIES.map((priority) => [priority, PRIORITY_WORDS[priority]])),
  chooser("status", "Status", () => STATUSES.map((status) => [status, STATUS_WORDS[status]])),
  chooser("assignee", "Assignee", assignees),
  chooser("waiting", "Waiting", () => [
    ["ready", "Ready to start"],
    ["waiting", "Waiting"],
    ["critical", "On the critical path"],
  ]),
];
const found = h("span.found.faint", { role: "status" });
const clear = h("button.link", { hidden: true, onclick: () => clearFilter() }, "Clear");

on(search, "input", () => {
  model.filter.text = search.value;
  invalidate();
});
on(search, "keydown", (event) => {
  if (event.key !== "Escape") return;
  event.stopPropagation();
  if (search.value) search.value = model.filter.text = "";
  else search.blur();
  invalidate();
});

export const focusSearch = (): void => {
  if (!toolbar.hidden) return search.select();
  location.hash = "#/board";
  on(window, "hashchange", () => requestAnimationFrame(() => requestAnimationFrame(() => search.select())), { once: true });
};

export function clearFilter(): void {
  model.filter = { ...NO_FILTER };
  search.value = "";
  invalidate();
}

export const header = h(
  "header.head",
  {},
  h("a.brand", { href: "#/board", "aria-label": "todori" }, mark(), h("span.wordmark", {}, "todori")),
  project,
  h("nav.tabs", { "aria-label": "Views" }, ...links),
  h("div.meter", {}, bar, figures),
  h(
    "div.tools",
    {},
    state,
    themeButton,
    h("button.quiet", { "aria-label": "Keys and help", title: "Keys and help (?)", onclick: openHelp }, icon("help")),
  ),
);

const hint = h(
  "span.hint.faint",
  { "aria-hidden": "true" },
  "Drag cards, or ",
  h("kbd", {}, "Space"),
  " to pick one up · ",
  h("kbd", {}, "?"),
  " all keys",
);
export const toolbar = h(
  "div.toolbar",
  { role: "search" },
  h("label.field.search", {}, icon("search"), search, h("kbd", { "aria-hidden": "true" }, "/")),
  ...choosers.map(({ select }) => select),
  found,
  clear,
  hint,
);

const STATE_WORDS = { connecting: "Connecting", live: "Live", lost: "Offline" };

export function drawHeader(): void {
  const { done, total } = progress();
  setText(project, model.board?.project ?? "");
  document.title = model.board ? `${readable(model.board.project)} · todori` : "todori";
  fill.style.width = total ? `${(100 * done) / total}%` : "0";
  set(bar, "aria-valuenow", done);
  set(bar, "aria-valuemax", total);
  figures.hidden = bar.hidden = total === 0;
  setText(figures.firstElementChild!, `${done}/${total}`);
  for (const link of links) set(link, "aria-current", link.dataset["view"] === model.view ? "page" : null);
  set(state, "data-state", model.connection);
  setText(state.lastElementChild!, STATE_WORDS[model.connection]);
  const dark = theme() === "dark";
  set(themeButton, "aria-label", dark ? "Light colours" : "Dark colours");
  set(themeButton, "title", dark ? "Light colours" : "Dark colours");
  if (themeButton.dataset["icon"] !== (dark ? "sun" : "moon")) {
    themeButton.dataset["icon"] = dark ? "sun" : "moon";
    themeButton.replaceChildren(icon(dark ? "sun" : "moon"));
  }
  toolbar.hidden = !(model.view === "board" || model.view === "graph") || !model.tasks.length;
  hint.hidden = model.view !== "board";
  for (const { draw } of choosers) draw();
  const filtered = isFiltered(model.filter);
  clear.hidden = !filtered;
  let count = 0;
  if (filtered) for (const list of columns().values()) count += list.length;
  setText(found, filtered ? `${count} of ${model.tasks.length}` : "");
}
