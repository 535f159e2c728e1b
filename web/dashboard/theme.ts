// Light or dark: as the system says, until somebody chooses.
import { on } from "../shared/dom";

const KEY = "todori-theme";
type Theme = "light" | "dark";

const system = matchMedia("(prefers-color-scheme: dark)");
let chosen = localStorage.getItem(KEY) as Theme | null;

export const theme = (): Theme => chosen ?? (system.matches ? "dark" : "light");

export function applyTheme(changed?: () => void): void {
  document.documentElement.style.colorScheme = chosen ?? "light dark";
  if (changed) on(system, "change", changed);
}

export function toggleTheme(): void {
  chosen = theme() === "dark" ? "light" : "dark";
  // Whoever comes back to what the system says follows the system again.
  if (chosen === (system.matches ? "dark" : "light")) {
    chosen = null;
    localStorage.removeItem(KEY);
  } else localStorage.setItem(KEY, chosen);
  applyTheme();
}
