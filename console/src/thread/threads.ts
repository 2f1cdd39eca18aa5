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
        shared.fold.take(event);
        if (event.seq !== null && event.thread_id === threadId) shared.records.push(event);
        this.changed(shared);
      },
      caughtUp: (seq) => {
        shared.ready ||= shared.fold.view().lastSeq >= seq;
        if (!shared.ready) this.readyAt(shared, seq);
        shared.trouble = null;
        this.changed(shared);
      },
      gap: () => this.changed(shared),
      failed: (error: RpcError) => {
        shared.trouble = error.message;
        this.changed(shared);
      },
    });
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
