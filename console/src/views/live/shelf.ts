import type { LiveRow } from "../../protocol/generated";

/** For how long what has ended stays in its place. */
export const FADE_MS = 3_000;
/** The most that are shown though they are gone: where much ends at once, the first of it goes at once. */
export const MOST_FADING = 50;

export interface Kept {
  readonly row: LiveRow;
  /** Since when its place is held: what it began with when it came. */
  readonly begun: string;
  /** When it went, in milliseconds; null while it is there. */
  readonly goneAt: number | null;
}

/**
 * Keeps rows in their places while what they say changes: nothing moves under a pointer. What is gone stays for a moment, and as
 * long as somebody is in it. It holds what there is now and nothing of what was, so it stays small.
 */
export class Shelf {
  private kept = new Map<string, Kept>();
  private seen: readonly Kept[] = [];

  /** What there is now. */
  take(rows: ReadonlyMap<string, LiveRow>, nowMs: number): void {
    for (const [id, row] of rows) this.kept.set(id, { row, begun: this.kept.get(id)?.begun ?? row.since, goneAt: null });
    for (const [id, one] of this.kept) {
      if (!rows.has(id) && one.goneAt === null) this.kept.set(id, { ...one, goneAt: nowMs });
    }
    const fading = [...this.kept.values()].filter(({ goneAt }) => goneAt !== null);
    fading.sort((one, other) => (one.goneAt ?? 0) - (other.goneAt ?? 0));
    for (const { row } of fading.slice(0, Math.max(0, fading.length - MOST_FADING))) this.kept.delete(row.thread_id);
    this.order();
  }

  /** Takes away what is gone for long enough, unless it is held. */
  sweep(nowMs: number, held: (threadId: string) => boolean): void {
    for (const [id, { goneAt }] of this.kept) {
      if (goneAt !== null && nowMs - goneAt >= FADE_MS && !held(id)) this.kept.delete(id);
    }
    this.order();
  }

  /** In the order in which they began. */
  view(): readonly Kept[] {
    return this.seen;
  }

  /** Whether something is gone and still shown. */
  get fading(): boolean {
    return this.seen.some(({ goneAt }) => goneAt !== null);
  }

  private order(): void {
    this.seen = [...this.kept.values()].sort(
      (one, other) => compare(one.begun, other.begun) || compare(one.row.thread_id, other.row.thread_id),
    );
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
