/** What came of trying a playbook out, as far as an answer can be read: older and newer daemons may tell more or less. */
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
  readonly calls: readonly { readonly at: string; readonly text: string }[];
  readonly assumed: readonly string[];
  readonly told: readonly string[];
}

export function readCases(answer: unknown): { cases: Case[]; faults: string[] } {
  const said = object(answer);
  const rows = list(Array.isArray(answer) ? answer : (said.cases ?? said.tests ?? said.verdicts));
  const cases = rows.map(object).flatMap((row): Case[] => {
    const name = text(row.test) || text(row.name);
    if (name === "" && typeof row.ok !== "boolean") return [];
    const misses = list(row.misses).map((miss) => {
      const told = object(miss);
      return typeof miss === "string" ? miss : `${typeof told.line === "number" ? `${told.line}: ` : ""}${text(told.message)}`;
    });
    return [{ name, ok: typeof row.ok === "boolean" ? row.ok : misses.length === 0, misses }];
  });
  const faults = [...list(said.faults).map(text), ...rows.map((row) => text(object(row).fault))].filter((one) => one !== "");
  return { cases, faults };
}

export function readWays(answer: unknown): { ways: Way[]; cut: boolean } {
  const said = object(answer);
  const ways = list(Array.isArray(answer) ? answer : said.ways).map(object).map((way): Way => ({
    chosen: Object.entries(object(way.chosen)).map(([step, choice]) => `${step} → ${text(choice)}`).join(", "),
    status: text(way.status),
    failure: text(way.failure) || text(object(way.failure).message),
    steps: list(way.steps).map(object).map((step) => ({
      at: text(step.at), status: text(step.status), what: ["failed", "skipped"].includes(text(step.status)) ? text(step.why) : text(step.route),
    })),
    calls: list(way.calls).map(object).map((call) => ({ at: text(call.at), text: `${text(call.tool)} ${JSON.stringify(call.args ?? {})}` })),
    assumed: list(way.assumed).map(text),
    told: list(way.told).map(text),
  }));
  return { ways, cut: said.cut === true || said.is_cut === true };
}

function object(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
