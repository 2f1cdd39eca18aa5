/** What was used today and how much may be, as `system.status` has it; null where it is not known or nothing limits. */
export interface Today {
  readonly tokens: number;
  readonly tokensLimit: number | null;
  readonly cost: number | null;
  readonly costLimit: number | null;
}

/** Reads it of the status, which is open: a daemon may leave out or add anything. */
export function todayOf(status: Readonly<Record<string, unknown>>): Today | null {
  const { today } = status;
  if (typeof today !== "object" || today === null) return null;
  const { tokens, tokens_limit, cost, cost_limit } = today as Record<string, unknown>;
  if (typeof tokens !== "number") return null;
  return { tokens, tokensLimit: figure(tokens_limit), cost: figure(cost), costLimit: figure(cost_limit) };
}

/** How much of the day's limits is used, of the one that is nearer to its end: from 0; null where nothing limits. */
export function shareUsed(today: Today): number | null {
  const shares = [share(today.tokens, today.tokensLimit), share(today.cost, today.costLimit)].filter((one) => one !== null);
  return shares.length === 0 ? null : Math.max(...shares);
}

/** From which share on a bar warns. */
export function toneOf(used: number): "plain" | "warn" | "bad" {
  return used >= 0.95 ? "bad" : used >= 0.8 ? "warn" : "plain";
}

function share(used: number | null, limit: number | null): number | null {
  if (used === null || limit === null) return null;
  return limit <= 0 ? 1 : used / limit;
}

function figure(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
