import type { Outcome, Usage } from "../protocol/generated";

/** What a person sees of a thread, one row each. Frozen values: a change is a new one under the same `key`. */
export type Item =
  | InputItem
  | TextItem
  | ReasoningItem
  | ToolItem
  | QuestionItem
  | ChildItem
  | NoteItem
  | EndItem;

interface Common {
  /** Stable over the item's life. */
  readonly key: string;
  readonly threadId: string;
  readonly runId: string;
  readonly at: string;
  /** Its first record's number; null for what is live only. */
  readonly seq: number | null;
}

export interface InputItem extends Common {
  readonly kind: "input";
  readonly messageId: string;
  readonly text: string;
  readonly quoted: string;
  /** The words of an application's that stand in the text before the person's; empty for none. */
  readonly applications: string;
  readonly origin: string;
  readonly tainted: boolean;
  readonly spoken: boolean;
  /** How it comes in while a turn goes on. */
  readonly mode: string;
  /** `sending`: not acknowledged yet; `waits`: has no turn yet. */
  readonly state: "sending" | "failed" | "waits" | "taken" | "dropped";
  readonly why: string;
}

export interface TextItem extends Common {
  readonly kind: "text";
  readonly messageId: string;
  readonly agent: string;
  readonly text: string;
  readonly done: boolean;
  readonly cut: boolean;
  readonly standIn: string;
  readonly tainted: boolean;
  readonly usage: Usage | null;
}

export interface ReasoningItem extends Common {
  readonly kind: "reasoning";
  readonly messageId: string;
  readonly text: string;
  readonly done: boolean;
}

export interface ToolItem extends Common {
  readonly kind: "tool";
  readonly callId: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly effect: string;
  readonly result: string | null;
  readonly isError: boolean;
  readonly refused: boolean;
  readonly held: string;
  readonly origin: string;
  readonly tainted: boolean;
  readonly progress: string;
  readonly endedAt: string | null;
  /** Whether a person is asked about it, or has said no. */
  readonly asked: "" | "waits" | "rejected";
}

export interface QuestionItem extends Common {
  readonly kind: "question";
  readonly waitId: string;
  readonly prompt: string;
  readonly tool: string;
  readonly target: string;
  readonly choices: readonly string[];
  readonly expiresMs: number | null;
  /** The schema that the answer has to have, as JSON; none for one in plain words. */
  readonly form?: Readonly<Record<string, unknown>> | null;
  /** Null while it is open. */
  readonly answer: { readonly verdict: string; readonly text: string; readonly by: string; readonly at: string } | null;
}

export interface ChildItem extends Common {
  readonly kind: "child";
  readonly childThreadId: string;
  readonly agent: string;
  readonly mode: string;
  readonly task: string;
  /** `cancelled`: told to end; `stopped`: it has ended before it was done. */
  readonly state: "works" | "waits" | "done" | "cancelled" | "stopped";
  readonly status: string;
}

export interface NoteItem extends Common {
  readonly kind: "note";
  /** The event's type, by which the view says it in words. */
  readonly what: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EndItem extends Common {
  readonly kind: "end";
  readonly outcome: Outcome | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly usage: Usage | null;
  readonly startedAt: string | null;
}

/** What one thread and those below it come to. */
export interface ThreadView {
  readonly items: readonly Item[];
  /** Items of sub-agents, by their thread. */
  readonly below: ReadonlyMap<string, readonly Item[]>;
  readonly agent: string;
  readonly title: string;
  /** The run that is going on; empty for none. */
  readonly running: string;
  /** Since when; empty for none. */
  readonly runningSince: string;
  readonly suspended: boolean;
  /** Whether it, or a sub-agent that has not been stopped, waits for a person's answer. */
  readonly asks: boolean;
  /** How many messages wait that a stop holds until somebody lets them go on. */
  readonly held: number;
  readonly tainted: boolean;
  readonly lastSeq: number;
}
