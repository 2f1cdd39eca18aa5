import type { LiveRow } from "../../protocol/generated";

export interface Budget {
  /** Which of the limits is the nearest. */
  readonly what: "tokens" | "money" | "calls";
  readonly left: number;
  /** From 0 to 1; null where the whole is not known. */
  readonly share: number | null;
}

/** What is left of the limit that is the nearest to its end; null where nothing limits. */
export function nearest(row: Pick<LiveRow, "budget" | "tokens" | "cost_usd">): Budget | null {
  const { tokens_left: tokens, money_left_usd: money, calls_left: calls } = row.budget;
  const known: Budget[] = [];
  if (tokens !== null) known.push({ what: "tokens", left: tokens, share: shareOf(tokens, row.tokens) });
  if (money !== null) known.push({ what: "money", left: money, share: shareOf(money, row.cost_usd ?? 0) });
  known.sort((one, other) => (one.share ?? 1) - (other.share ?? 1));
  // How many calls were made is not told, so these count only where nothing else does, or where they are nearly all made.
  if (calls !== null && (known.length === 0 || calls <= 3)) known.unshift({ what: "calls", left: calls, share: null });
  return known[0] ?? null;
}

function shareOf(left: number, used: number): number {
  return left + used <= 0 ? 0 : left / (left + used);
}
