import type { Item } from "../../thread/items";

/**
 * Where in a conversation a message stands that was looked for: its index, or that of what comes next where it is not shown
 * itself. Pure.
 *
 * @param items what is shown of it, in order.
 * @param seq the message's number; 0 for none.
 * @returns -1 for none, and while what is shown begins behind it or ends before it.
 */
export function foundAt(items: readonly Item[], seq: number): number {
  if (seq === 0) return -1;
  const at = items.findIndex((item) => item.kind === "input" && item.seq === seq);
  if (at !== -1) return at;
  const begins = items.find((item) => item.seq !== null)?.seq ?? Infinity;
  return begins > seq ? -1 : items.findIndex((item) => item.seq !== null && item.seq > seq);
}
