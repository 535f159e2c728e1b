// Small things that the browser keeps: for good, or until the tab is closed. Where it may not, the page works without.

type Storage = "localStorage" | "sessionStorage";

export function remembered(key: string, where: Storage = "localStorage"): string | null {
  try {
    return window[where].getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string | null, where: Storage = "localStorage"): void {
  try {
    if (value === null) window[where].removeItem(key);
    else window[where].setItem(key, value);
  } catch {
    // It is forgotten with the page.
  }
}
