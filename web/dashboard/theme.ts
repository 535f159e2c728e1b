// Light or dark: as the system says, until somebody chooses.
import { on } from "../shared/dom";
import { remember, remembered } from "./remember";

const KEY = "todori-theme";
type Theme = "light" | "dark";

const system = matchMedia("(prefers-color-scheme: dark)");
let chosen = [remembered(KEY)].find((kept): kept is Theme => kept === "light" || kept === "dark") ?? null;

export const theme = (): Theme => chosen ?? (system.matches ? "dark" : "light");

export function applyTheme(changed?: () => void): void {
  document.documentElement.style.colorScheme = chosen ?? "light dark";
  if (changed) on(system, "change", changed);
}

export function toggleTheme(): void {
  chosen = theme() === "dark" ? "light" : "dark";
  // Whoever comes back to what the system says follows the system again.
  if (chosen === (system.matches ? "dark" : "light")) chosen = null;
  remember(KEY, chosen);
  applyTheme();
}
