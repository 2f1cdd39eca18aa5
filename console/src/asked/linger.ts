/** An entry of a list; `leftMs` says since when it is shown though it is not in the list any more. */
export interface Kept<T> {
  readonly key: string;
  readonly item: T;
  readonly leftMs: number | null;
}

/**
 * What of a list is drawn so that nothing moves up at once: what left it stays in its place for `keepMs`.
 *
 * @param nowMs null where no clock is at hand: what leaves then is timed from the next call with one.
 * @returns the very `drawn` if nothing is different.
 */
export function linger<T>(drawn: readonly Kept<T>[], list: readonly T[], keyOf: (item: T) => string, nowMs: number | null, keepMs: number): readonly Kept<T>[] {
  const next: Kept<T>[] = list.map((item) => ({ key: keyOf(item), item, leftMs: null }));
  const here = new Set(next.map((one) => one.key));
  drawn.forEach((one, at) => {
    if (here.has(one.key)) return;
    const leftMs = one.leftMs !== null && one.leftMs !== Infinity ? one.leftMs : (nowMs ?? Infinity);
    if (nowMs !== null && nowMs - leftMs >= keepMs) return;
    // Behind what stood before it, which may have left as well.
    const before = drawn.slice(0, at).findLast((other) => here.has(other.key));
    next.splice(before === undefined ? 0 : next.findIndex((other) => other.key === before.key) + 1, 0, { key: one.key, item: one.item, leftMs });
    here.add(one.key);
  });
  const isSame = next.length === drawn.length && next.every((one, at) => one.key === drawn[at]?.key && one.item === drawn[at].item && one.leftMs === drawn[at].leftMs);
  return isSame ? drawn : next;
}
