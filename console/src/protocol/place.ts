/** How far a thread and the sub-agents below it have been seen. Pure; it lives as long as a subscription is wanted. */
export class FamilyPlace {
  /** The highest number seen of each thread below the followed one that is not done yet. */
  private readonly children = new Map<string, number>();
  private readonly done = new Set<string>();

  constructor(
    readonly threadId: string,
    public after: number,
  ) {}

  /** Whether events of that thread belong to the followed one. */
  knows(threadId: string): boolean {
    return threadId === this.threadId || this.children.has(threadId) || this.done.has(threadId);
  }

  /**
   * Whether an event is new; it counts as seen from then on. Live ones, which have no number, always are.
   */
  take(threadId: string, seq: number | null, type: string, data: Record<string, unknown>): boolean {
    if (seq === null) return true;
    if (threadId === this.threadId) {
      if (seq <= this.after) return false;
      this.after = seq;
    } else {
      if (seq <= (this.children.get(threadId) ?? 0)) return false;
      if (!this.done.has(threadId)) this.children.set(threadId, seq);
    }
    if (type === "CHILD_STARTED" && typeof data.thread_id === "string" && !this.children.has(data.thread_id)) {
      this.children.set(data.thread_id, 0);
    }
    if (type === "CHILD_REPORTED" && threadId !== this.threadId) {
      this.children.delete(threadId);
      this.done.add(threadId);
    }
    return true;
  }

  /** The log has lost what lay before `next`: what comes behind it is new. */
  skip(threadId: string, next: number): void {
    if (threadId === this.threadId) this.after = Math.max(this.after, next - 1);
    else if (this.children.has(threadId)) this.children.set(threadId, Math.max(this.children.get(threadId) ?? 0, next - 1));
  }

  /** What `events.subscribe` is told by whoever comes back: at most 64 children, as the protocol has it. */
  afterChildren(): Record<string, number> {
    return Object.fromEntries([...this.children].slice(-64));
  }
}
