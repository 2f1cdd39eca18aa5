/** How long after a person has moved the view what comes of it is theirs. */
export const MOVED_MS = 600;

/**
 * Whether the view stays at the bottom. Only a person takes it away from there: what grows, a question that comes, a smaller
 * window and a page that was in the background do not.
 *
 * @param before whether it stayed there until now.
 * @param atBottom whether it is there.
 * @param sinceMovedMs how long ago a person has scrolled or opened something.
 */
export function sticks(before: boolean, atBottom: boolean, sinceMovedMs: number): boolean {
  return atBottom || (before && sinceMovedMs > MOVED_MS);
}

const MOVING = new Set(["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown"]);

/** Whether what a person does in the log moves it: by wheel, finger, key or scroll bar, or by opening a card. */
export function moves(event: Pick<Event, "type" | "target"> & { key?: string }): boolean {
  const at = typeof Element !== "undefined" && event.target instanceof Element ? event.target : null;
  if (event.type === "keydown") return MOVING.has(event.key ?? "") && at?.closest("textarea, input, select") == null;
  if (event.type === "pointerdown" || event.type === "click") {
    return at !== null && (at.closest("[aria-expanded]") !== null || at.matches("[data-virtuoso-scroller]"));
  }
  return event.type === "wheel" || event.type === "touchmove";
}
