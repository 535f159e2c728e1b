// The dashboard: puts the page together and starts to follow the board.
import { h, on, setText } from "../shared/dom";
import { takeBack } from "./actions";
import { agentsView, drawAgents } from "./agents";
import { places } from "./announce";
import { boardView, drawBoard, focusAdd, letGo, printAll } from "./board";
import { drawDetails, sheet } from "./details";
import { drawGate, gates } from "./gate";
import { drawGraph, graphView } from "./graph";
import { drawHeader, focusSearch, header, toolbar } from "./header";
import { openHelp } from "./help";
import { isMenuOpen } from "./menu";
import { drawn, invalidate, model, VIEWS } from "./model";
import { drawProgress, progressView } from "./progress";
import * as route from "./route";
import { follow, retry } from "./server";
import { applyTheme } from "./theme";

const bannerText = h("span");
const bannerAct = h("button.link", { onclick: () => (model.newVersion ? location.reload() : retry()) });
const banner = h("div.banner", { role: "alert", hidden: true }, bannerText, bannerAct);
const skeleton = h(
  "div.skeleton",
  { "aria-hidden": "true" },
  ...[4, 2, 1, 3].map((cards) => h("div.column", {}, h("i"), ...Array.from({ length: cards }, () => h("b")))),
);
const narrow = matchMedia("(max-width: 700px)");
const hint = h("p", { id: "card-hint", class: "unseen" }, "Enter opens it, Space picks it up, m shows its actions.");
const views = {
  board: [boardView, drawBoard],
  graph: [graphView, drawGraph],
  progress: [progressView, drawProgress],
  agents: [agentsView, drawAgents],
} as const;
const main = h("main", {}, skeleton, ...Object.values(views).map(([view]) => view), sheet);
const page = h("div.page", {}, header, banner, toolbar, ...gates, main, hint);
document.getElementById("page")!.replaceWith(page, ...places);

drawn(() => {
  drawHeader();
  const gated = drawGate();
  main.hidden = gated;
  if (gated) toolbar.hidden = true;
  page.classList.toggle("gated", gated);
  const lost = model.connection === "lost" && !model.locked;
  banner.hidden = !lost && !model.newVersion;
  if (lost) setText(bannerText, "The server can’t be reached. What you see may be old; trying again…");
  else if (model.newVersion) setText(bannerText, "The server was updated.");
  setText(bannerAct, lost ? "Try now" : "Reload this page");
  skeleton.hidden = model.board !== null;
  if (gated || model.view !== "board") letGo();
  for (const name of VIEWS) {
    const [view, draw] = views[name];
    view.hidden = model.board === null || model.view !== name;
    if (!view.hidden) draw();
  }
  drawDetails();
  // Where the sheet covers everything, nothing behind it can be reached by keys either.
  const covered = narrow.matches && !sheet.hidden;
  for (const element of [header, toolbar, ...Object.values(views).map(([view]) => view)]) element.inert = covered;
});

on(window, "keydown", (event) => {
  const at = event.target as HTMLElement;
  const typing = at.closest?.("input, textarea, select, dialog, [contenteditable]");
  if ((event.ctrlKey || event.metaKey) && event.key === "z" && !typing) {
    event.preventDefault();
    return void takeBack();
  }
  if (event.key === "Escape" && model.openTask && !at.closest?.("dialog") && !isMenuOpen()) return route.close();
  if (typing || event.ctrlKey || event.metaKey || event.altKey || isMenuOpen() || model.locked) return;
  const act: Record<string, () => void> = { n: addTask, "/": focusSearch, "?": openHelp };
  VIEWS.forEach((view, i) => (act[String(i + 1)] = () => route.goToView(view)));
  const doing = act[event.key];
  if (!doing) return;
  event.preventDefault();
  doing();
});

function addTask(): void {
  if (!boardView.hidden) return focusAdd();
  route.goToView("board");
  on(window, "hashchange", () => requestAnimationFrame(() => requestAnimationFrame(focusAdd)), { once: true });
}

on(window, "beforeprint", () => printAll(true));
on(window, "afterprint", () => printAll(false));
// “For 4 min” goes on by itself.
setInterval(() => document.hidden || invalidate(), 20_000);
applyTheme(invalidate);
route.follow();
void follow();
