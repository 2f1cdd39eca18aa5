import type { UsageDay } from "../../protocol/generated";

export type Measure = "tokens" | "money";

export interface Sum {
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** All of them: more than both together where a service did not tell the two apart. */
  readonly tokens: number;
  /** Null where no price is known. */
  readonly cost: number | null;
}

export interface Bar extends Sum {
  readonly day: string;
}

export interface Share extends Sum {
  readonly name: string;
}

/** One bar for each of the last days up to the newest, those without use among them, the oldest first. Days are UTC dates. */
export function bars(days: readonly UsageDay[], wanted: number, today: string): readonly Bar[] {
  const known = new Map(days.map((day) => [day.day, day]));
  const end = Date.parse(`${today}T00:00:00Z`);
  return Array.from({ length: wanted }, (_, index) => {
    const day = new Date(end - (wanted - 1 - index) * 86_400_000).toISOString().slice(0, 10);
    const found = known.get(day);
    return { day, ...(found === undefined ? NOTHING : sumOf(found)) };
  });
}

/** All of them together. Money is null only where none of them has a price. */
export function sum(rows: readonly Sum[]): Sum {
  const priced = rows.filter((row) => row.cost !== null);
  return {
    tokensIn: rows.reduce((all, row) => all + row.tokensIn, 0),
    tokensOut: rows.reduce((all, row) => all + row.tokensOut, 0),
    tokens: rows.reduce((all, row) => all + row.tokens, 0),
    cost: priced.length === 0 && rows.length > 0 ? null : priced.reduce((all, row) => all + (row.cost ?? 0), 0),
  };
}

/** What each agent or playbook used over the days, the most first. */
export function shares(days: readonly UsageDay[], by: "agent" | "playbook"): readonly Share[] {
  const found = new Map<string, Sum[]>();
  for (const day of days) {
    const rows = by === "agent" ? day.by_agent.map((row) => ({ ...row, name: row.agent })) : day.by_playbook.map((row) => ({ ...row, name: row.playbook }));
    for (const row of rows) {
      found.set(row.name, [...(found.get(row.name) ?? []), sumOf(row)]);
    }
  }
  return [...found]
    .map(([name, rows]) => ({ name, ...sum(rows) }))
    .sort((one, other) => (other.cost ?? 0) - (one.cost ?? 0) || other.tokens - one.tokens || (one.name < other.name ? -1 : 1));
}

/** The limit of the newest day that has one; null if none has. */
export function limitOf(days: readonly UsageDay[], measure: Measure): number | null {
  const newest = [...days].sort((one, other) => (one.day < other.day ? 1 : -1));
  for (const day of newest) {
    const limit = measure === "tokens" ? day.limit_tokens : day.limit_usd;
    if (limit !== null) return limit;
  }
  return null;
}

export function valueOf(row: Sum, measure: Measure): number {
  return measure === "tokens" ? row.tokens : (row.cost ?? 0);
}

export interface Scale {
  readonly top: number;
  /** Where lines are drawn, from 0 to the top. */
  readonly ticks: readonly number[];
  /** Whether the limit lies within it; one far above what is used would flatten all bars. */
  readonly showsLimit: boolean;
}

/** Round figures above the highest bar, and above the limit where that does not make bars too small to tell apart. */
export function scaleOf(values: readonly number[], limit: number | null): Scale {
  const highest = Math.max(0, ...values);
  const showsLimit = limit !== null && limit > 0 && (highest === 0 || limit <= highest * 6);
  const most = Math.max(highest, showsLimit ? limit : 0);
  if (most <= 0) return { top: 1, ticks: [0, 1], showsLimit: false };
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? 10 * power;
  const steps = Math.ceil(most / step - 1e-9);
  return { top: step * steps, ticks: Array.from({ length: steps + 1 }, (_, index) => Number((step * index).toPrecision(12))), showsLimit };
}

const NOTHING: Sum = { tokensIn: 0, tokensOut: 0, tokens: 0, cost: 0 };

function sumOf(row: Pick<UsageDay, "tokens_in" | "tokens_out" | "tokens" | "cost_usd">): Sum {
  return { tokensIn: row.tokens_in, tokensOut: row.tokens_out, tokens: row.tokens, cost: row.cost_usd };
}
