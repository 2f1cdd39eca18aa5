import type { Connection } from "../protocol/connection";
import { RpcError } from "../protocol/errors";
import type { ThreadEvent } from "../protocol/wire";
import { ThreadFold } from "./fold";
import type { ThreadView } from "./items";

/** A thread that is shown somewhere: what people see of it and all of its records, for the timeline. */
export interface OpenThread {
  readonly view: ThreadView;
  /** Whether what there was is all here. */
  readonly ready: boolean;
  /** Why it cannot be followed; null if it can. */
  readonly trouble: string | null;
  /** Its kept records, in order. Grows in place: `view.lastSeq` says when there are more. */
  readonly records: readonly ThreadEvent[];
}

/** What is said of a message beside its text. */
export interface Sending {
  mode?: "queue" | "steer" | "interrupt";
  agent?: string;
}

/** Records between two numbers that the daemon does not have any more. */
interface Gap {
  readonly after: number;
  readonly next: number;
}

/** Events that are read at once, when a thread is read anew. */
const PAGE = 500;

class Shared {
  readonly fold: ThreadFold;
  readonly records: ThreadEvent[] = [];
  ready = false;
  trouble: string | null = null;
  readonly listeners = new Set<() => void>();
  readonly unsent = new Map<string, { text: string; more: Sending }>();
  users = 0;
  stop: () => void = () => undefined;
  dirty = false;
  open: OpenThread | null = null;
  /** Where its records have holes. */
  readonly gaps = new Map<number, Gap>();
  /** Why it could not be read anew; empty if it could. */
  notRead = "";
  /** Events that come while it is read anew; null while it is not. */
  held: ThreadEvent[] | null = null;

  constructor(threadId: string) {
    this.fold = new ThreadFold(threadId);
  }
}

/** All threads that are open somewhere on the page, each followed once. It lives as long as the page. */
export class Threads {
  private readonly shared = new Map<string, Shared>();

  constructor(
    private readonly connection: Connection,
    /** Runs something before the next picture is drawn: events of one picture are shown together. */
    private readonly soon: (run: () => void) => void,
  ) {}

  /** How a thread stands now. */
  now(threadId: string): OpenThread {
    const shared = this.of(threadId);
    shared.open ??= Object.freeze({ view: shared.fold.view(), ready: shared.ready, trouble: shared.trouble, records: shared.records });
    return shared.open;
  }

  /** Follow it as long as somebody shows it. */
  use(threadId: string, changed: () => void): () => void {
    const shared = this.of(threadId);
    shared.listeners.add(changed);
    if (shared.users++ === 0) this.begin(threadId, shared);
    return () => {
      shared.listeners.delete(changed);
      if (--shared.users === 0) {
        shared.stop();
        this.shared.delete(threadId);
      }
    };
  }

  /**
   * Say something in a thread. Shown at once; sent again by itself under the same id until it is acknowledged or refused.
   */
  async send(threadId: string, text: string, more: Sending = {}): Promise<void> {
    const messageId = `con-${crypto.randomUUID()}`;
    await this.transmit(threadId, messageId, text, more);
  }

  /** Send a message again that was not taken, under its id: should it have been taken after all, it is not asked twice. */
  async sendAgain(threadId: string, messageId: string): Promise<void> {
    const unsent = this.of(threadId).unsent.get(messageId);
    if (unsent !== undefined) await this.transmit(threadId, messageId, unsent.text, unsent.more);
  }

  /** Show a message no more that was not taken. */
  forget(threadId: string, messageId: string): void {
    const shared = this.of(threadId);
    shared.unsent.delete(messageId);
    shared.fold.forget(messageId);
    this.changed(shared);
  }

  private async transmit(threadId: string, messageId: string, text: string, more: Sending): Promise<void> {
    const shared = this.of(threadId);
    shared.unsent.set(messageId, { text, more });
    shared.fold.sending(messageId, text, new Date().toISOString());
    this.changed(shared);
    try {
      await this.connection.call("turn.send", { thread_id: threadId, message_id: messageId, text, ...more });
      shared.unsent.delete(messageId);
    } catch (error) {
      shared.fold.notSent(messageId, error instanceof Error ? error.message : String(error));
      this.changed(shared);
      throw error;
    }
  }

  private begin(threadId: string, shared: Shared): void {
    shared.stop = this.connection.follow(threadId, 0, {
      event: (event) => {
        if (shared.held === null) this.take(threadId, shared, event);
        else shared.held.push(event);
        this.changed(shared);
      },
      caughtUp: (seq) => {
        shared.ready ||= shared.fold.view().lastSeq >= seq;
        if (!shared.ready) this.readyAt(shared, seq);
        shared.trouble = null;
        this.changed(shared);
      },
      gap: (inThread, after, next) => {
        if (inThread === threadId) {
          shared.gaps.set(next, { after, next });
          void this.readAnew(threadId, shared);
        } else shared.fold.lost(inThread, after, next, new Date().toISOString());
        this.changed(shared);
      },
      failed: (error: RpcError) => {
        shared.trouble = error.message;
        this.changed(shared);
      },
    });
  }

  private take(threadId: string, shared: Shared, event: ThreadEvent): void {
    if (event.thread_id === threadId && event.seq !== null) {
      if (event.seq <= shared.fold.view().lastSeq) return; // it was read anew
      this.tellGaps(threadId, shared, event.seq, event.at);
      shared.records.push(event);
    }
    shared.fold.take(event);
  }

  /** A line for each hole that lies before a record. */
  private tellGaps(threadId: string, shared: Shared, seq: number, at: string): void {
    const before = shared.fold.view().lastSeq;
    for (const { after, next } of shared.gaps.values()) if (before < next && next <= seq) shared.fold.lost(threadId, after, next, at, shared.notRead);
  }

  /**
   * Records are gone, so what is shown may not be what there is: everything is read once more, from the first record. What comes
   * meanwhile is taken afterwards, and what is shown stays until then. If it cannot be read, the line alone is shown.
   */
  private async readAnew(threadId: string, shared: Shared): Promise<void> {
    if (shared.held !== null) return; // it is being read: the line is told there
    const held: ThreadEvent[] = (shared.held = []);
    try {
      const events: ThreadEvent[] = [];
      for (let more = true; more;) {
        const page = await this.connection.call("thread.history", { thread_id: threadId, after: events.at(-1)?.seq ?? 0, limit: PAGE }, true);
        events.push(...page.events);
        more = page.more && page.events.length > 0;
      }
      shared.notRead = "";
      shared.fold.reset();
      shared.records.length = 0;
      for (const event of events) this.take(threadId, shared, event);
      for (const [messageId, { text }] of shared.unsent) shared.fold.sending(messageId, text, new Date().toISOString());
    } catch (error) {
      shared.notRead = error instanceof Error ? error.message : String(error);
    }
    shared.held = null;
    for (const event of held) this.take(threadId, shared, event);
    this.changed(shared);
  }

  /** The reply may come before the events that it counts: the thread is ready when the last of these is here. */
  private readyAt(shared: Shared, seq: number): void {
    const look = (): void => {
      if (shared.fold.view().lastSeq < seq) return;
      shared.ready = true;
      shared.listeners.delete(look);
      this.changed(shared);
    };
    shared.listeners.add(look);
  }

  private changed(shared: Shared): void {
    shared.open = null;
    if (shared.dirty) return;
    shared.dirty = true;
    this.soon(() => {
      shared.dirty = false;
      for (const listener of [...shared.listeners]) listener();
    });
  }

  private of(threadId: string): Shared {
    let shared = this.shared.get(threadId);
    if (shared === undefined) this.shared.set(threadId, (shared = new Shared(threadId)));
    return shared;
  }
}
