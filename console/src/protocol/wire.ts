import type { EventParams, Events, GapParams, Methods, NoticeRow, QuestionGone, QuestionRow } from "./generated";

export type MethodName = keyof Methods;
export type Params<M extends MethodName> = Methods[M]["params"];
export type Result<M extends MethodName> = Methods[M]["result"];

/** Any event of a thread, told apart by its `type`. Types that this page does not know come, too, and are passed over. */
export type ThreadEvent = Events[keyof Events];
export type { EventParams, GapParams, NoticeRow, QuestionGone, QuestionRow };

/** A notification that is no event of a thread, by its method. */
export interface Notification {
  method: string;
  params: Record<string, unknown>;
}

export type Scope = "read" | "write" | "approve" | "admin";
