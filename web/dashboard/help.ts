// The dialog that says which keys there are.
import { h, on } from "../shared/dom";
import { icon } from "./icons";
import { model } from "./model";

const KEYS: [string, [string[], string][]][] = [
  [
    "Anywhere",
    [
      [["n"], "Add a task"],
      [["/"], "Search"],
      [["1", "2", "3", "4"], "Board, graph, progress, agents"],
      [["Ctrl", "Z"], "Take back the last change made here"],
      [["Esc"], "Close what is open"],
      [["?"], "This help"],
    ],
  ],
  [
    "On a card",
    [
      [["↑", "↓", "←", "→"], "Go to another card"],
      [["Enter"], "Open it"],
      [["Space"], "Pick it up; arrows move it, Space puts it down, Esc takes it back"],
      [["[", "]"], "Move it to the column before or after"],
      [["Shift", "↑ ↓"], "Move it up or down"],
      [["m"], "All its actions"],
      [["Del"], "Delete it (it can be taken back)"],
    ],
  ],
];

const version = h("p.faint");
const dialog = h(
  "dialog.help",
  { "aria-labelledby": "help-title" },
  h(
    "header",
    {},
    h("h2", { id: "help-title" }, "Keys"),
    h("button.quiet", { "aria-label": "Close", onclick: () => dialog.close() }, icon("close")),
  ),
  ...KEYS.map(([title, rows]) =>
    h(
      "section",
      {},
      h("h3", {}, title),
      h(
        "dl",
        {},
        ...rows.flatMap(([keys, words]) => [
          h("dt", {}, ...keys.flatMap((key) => [h("kbd", {}, key), " "])),
          h("dd", {}, words),
        ]),
      ),
    ),
  ),
  h("p", {}, "With the mouse: drag cards between and within columns, or use the ⋯ of a card. With a finger: press a card for a moment, then drag."),
  version,
);
on(dialog, "click", (event) => event.target === dialog && dialog.close());

export function openHelp(): void {
  if (!dialog.isConnected) document.body.append(dialog);
  version.textContent = model.board ? `todori ${model.board.version}` : "";
  dialog.showModal();
}
