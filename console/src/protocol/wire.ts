import type { Coming } from "./coming";
import type { EventParams, Events, GapParams, Methods, NoticeRow, QuestionRow } from "./generated";

type All = Methods & Omit<Coming, keyof Methods>;
export type MethodName = keyof All;
export type Params<M extends MethodName> = All[M]["params"];
export type Result<M extends MethodName> = All[M]["result"];

/** Any event of a thread, told apart by its `type`. Types that this page does not know come, too, and are passed over. */
export type ThreadEvent = Events[keyof Events];
export type { EventParams, GapParams, NoticeRow, QuestionRow };

/** A notification that is no event of a thread, by its method. */
export interface Notification {
  method: string;
  params: Record<string, unknown>;
}

export type Scope = "read" | "write" | "approve" | "admin";
