import type { QuestionRow } from "./generated";

/** Methods that the generated types do not have yet; a line goes as soon as these do. */
export interface LiveRow {
  thread_id: string;
  parent_thread_id: string | null;
  kind: "chat" | "schedule" | "beat" | "playbook" | "step" | "child";
  title: string;
  agent: string;
  project: string;
  run_id: string;
  playbook: string | null;
  since: string;
  doing: { what: "model" | "tool" | "step" | "waits" | "queued" | "handed"; name: string; since: string };
  tokens_in: number;
  tokens_out: number;
  cost_usd: number | null;
  budget: { tokens_left: number | null; money_left_usd: number | null; calls_left: number | null };
  waiting: number;
  question: { id: string; prompt: string } | null;
  tainted: boolean;
}

export interface LiveRows {
  rows: LiveRow[];
  more: boolean;
  switch: { paused: boolean; by: string; since: string | null };
}

export interface LiveChange {
  changed: LiveRow[];
  gone: string[];
  switch: LiveRows["switch"];
}

/** A question as the inbox shows it: what the call would do, and why it is asked. */
export interface FullQuestion extends QuestionRow {
  arguments?: string;
  why?: string;
}

export interface UsageDay {
  day: string;
  tokens_in: number;
  tokens_out: number;
  cost_usd: number | null;
  limit_tokens: number | null;
  limit_usd: number | null;
  by_agent: { agent: string; tokens_in: number; tokens_out: number; cost_usd: number | null }[];
  by_playbook: { playbook: string; tokens_in: number; tokens_out: number; cost_usd: number | null }[];
}

export interface LogLine {
  at: string;
  level: string;
  logger: string;
  message: string;
  thread_id: string;
}

export interface Coming {
  "live.watch": { params: Record<string, never>; result: LiveRows };
  "live.unwatch": { params: Record<string, never>; result: unknown };
  "approval.watch": { params: Record<string, never>; result: { questions: FullQuestion[]; next: string | null } };
  "usage.days": { params: { days: number }; result: { days: UsageDay[] } };
  "log.read": { params: { level?: string; words?: string; thread_id?: string; before?: string | null; limit?: number }; result: { lines: LogLine[]; next: string | null } };
  "audit.read": { params: { words?: string; before?: string | null; limit?: number }; result: { rows: Record<string, unknown>[]; next: string | null } };
  "flow.list": { params: Record<string, never>; result: { flows: { name: string; description: string; trouble: string }[] } };
  "flow.get": { params: { name: string }; result: { name: string; nodes: { id: string; kind: string; label: string }[]; edges: { from: string; to: string; label: string }[] } };
  "route.get": { params: Record<string, never>; result: { text: string; routes: Record<string, unknown>[]; faults: string[] } };
  "thread.fork": { params: { thread_id: string; at_seq: number; request_id: string }; result: { thread_id: string } };
  "thread.export": { params: { thread_id: string; form: "markdown" | "jsonl"; after?: number }; result: { text: string; next: number | null } };
  "workflow.save": { params: { name: string; text: string; digest: string | null }; result: { digest: string; warnings: string[] } };
  "workflow.delete": { params: { name: string; digest: string }; result: unknown };
  "workflow.test": { params: { name: string }; result: unknown };
  "workflow.dry_run": { params: { name: string; inputs: Record<string, unknown> }; result: unknown };
}
