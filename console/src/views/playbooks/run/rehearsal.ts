import type { Result } from "../../../protocol/wire";

/** What came of trying a playbook out, in the words of the page. */
export interface Case {
  readonly name: string;
  readonly ok: boolean;
  readonly misses: readonly string[];
}

export interface Way {
  readonly chosen: string;
  readonly status: string;
  readonly failure: string;
  readonly steps: readonly { readonly at: string; readonly status: string; readonly what: string }[];
  readonly calls: readonly { readonly at: string; readonly text: string; readonly refused: string }[];
  readonly assumed: readonly string[];
  readonly asked: readonly string[];
  readonly told: readonly string[];
}

export function readCases(answer: Result<"workflow.test">): { cases: Case[]; faults: readonly string[]; cut: boolean } {
  const cases = answer.cases.map((row): Case => ({
    name: row.test, ok: row.ok, misses: row.misses.map((miss) => `${miss.line}: ${miss.message}`),
  }));
  return { cases, faults: answer.faults, cut: answer.cut };
}

export function readWays(answer: Result<"workflow.dry_run">): { ways: Way[]; cut: boolean } {
  const ways = answer.ways.map((way): Way => ({
    chosen: Object.entries(way.chosen).map(([step, choice]) => `${step} → ${choice}`).join(", "),
    status: way.status,
    failure: way.failure ?? "",
    steps: way.steps.map((step) => ({ at: step.at, status: step.status, what: ["failed", "skipped"].includes(step.status) ? step.why : step.route })),
    calls: way.calls.map((call) => ({ at: call.at, text: `${call.tool} ${JSON.stringify(call.args)}`, refused: call.refused ?? "" })),
    assumed: way.assumed,
    asked: way.asked ?? [],
    told: way.told,
  }));
  return { ways, cut: answer.cut };
}
