import type { QuestionRow } from "./generated";

/** A question as the inbox shows it: what the call would do, and why it is asked. */
export interface FullQuestion extends QuestionRow {
  arguments?: string;
  why?: string;
}

export interface MemoryNote {
  id: string;
  text: string;
  at: string;
  thread_id: string;
  tainted: boolean;
}

/** Methods that the generated types do not have yet; a line goes as soon as these do. */
export interface Coming {
  "approval.watch": { params: Record<string, never>; result: { questions: FullQuestion[]; next: string | null } };
  "schedule.preview": { params: { schedule: Record<string, unknown> }; result: { next: string[]; explain: string; trouble: string } };
  "schedule.update": { params: Record<string, unknown>; result: unknown };
  "calendar.list": { params: { from: string; to: string }; result: { entries: { at: string; kind: string; id: string; title: string; outcome: string; reason: string }[]; more: boolean } };
  "memory.search": { params: { agent: string; words: string; limit?: number }; result: { notes: MemoryNote[] } };
  "memory.notes": { params: { agent: string; limit?: number; before?: string | null }; result: { notes: MemoryNote[]; next: string | null } };
  "memory.note.forget": { params: { agent: string; id: string }; result: unknown };
  "memory.note.correct": { params: { agent: string; id: string; text: string }; result: unknown };
  "flow.list": { params: Record<string, never>; result: { flows: { name: string; description: string; trouble: string }[] } };
  "flow.get": { params: { name: string }; result: { name: string; nodes: { id: string; kind: string; label: string }[]; edges: { from: string; to: string; label: string }[] } };
  "route.get": { params: Record<string, never>; result: { text: string; routes: Record<string, unknown>[]; faults: string[] } };
  "thread.fork": { params: { thread_id: string; at_seq: number; request_id: string }; result: { thread_id: string } };
  "thread.export": { params: { thread_id: string; form: "markdown" | "jsonl"; after?: number }; result: { text: string; next: number | null } };
  "project.task.move": { params: { project: string; task: string; state: string; digest: string }; result: { digest: string } };
  "workflow.save": { params: { name: string; text: string; digest: string | null }; result: { digest: string; warnings: string[] } };
  "workflow.delete": { params: { name: string; digest: string }; result: unknown };
  "workflow.test": { params: { playbook: string }; result: unknown };
  "workflow.dry_run": { params: { playbook: string; inputs: Record<string, unknown> }; result: unknown };
}
