import type { QuestionRow } from "./generated";

/** A question as the inbox shows it: what the call would do, and why it is asked. */
export type FullQuestion = QuestionRow;

/** Methods that the generated types do not have yet; a line goes as soon as these do. */
export interface Coming {
  "workflow.test": { params: { playbook: string }; result: unknown };
  "workflow.dry_run": { params: { playbook: string; inputs: Record<string, unknown> }; result: unknown };
}
