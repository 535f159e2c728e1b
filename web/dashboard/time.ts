// Times as people say them.
import { model } from "./model";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The time at the server. */
export const now = (): number => Date.now() + model.skew;

/** How long since then: `4 min`. */
export function since(moment: string): string {
  const passed = Math.max(0, now() - Date.parse(moment));
  if (passed < MINUTE) return "a moment";
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h`;
  const days = Math.floor(passed / DAY);
  return days === 1 ? "1 day" : `${days} days`;
}

/** When it was: `4 min ago`, and a date where that is long ago. */
export function when(moment: string): string {
  const passed = now() - Date.parse(moment);
  if (passed < MINUTE) return "just now";
  if (passed < 14 * DAY) return `${since(moment)} ago`;
  return new Date(moment).toLocaleDateString(undefined, { dateStyle: "medium" });
}

/** To the minute, in the person's own zone. */
export const exactly = (moment: string): string =>
  new Date(moment).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A person's session is named after them. */
export const who = (session: string): string =>
  session.startsWith("person:") ? session.slice(7) : session === "browser-http" ? "browser" : session;
