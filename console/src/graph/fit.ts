/** Whether a graph is brought into its frame: at first, and whenever the count of its nodes changes, unless somebody has moved it. Pure. */
export function toFit(before: number, now: number, moved: boolean): boolean {
  return now > 0 && before !== now && !moved;
}
