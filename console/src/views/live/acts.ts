import type { LiveRow } from "../../protocol/generated";
import type { Scope } from "../../protocol/wire";
import { standOf } from "../../shell/stand";

export type Act = "stop" | "cancel" | "steer" | "pause" | "resume" | "handOver";

/**
 * What a person can do about a row.
 *
 * @param paused whether its playbook stands still because somebody said so.
 */
export function actsOn(row: LiveRow, scopes: readonly Scope[], paused: boolean): readonly Act[] {
  if (!scopes.includes("write")) return [];
  if (row.kind === "playbook") return [paused ? "resume" : "pause", "cancel"];
  const acts: Act[] = [];
  if (row.doing.what !== "queued") acts.push("steer");
  if (row.kind === "chat") acts.push("handOver");
  acts.push("stop");
  return acts;
}

/** Where a row is seen whole. `p` says that what follows is a playbook's name, whatever it is called. */
export function placeOf(row: Pick<LiveRow, "kind" | "thread_id" | "playbook">): string {
  const id = encodeURIComponent(row.thread_id);
  return row.kind === "playbook" && row.playbook !== null ? `/playbooks/p/${encodeURIComponent(row.playbook)}/run/${id}` : `/chat/${id}`;
}

/**
 * A message with which another agent is to go on. One that the conversation reaches with `@` has it from then on; any other
 * answers this message alone.
 */
export function handedOver(agent: string, text: string, reached: readonly string[]): { text: string; agent?: string } {
  return reached.includes(agent) ? { text: `@${agent} ${text}` } : { text, agent };
}

/** Whether a row does nothing because somebody paused it, or all work. What waits for a person waits all the same, and says so. */
export function isStill({ question }: Pick<LiveRow, "question">, paused: boolean, all: boolean): boolean {
  return paused || standOf({ asks: question !== null, rests: false, paused: all }) === "paused";
}
