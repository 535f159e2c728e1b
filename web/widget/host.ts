// The host around the page: its theme, its colours and fonts, the room it gives, and what it lets the page do.
import { record } from "./bridge";

export type DisplayMode = "inline" | "fullscreen" | "pip";

/** How the page is shown, and how else it could be. */
export interface Display {
  readonly mode: DisplayMode;
  readonly available: readonly DisplayMode[];
}

const MODES: readonly DisplayMode[] = ["inline", "fullscreen", "pip"];
const root = document.documentElement;
const fonts = document.createElement("style");
let display: Display = { mode: "inline", available: [] };
let numbers = new Intl.NumberFormat();

/** A number as the person around here writes it. */
export const figure = (value: number) => numbers.format(value);

/** Follows the host; gets only what changed. */
export function follow(context: Record<string, unknown>): Display {
  const { theme, styles, displayMode, availableDisplayModes, containerDimensions, safeAreaInsets, locale } = context;
  if (theme === "light" || theme === "dark") {
    root.dataset["theme"] = theme;
    root.style.colorScheme = theme;
  }
  dress(record(styles));
  if (typeof locale === "string") speak(locale);
  const mode = MODES.find((name) => name === displayMode);
  if (mode) display = { ...display, mode };
  if (Array.isArray(availableDisplayModes))
    display = { ...display, available: MODES.filter((name) => availableDisplayModes.includes(name)) };
  root.dataset["mode"] = display.mode;
  if (containerDimensions !== undefined) fit(record(containerDimensions));
  if (safeAreaInsets !== undefined) {
    const insets = record(safeAreaInsets);
    for (const side of ["top", "right", "bottom", "left"]) pixels(`--safe-${side}`, insets[side]);
  }
  return display;
}

/** Whether the page fills the room it was given, instead of asking for as much as it needs. */
export const fills = () => root.dataset["fixed"] === "true" || display.mode === "fullscreen";

function dress(styles: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(record(styles["variables"]))) {
    if (!name.startsWith("--")) continue;
    if (typeof value === "string") root.style.setProperty(name, value);
    else root.style.removeProperty(name);
  }
  const css = record(styles["css"])["fonts"];
  if (typeof css === "string" && css !== fonts.textContent) {
    fonts.textContent = css;
    document.head.append(fonts);
  }
}

function speak(locale: string): void {
  try {
    numbers = new Intl.NumberFormat(locale);
  } catch {
    // A locale that the browser does not know: numbers stay as they are.
  }
}

function fit(room: Record<string, unknown>): void {
  const fixed = typeof room["height"] === "number";
  root.dataset["fixed"] = String(fixed);
  pixels("--room", fixed ? undefined : room["maxHeight"]);
}

function pixels(name: string, value: unknown): void {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) root.style.setProperty(name, `${value}px`);
  else root.style.removeProperty(name);
}
