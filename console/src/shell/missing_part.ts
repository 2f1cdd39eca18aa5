/** What a page does that lacks a part of itself. */

/** Between two pages that are loaded anew for it, so that a part that is missing for another reason does not do so for ever. */
const APART_MS = 10_000;
const KEY = "sulla.reloaded";

/** What decides and does it in a browser. */
export interface Around {
  /** Whether the daemon answers at all. */
  isThere(): Promise<boolean>;
  nowMs(): number;
  readonly kept: Pick<Storage, "getItem" | "setItem">;
  reload(): void;
}

/**
 * A part could not be loaded. A daemon that was brought up to date has it no more: the new page has all of its parts. While
 * the daemon is away nothing is to be had, and a page that was loaded anew would be the browser's own that says so, without
 * what somebody has written.
 */
export async function onMissingPart(around: Around): Promise<void> {
  if (!(await around.isThere())) return;
  const now = around.nowMs();
  if (now - Number(around.kept.getItem(KEY) ?? 0) < APART_MS) return;
  around.kept.setItem(KEY, String(now));
  around.reload();
}

/** Whether an address answers, with whatever. */
export async function answers(path: string): Promise<boolean> {
  try {
    await fetch(path, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(5_000) });
    return true;
  } catch {
    return false;
  }
}
