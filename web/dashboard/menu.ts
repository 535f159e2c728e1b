// A menu at a button: opens, is walked by arrows, and gives the focus back.
import { h, on } from "../shared/dom";

export interface Item {
  label: string;
  act: () => void;
  kind?: "apart" | "bad";
}

let close: (() => void) | null = null;

export const isMenuOpen = (): boolean => close !== null;
export const closeMenu = (): void => close?.();

/** Opens a menu below a button; a second time closes it. */
export function openMenu(button: HTMLElement, items: Item[], label: string): void {
  const again = button.getAttribute("aria-expanded") === "true";
  close?.();
  if (again) return;
  const menu = h("div.menu", { role: "menu", "aria-label": label });
  for (const item of items) {
    menu.append(
      h(
        "button",
        {
          role: "menuitem",
          tabindex: -1,
          class: item.kind ?? "",
          onclick: () => {
            shut(true);
            item.act();
          },
        },
        item.label,
      ),
    );
  }
  const shut = (back: boolean) => {
    menu.remove();
    button.setAttribute("aria-expanded", "false");
    removeEventListener("pointerdown", outside, true);
    removeEventListener("scroll", leave, true);
    close = null;
    // From a card one goes on by arrows, which its button does not know.
    if (back) (button.closest<HTMLElement>(".card") ?? button).focus({ preventScroll: true });
  };
  const outside = (event: PointerEvent) => {
    const at = event.target as Node;
    if (!menu.contains(at) && !button.contains(at)) shut(false);
  };
  const leave = () => shut(false);
  on(menu, "keydown", (event) => {
    event.stopPropagation();
    const all = [...menu.children] as HTMLElement[];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      all[to % all.length]?.focus();
    } else if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      shut(true);
    }
  });
  close = () => shut(false);
  document.body.append(menu);
  button.setAttribute("aria-expanded", "true");
  place(menu, button);
  (menu.firstElementChild as HTMLElement | null)?.focus({ preventScroll: true });
  on(window, "pointerdown", outside, true);
  on(window, "scroll", leave, true);
}

function place(menu: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const [width, height] = [menu.offsetWidth, menu.offsetHeight];
  const left = Math.max(8, Math.min(at.right - width, innerWidth - width - 8));
  const below = at.bottom + 4;
  const top = below + height > innerHeight - 8 ? Math.max(8, at.top - height - 4) : below;
  menu.style.left = `${left}px`;
  menu.style.top = `${top}px`;
}
