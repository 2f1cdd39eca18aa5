import type { Draft } from "./draft";

/** What was typed and not saved, by the schedule that it is for; "" for a new one. It goes with the page. */
export class Drafts {
  private readonly kept = new Map<string, Draft>();

  /** Keeps what differs from what the form begins with, and forgets what does not. */
  keep(schedule: string, draft: Draft, begun: Draft): void {
    if (Object.entries(draft).some(([name, value]) => begun[name as keyof Draft] !== value)) this.kept.set(schedule, draft);
    else this.kept.delete(schedule);
  }

  of(schedule: string): Draft | null {
    return this.kept.get(schedule) ?? null;
  }

  forget(schedule: string): void {
    this.kept.delete(schedule);
  }
}

const all = new WeakMap<object, Drafts>();

/** Those of a page, by its connection. */
export function draftsOf(connection: object): Drafts {
  const held = all.get(connection) ?? new Drafts();
  all.set(connection, held);
  return held;
}
