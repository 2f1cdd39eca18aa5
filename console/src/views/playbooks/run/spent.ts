import type { StepRow } from "../../../protocol/generated";

/** Steps that hold others: while one of these waits for a person, they do nothing themselves. */
const HOLDERS = new Set(["loop", "parallel"]);

/** How many steps of a run were done, and how many have failed, each pass of a loop counted. Pure. */
export function ended(rows: readonly StepRow[]): { readonly done: number; readonly failed: number } {
  const of = (status: string): number => rows.filter((row) => row.status === status).length;
  return { done: of("completed"), failed: of("failed") };
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
