import type { LiveRow } from "../protocol/generated";

/** How a thread in which something goes on stands: the same word in its header, in the list of conversations and in Live. */
export type Stand = "asks" | "paused" | "waits" | "works";

interface Facts {
  /** Whether a person is asked something, by it or by one below it. */
  readonly asks: boolean;
  /** Whether it waits for something else than a person. */
  readonly rests: boolean;
  /** Whether all work stands still. */
  readonly paused: boolean;
}

/** What waits for a person waits for them though all work is paused. */
export function standOf({ asks, rests, paused }: Facts): Stand {
  if (asks) return "asks";
  if (paused) return "paused";
  return rests ? "waits" : "works";
}

/** Whether a thread, or one of its sub-agents, asks a person something. */
export function asksIn(rows: ReadonlyMap<string, Pick<LiveRow, "thread_id" | "parent_thread_id" | "question">>, threadId: string): boolean {
  return [...rows.values()].some((row) => {
    if (row.question === null) return false;
    const met = new Set<string>();
    for (let at: string | null = row.thread_id; at !== null && !met.has(at); at = rows.get(at)?.parent_thread_id ?? null) {
      if (at === threadId) return true;
      met.add(at);
    }
    return false;
  });
}
