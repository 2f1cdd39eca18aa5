/** Where in this view the page is: the list alone, a conversation, or one of its turns as a timeline. */
export interface Address {
  readonly threadId: string;
  readonly timeline: boolean;
  /** Which turn the timeline shows; empty for the newest. */
  readonly runId: string;
}

const ID = /^[A-Za-z0-9][\w.:-]{0,127}$/;

/** Reads what stands behind `#/chat/`. */
export function address(rest: string): Address {
  const [threadId = "", part = "", runId = ""] = rest.split("/");
  const known = ID.test(threadId);
  return { threadId: known ? threadId : "", timeline: known && part === "timeline", runId: known && ID.test(runId) ? runId : "" };
}

export function pathOf(threadId: string, timelineOf?: string): string {
  const thread = `/chat/${encodeURIComponent(threadId)}`;
  return timelineOf === undefined ? thread : `${thread}/timeline${timelineOf === "" ? "" : `/${encodeURIComponent(timelineOf)}`}`;
}

/** Said with a way to a conversation in which somebody writes next. */
export const WRITE = { state: { write: true } } as const;
