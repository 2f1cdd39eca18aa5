import type { LiveRow } from "../../protocol/generated";
import type { Kept } from "./shelf";

export interface Node extends Kept {
  readonly children: readonly Node[];
}

export type GroupName = "chats" | "runs" | "beats" | "schedules";

export interface Group {
  readonly name: GroupName;
  readonly nodes: readonly Node[];
}

const ORDER: readonly GroupName[] = ["chats", "runs", "beats", "schedules"];
const GROUP: Record<LiveRow["kind"], GroupName> = {
  chat: "chats", child: "chats", playbook: "runs", step: "runs", beat: "beats", schedule: "schedules",
};

/** Rows under those that set them to work, and what is at the top by its kind. Rows of a circle are at the top themselves. */
export function grouped(kept: readonly Kept[]): readonly Group[] {
  const parents = new Map(kept.map(({ row }) => [row.thread_id, row.parent_thread_id]));
  const below = new Map<string | null, Kept[]>();
  for (const one of kept) {
    const parent = standsUnder(one.row.thread_id, parents);
    below.set(parent, [...(below.get(parent) ?? []), one]);
  }
  const nodes = (parent: string | null): readonly Node[] =>
    (below.get(parent) ?? []).map((one) => ({ ...one, children: nodes(one.row.thread_id) }));
  const top = nodes(null);
  return ORDER.map((name) => ({ name, nodes: top.filter(({ row }) => GROUP[row.kind] === name) })).filter((group) => group.nodes.length > 0);
}

/** Whether a person is asked something by one that a row has set to work, however deep. */
export function asksBelow(node: Node): boolean {
  return node.children.some((child) => child.row.question !== null || asksBelow(child));
}

function standsUnder(id: string, parents: ReadonlyMap<string, string | null>): string | null {
  const parent = parents.get(id) ?? null;
  if (parent === null || !parents.has(parent)) return null;
  const met = new Set([id]);
  for (let at: string | null = parent; at !== null; at = parents.get(at) ?? null) {
    if (met.has(at)) return null;
    met.add(at);
  }
  return parent;
}

export interface Counts {
  /** In which a worker does something now: what `sulla status` calls running. */
  readonly working: number;
  /** Runs of playbooks that somebody has paused; a step of theirs that was under way works on. */
  readonly paused: number;
  /** For a place. What waits for others, or for a time, stands in no line. */
  readonly waiting: number;
}

/**
 * How many work, are paused and wait in line, as `sulla status` counts them. What people are asked the inbox counts. Pure.
 *
 * @param rows all that goes on.
 * @param pausedRuns the runs that somebody has paused, by their threads.
 */
export function counts(rows: Iterable<LiveRow>, pausedRuns: ReadonlySet<string>): Counts {
  let [working, waiting] = [0, 0];
  for (const { at_work: atWork, doing, question, thread_id: threadId } of rows) {
    if (atWork === true) working++;
    else if (doing.what === "queued" && question === null && !pausedRuns.has(threadId)) waiting++;
  }
  return { working, paused: pausedRuns.size, waiting };
}
