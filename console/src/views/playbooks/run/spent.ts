import type { PlayRow, StepRow } from "../../../protocol/generated";
import { t } from "../words";

/** Steps that hold others: while one of these waits for a person, they do nothing themselves. */
const HOLDERS = new Set(["loop", "parallel"]);

/** How many steps of a run have come to what, as the daemon counts them: each once. Pure. */
export function stepsTold(run: Pick<PlayRow, "done" | "failed" | "skipped" | "cancelled" | "not_begun">): string {
  const others = (["failed", "skipped", "cancelled", "not_begun"] as const).filter((one) => (run[one] ?? 0) > 0);
  return [t("done", { done: run.done }), ...others.map((one) => `${t(one === "not_begun" ? "notBegun" : one)}: ${run[one]}`)].join(", ");
}

/** Seconds in which a run did nothing but wait for a person's answer. Pure. */
export function waitedS(rows: readonly StepRow[], nowMs: number): number {
  const turns = rows
    .filter((row) => row.started_at !== null && !HOLDERS.has(row.kind))
    .flatMap((row) => {
      const asks = row.kind === "human";
      const began = { ms: Date.parse(row.started_at ?? ""), asks: asks ? 1 : 0, works: asks ? 0 : 1 };
      return [began, { ms: row.ended_at === null ? nowMs : Date.parse(row.ended_at), asks: -began.asks, works: -began.works }];
    })
    .sort((one, other) => one.ms - other.ms);
  let [asks, works, since, waited] = [0, 0, 0, 0];
  for (const turn of turns) {
    if (asks > 0 && works === 0) waited += turn.ms - since;
    asks += turn.asks;
    works += turn.works;
    since = turn.ms;
  }
  return waited / 1000;
}
