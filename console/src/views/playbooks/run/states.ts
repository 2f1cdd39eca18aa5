import type { NodeState } from "../../../graph/graph";
import type { PlayDetail, StepRow } from "../../../protocol/generated";
import { duration, momentOf } from "../../../text/figures";
import { t } from "../words";

/** The id of a step, without the passes of loops. */
export function idOf(at: string): string {
  return at.split("@")[0] ?? at;
}

/** What a person says of the pass: `3`, `1.2` counted from 1; empty outside of loops. */
export function passOf(at: string): string {
  const passes = at.split("@")[1];
  return passes === undefined ? "" : passes.split(".").map((one) => Number(one) + 1).join(".");
}

/** Rows of a run by the ids of their steps, in the order in which they began. */
export function byStep(rows: readonly StepRow[]): ReadonlyMap<string, readonly StepRow[]> {
  const found = new Map<string, StepRow[]>();
  for (const row of rows) {
    const id = idOf(row.at);
    const before = found.get(id);
    if (before === undefined) found.set(id, [row]);
    else before.push(row);
  }
  return found;
}

const TONES: Readonly<Record<string, NodeState["tone"]>> = {
  running: "accent", waiting: "warn", paused: "warn", queued: "warn", completed: "good", transferred: "good", failed: "bad", cancelled: "plain",
  skipped: "plain", pending: "plain",
};

export function toneOf(status: string): NodeState["tone"] {
  return TONES[status] ?? "plain";
}

const STATUS = new Set(["queued", "running", "waiting", "paused", "completed", "failed", "cancelled", "transferred", "skipped", "pending"]);

/** How something stands, in a word; a word that this page does not know is shown as it is. */
export function statusWord(status: string): string {
  return STATUS.has(status) ? t(status as "running") : status;
}

/** How something would stand that a dry run has gone through, in a word. */
export function wouldWord(status: string): string {
  return status === "completed" ? t("wouldBeDone") : status === "failed" ? t("wouldFail") : statusWord(status);
}

/** How a step would stand in one way of a dry run; `what` it would come to. */
export function wouldStand(status: string, what: string): NodeState {
  return { tone: toneOf(status), word: [wouldWord(status), what.slice(0, 40)].filter(Boolean).join(" · "), supposed: true };
}

/** Whether only another step's failure kept it from beginning. */
export function neverBegan(row: Pick<StepRow, "status" | "tries" | "error">): boolean {
  return row.status === "failed" && row.tries === 0 && row.error.startsWith("upstream:");
}

/** How a step stands, by more than its status: what it waits for stands in its note. */
export function stepState(row: Pick<StepRow, "status" | "kind" | "note" | "tries" | "error">): NodeState {
  if (neverBegan(row)) return { tone: "plain", word: t("notBegun") };
  if (row.status !== "running" && row.status !== "waiting") return { tone: toneOf(row.status), word: statusWord(row.status) };
  const [, how, at = ""] = /^(tries again at|until) (\S+)$/.exec(row.note) ?? [];
  if (how !== undefined && !Number.isNaN(Date.parse(at))) return { tone: "warn", word: t(how === "until" ? "waitsUntil" : "triesAgain", { at: momentOf(at) }) };
  if (row.kind === "human" || row.note.startsWith("a person: ")) return { tone: "warn", word: t("asksPerson") };
  // A tool may wait for leave; all others that a run waits with are at work elsewhere.
  if (row.status === "waiting" && row.kind === "tool") return { tone: "warn", word: statusWord("waiting") };
  return { tone: "accent", word: t("atWork") };
}

/** How a run stands: one that rests while an agent works for it is at work. */
export function runState(status: string, rows: readonly StepRow[], asks: boolean): NodeState {
  if (status !== "waiting") return { tone: toneOf(status), word: statusWord(status) };
  if (asks) return { tone: "warn", word: t("asksPerson") };
  const states = rows.filter((row) => row.status === "running" || row.status === "waiting").map(stepState);
  return states.find((one) => one.tone === "accent") ?? states[0] ?? { tone: toneOf(status), word: statusWord(status) };
}

/** Which of a step's passes says how the step stands: one that works or waits, else the newest. */
function telling(rows: readonly StepRow[]): StepRow | undefined {
  return rows.find((row) => row.status === "running") ?? rows.find((row) => row.status === "waiting") ?? rows[rows.length - 1];
}

/** How each step of a run stands, by its id. */
export function nodeStates(ids: readonly string[], rows: readonly StepRow[]): ReadonlyMap<string, NodeState> {
  const found = byStep(rows);
  return new Map(
    ids.map((id): [string, NodeState] => {
      const own = found.get(id) ?? [];
      const row = telling(own);
      if (row === undefined) return [id, { tone: "plain", word: t("notBegun") }];
      const failed = own.filter((one) => one.status === "failed" && !neverBegan(one)).length;
      const state = stepState(row);
      const words = [state.word];
      if (own.length > 1) words.push(t("passes", { count: own.length }));
      if (own.length > 1 && failed > 0 && row.status !== "failed") words.push(t("passesFailed", { count: failed }));
      if (own.length === 1 && row.tries > 1) words.push(t("tries", { count: row.tries }));
      if (row.route !== "") words.push(`→ ${row.route}`);
      return [id, { tone: state.tone, word: words.join(" · ") }];
    }),
  );
}

/** The id of the step that works: of several the one that began last, which is within the others; else one that waits. Empty for none. */
export function stepAtWork(rows: readonly StepRow[]): string {
  const open = rows.filter((row) => row.status === "running" || row.status === "waiting");
  const row = open.findLast((one) => stepState(one).tone === "accent") ?? open.at(-1);
  return row === undefined ? "" : idOf(row.at);
}

/** How long a row took, or takes. */
export function tookS(row: Pick<StepRow, "started_at" | "ended_at">, nowMs: number): string {
  if (row.started_at === null) return "";
  const end = row.ended_at === null ? nowMs : Date.parse(row.ended_at);
  return duration((end - Date.parse(row.started_at)) / 1000);
}

export function isOver(status: string): boolean {
  return status === "completed" || status === "failed" || status === "cancelled" || status === "transferred";
}

/** By which word a run that did not come to its end is gone on with. */
export function againWord(status: string): string {
  return t(status === "cancelled" ? "againCut" : "againFailed");
}

/** What may be done with a run as it stands. */
export function acts(about: PlayDetail["about"]): { pause: boolean; resume: boolean; step: boolean; cancel: boolean; again: boolean; from: boolean } {
  const over = isOver(about.status);
  const paused = about.status === "paused";
  return {
    pause: !over && !paused, resume: paused, step: paused, cancel: !over, again: about.status === "failed" || about.status === "cancelled", from: over,
  };
}
