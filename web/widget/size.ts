// Tells the host how much room the page needs. Measures what the content asks for, never the room that was given:
// otherwise each answer of the host would be a new question.
import type { Bridge } from "./bridge";
import { fills } from "./host";

export function tellSize(bridge: Bridge, page: HTMLElement): () => void {
  let told = "";
  const tell = () => {
    if (fills()) {
      told = "";
      return;
    }
    const width = Math.ceil(window.innerWidth);
    const height = Math.ceil(page.getBoundingClientRect().height);
    const now = `${width}x${height}`;
    if (height === 0 || now === told) return;
    told = now;
    bridge.notify("ui/notifications/size-changed", { width, height });
  };
  const observer = new ResizeObserver(tell);
  observer.observe(page);
  tell();
  return () => observer.disconnect();
}
