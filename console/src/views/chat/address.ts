/** Where in this view the page is: the list alone, a conversation, a message of it, or one of its turns as a timeline. */
export interface Address {
  readonly threadId: string;
  readonly timeline: boolean;
  /** Which turn the timeline shows; empty for the newest. */
  readonly runId: string;
  /** The number of the message at which the conversation is opened; 0 for its end. */
  readonly at: number;
}

const NUMBER = /^[1-9]\d{0,14}$/;
const ID = /^[A-Za-z0-9][\w.:-]{0,127}$/;

/** Reads what stands behind `#/chat/`. */
export function address(rest: string): Address {
  const [threadId = "", part = "", which = ""] = rest.split("/");
  if (!ID.test(threadId)) return { threadId: "", timeline: false, runId: "", at: 0 };
  const timeline = part === "timeline";
  return { threadId, timeline, runId: timeline && ID.test(which) ? which : "", at: part === "at" && NUMBER.test(which) ? Number(which) : 0 };
}

export function pathOf(threadId: string, timelineOf?: string): string {
  const thread = `/chat/${encodeURIComponent(threadId)}`;
  return timelineOf === undefined ? thread : `${thread}/timeline${timelineOf === "" ? "" : `/${encodeURIComponent(timelineOf)}`}`;
}

/** The way to a message of a conversation, by its number; 0 leads to the end. */
export function pathAt(threadId: string, seq: number): string {
  return seq > 0 ? `${pathOf(threadId)}/at/${seq}` : pathOf(threadId);
}

/** Said with a way to a conversation in which somebody writes next. */
export const WRITE = { state: { write: true } } as const;
