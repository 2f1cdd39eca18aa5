import type { Connection } from "../../protocol/connection";
import { isChanged, type Draft } from "./draft";

/** Changes that are not saved stay while a person looks elsewhere on the page; they go with the page. */
const kept = new WeakMap<Connection, Map<string, Draft>>();

export function keptDraft(connection: Connection, agent: string): Draft | null {
  return kept.get(connection)?.get(agent) ?? null;
}

/** Keeps a draft that has changes, and forgets one that has none. */
export function keepDraft(connection: Connection, draft: Draft): void {
  const drafts = kept.get(connection) ?? new Map<string, Draft>();
  if (isChanged(draft)) drafts.set(draft.agent, draft);
  else drafts.delete(draft.agent);
  kept.set(connection, drafts);
}
