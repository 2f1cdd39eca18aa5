import type { ThreadEvent } from "../protocol/wire";

/** Records of a thread as a daemon sends them, for tests: numbered from 1, a second apart. */
export class Recorded {
  private seq = 0;
  private second = 0;

  constructor(
    readonly threadId = "thr_a",
    private readonly agent = "sulla",
  ) {}

  /** The next kept record. */
  kept(type: ThreadEvent["type"], data: object, runId: string | null = "run_1"): ThreadEvent {
    this.second += 1;
    this.seq += 1;
    return this.event(type, data, runId, this.seq);
  }

  /** Something that is shown and not kept. */
  live(type: ThreadEvent["type"], data: object, runId: string | null = "run_1"): ThreadEvent {
    return this.event(type, data, runId, null);
  }

  /** A whole turn: what was said, what was answered. */
  turn(number: number, said: string, answered: string): ThreadEvent[] {
    const run = `run_${number}`;
    const input = this.kept("INPUT", { message_id: `m-${number}`, text: said }, run);
    return [
      input,
      this.kept("RUN_STARTED", { input_seq: input.seq ?? 0, message_id: `m-${number}` }, run),
      this.kept("TEXT_MESSAGE_END", { call_id: `c-${number}`, message_id: `a-${number}`, text: answered, usage: { input_tokens: 10, output_tokens: 5 } }, run),
      this.kept("RUN_FINISHED", { run_id: run, outcome: { status: "done" } }, run),
    ];
  }

  private event(type: ThreadEvent["type"], data: object, runId: string | null, seq: number | null): ThreadEvent {
    const at = new Date(Date.UTC(2027, 0, 15, 8, 0, this.second)).toISOString();
    return { thread_id: this.threadId, seq, run_id: runId, parent_run_id: null, agent: this.agent, depth: 0, type, at, data } as unknown as ThreadEvent;
  }
}
