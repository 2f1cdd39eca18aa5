import type { ThreadEvent } from "../../protocol/wire";
import { ThreadFold } from "../../thread/fold";
import type { Item } from "../../thread/items";

/** A turn of a thread: its records, by which it can be replayed. */
export interface Turn {
  readonly runId: string;
  readonly at: string;
  /** How its message begins. */
  readonly words: string;
  readonly records: readonly ThreadEvent[];
}

/** One record as a row of the timeline. */
export interface TimelineRow {
  readonly seq: number;
  readonly type: string;
  /** What of its data tells it apart from its neighbours. */
  readonly what: string;
  readonly at: string;
  readonly offsetMs: number;
  /** Where it lies between the turn's first record and its last one, from 0 to 1. */
  readonly share: number;
}

/** A thread's turns, the newest first. */
export function turnsOf(records: readonly ThreadEvent[]): Turn[] {
  const byRun = new Map<string, ThreadEvent[]>();
  const begun = new Set<string>();
  for (const record of records) {
    const run = record.run_id ?? "";
    if (run === "") continue;
    if (record.type === "RUN_STARTED") begun.add(run);
    const turn = byRun.get(run);
    if (turn === undefined) byRun.set(run, [record]);
    else turn.push(record);
  }
  return [...byRun]
    .filter(([run]) => begun.has(run))
    .map(([runId, all]) => {
      const input = all.find((record) => record.type === "INPUT");
      return { runId, at: all[0]?.at ?? "", words: input?.type === "INPUT" ? input.data.text.slice(0, 80) : "", records: all };
    })
    .reverse();
}

export function rowsOf(turn: Turn): TimelineRow[] {
  // The message may have waited long for its turn: the bar begins where the turn does.
  const began = Date.parse((turn.records.find((record) => record.type === "RUN_STARTED") ?? turn.records[0])?.at ?? "");
  const ended = Date.parse(turn.records.at(-1)?.at ?? "");
  const whole = Math.max(1, ended - began);
  return turn.records.map((record) => {
    const offsetMs = Date.parse(record.at) - began;
    return {
      seq: record.seq ?? 0, type: record.type, what: detail(record), at: record.at, offsetMs, share: Math.min(1, Math.max(0, offsetMs / whole)),
    };
  });
}

/** What was to be seen of the turn when its first `count` records were there. */
export function replayed(threadId: string, turn: Turn, count: number): readonly Item[] {
  const fold = new ThreadFold(threadId);
  for (const record of turn.records.slice(0, count)) fold.take(record);
  return fold.view().items;
}

function detail(record: ThreadEvent): string {
  const data = record.data as Record<string, unknown>;
  const part = ["name", "code", "what", "reason", "agent", "text", "task", "prompt"].map((name) => data[name]).find((value) => typeof value === "string" && value !== "");
  if (typeof part === "string") return part.slice(0, 160);
  const outcome = data.outcome as { status?: string } | undefined;
  return outcome?.status ?? "";
}

/** `+0.0 s`, `+1 min 4 s`: how long after the beginning. */
export function offset(ms: number): string {
  const sign = ms < 0 ? "−" : "+";
  const s = Math.abs(ms) / 1000;
  if (s < 60) return `${sign}${s.toFixed(s < 10 ? 2 : 1)} s`;
  const whole = Math.round(s);
  return `${sign}${Math.floor(whole / 60)} min ${whole % 60} s`;
}
