import type { Connection } from "../protocol/connection";
import { RpcError, sentence } from "../protocol/errors";
import type { ThreadEvent } from "../protocol/wire";
import { ThreadFold } from "./fold";
import type { ThreadView } from "./items";
import { Outbox, type Kept } from "./unsent";

/** A thread that is shown somewhere: what people see of it and all of its records, for the timeline. */
export interface OpenThread {
  readonly view: ThreadView;
  /** Whether what there was is all here. */
  readonly ready: boolean;
  /** What is to be seen of its newest records while a long thread is on its way; null for one that is short, or here. */
  readonly newest: ThreadView | null;
  /** Why it cannot be followed; null if it can. */
  readonly trouble: string | null;
  /** The daemon's stable word for it; empty if it can. */
  readonly troubleCode: string;
  /** Its kept records, in order. Grows in place: `view.lastSeq` says when there are more. */
  readonly records: readonly ThreadEvent[];
}

/** What is said of a message beside its text. */
export interface Sending {
  mode?: "queue" | "steer" | "interrupt";
  agent?: string;
  /** Which message it says again: the daemon keeps where its words came from. */
  again?: Earlier;
}

/** A message of a thread, by its number there. */
export interface Earlier {
  readonly thread_id: string;
  readonly seq: number;
}

/** Records between two numbers that the daemon does not have any more. */
interface Gap {
  readonly after: number;
  readonly next: number;
}

/** Events that are read at once, when a thread is read anew. */
const PAGE = 500;
/** Of a thread that has more of them than this, so many of its newest records are shown first. */
const NEWEST = 200;
/** Pictures that a list needs until it stands at its end. While thousands of events come, a browser draws ten a second and no more. */
const FIRST_PICTURES = 8;

class Shared {
  readonly fold: ThreadFold;
  readonly records: ThreadEvent[] = [];
  ready = false;
  newest: ThreadFold | null = null;
  trouble: string | null = null;
  troubleCode = "";
  readonly listeners = new Set<() => void>();
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

/** How long a message that the daemon does not take at the moment is sent again by itself. */
const AGAIN_S = 60;
const AGAIN_USUALLY_S = 1;

/** What of the page around it is used, so that tests can stand in for it. */
export interface Around {
  wait(s: number): Promise<void>;
  now(): number;
  /** As long as the window. */
  kept: Kept;
  /** As long as the browser keeps it. */
  always: Kept;
}

/** All threads that are open somewhere on the page, each followed once. It lives as long as the page. */
export class Threads {
  private readonly shared = new Map<string, Shared>();
  private readonly outbox: Outbox;
  /** Messages that are under way. */
  private readonly going = new Set<string>();
  /** The last message of each thread that is under way: the next goes when it is through, so that none overtakes another. */
  private readonly lastOf = new Map<string, Promise<void>>();

  constructor(
    private readonly connection: Connection,
    /** Runs something before the next picture is drawn: events of one picture are shown together. */
    private readonly soon: (run: () => void) => void,
    private readonly around: Around,
  ) {
    this.outbox = new Outbox(around.kept, around.always);
  }

  /** How a thread stands now. */
  now(threadId: string): OpenThread {
    const shared = this.of(threadId);
    shared.open ??= Object.freeze({
      view: shared.fold.view(), ready: shared.ready, newest: shared.newest?.view() ?? null, trouble: shared.trouble, troubleCode: shared.troubleCode,
      records: shared.records,
    });
    return shared.open;
  }

  /** Follow it as long as somebody shows it. */
  use(threadId: string, changed: () => void): () => void {
    const shared = this.of(threadId);
    shared.listeners.add(changed);
    if (shared.users++ === 0) void this.begin(threadId, shared);
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
   * Who gives an id has it said once, however often and in however many windows it is sent.
   */
  async send(threadId: string, text: string, more: Sending = {}, messageId = `con-${crypto.randomUUID()}`): Promise<void> {
    await this.transmit(threadId, messageId, text, more);
  }

  /** Send a message again that was not taken, under its id: should it have been taken after all, it is not asked twice. */
  async sendAgain(threadId: string, messageId: string): Promise<void> {
    const unsent = this.outbox.get(messageId);
    if (unsent !== undefined && !this.going.has(messageId)) await this.transmit(threadId, messageId, unsent.text, unsent.more);
  }

  /** What a message that was not taken says again; null for nothing. */
  saysAgain(messageId: string): Earlier | null {
    return this.outbox.get(messageId)?.more.again ?? null;
  }

  /** Show a message no more that was not taken. */
  forget(threadId: string, messageId: string): void {
    const shared = this.of(threadId);
    this.outbox.remove(messageId);
    for (const fold of folds(shared)) fold.forget(messageId);
    this.changed(shared);
  }

  /** Whether a message was sent by this browser; another one's may be somebody else's. */
  isOwn(messageId: string): boolean {
    return this.outbox.isOwn(messageId);
  }

  /** Another part of the page sends a message: it is this browser's own, too. */
  owned(messageId: string): void {
    this.outbox.owned(messageId);
  }

  private async transmit(threadId: string, messageId: string, text: string, more: Sending): Promise<void> {
    const at = new Date(this.around.now()).toISOString();
    this.outbox.put({ threadId, messageId, text, more, at, why: "" });
    this.going.add(messageId);
    const shared = this.of(threadId);
    for (const fold of folds(shared)) fold.sending(messageId, text, at);
    this.changed(shared);
    const before = this.lastOf.get(threadId) ?? Promise.resolve();
    const through = before.then(() => this.deliver(threadId, messageId, text, more));
    const settled = through.catch(() => undefined); // told to whoever sends it
    this.lastOf.set(threadId, settled);
    try {
      await through;
      this.outbox.remove(messageId);
    } catch (error) {
      // The log may have it all the same.
      if (this.outbox.get(messageId) !== undefined) this.outbox.put({ threadId, messageId, text, more, at, why: sentence(error) });
      // It may have been left and opened again meanwhile.
      const now = this.of(threadId);
      for (const fold of folds(now)) fold.notSent(messageId, sentence(error));
      this.changed(now);
      throw error;
    } finally {
      this.going.delete(messageId);
      if (this.lastOf.get(threadId) === settled) this.lastOf.delete(threadId);
    }
  }

  /** Until it is taken, or refused for good, or a minute is over. */
  private async deliver(threadId: string, messageId: string, text: string, more: Sending): Promise<void> {
    const began = this.around.now();
    for (;;) {
      try {
        await this.connection.call("turn.send", { thread_id: threadId, message_id: messageId, text, ...more });
        return;
      } catch (error) {
        if (!(error instanceof RpcError) || !error.retryable) throw error;
        const wait = Math.max(0.05, error.retryAfterS ?? AGAIN_USUALLY_S);
        if (this.around.now() - began + wait * 1000 > AGAIN_S * 1000) throw error;
        await this.around.wait(wait);
      }
    }
  }

  /** Messages of an earlier page or look that were not taken: those that were under way go again, the others say why not. */
  private restore(threadId: string, shared: Shared): void {
    for (const one of this.outbox.of(threadId)) {
      shared.fold.sending(one.messageId, one.text, one.at);
      if (one.why !== "") shared.fold.notSent(one.messageId, one.why);
      // What goes wrong is shown at the message.
      else if (!this.going.has(one.messageId)) void this.transmit(threadId, one.messageId, one.text, one.more).catch(() => undefined);
    }
    this.changed(shared);
  }

  /**
   * A long thread is shown from its end first, and followed from its beginning when that is here: all that is in it would
   * stand before its newest records on the wire.
   */
  private async begin(threadId: string, shared: Shared): Promise<void> {
    this.restore(threadId, shared);
    await this.readNewest(threadId, shared);
    if (this.shared.get(threadId) !== shared) return; // it was left meanwhile
    shared.stop = this.connection.follow(threadId, 0, {
      event: (event) => {
        if (event.type === "INPUT" && event.thread_id === threadId) this.outbox.remove(event.data.message_id);
        if (shared.held === null) this.take(threadId, shared, event);
        else shared.held.push(event);
        this.changed(shared);
      },
      caughtUp: (seq) => {
        shared.ready ||= shared.fold.last >= seq;
        if (shared.ready) shared.newest = null;
        else this.readyAt(shared, seq);
        shared.trouble = null;
        shared.troubleCode = "";
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
        shared.troubleCode = error.code;
        this.changed(shared);
      },
    });
  }

  private take(threadId: string, shared: Shared, event: ThreadEvent): void {
    if (event.thread_id === threadId && event.seq !== null) {
      if (event.seq <= shared.fold.last) return; // it was read anew
      this.tellGaps(threadId, shared, event.seq, event.at);
      shared.records.push(event);
    }
    shared.fold.take(event);
  }

  /** A line for each hole that lies before a record. */
  private tellGaps(threadId: string, shared: Shared, seq: number, at: string): void {
    const before = shared.fold.last;
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
      const events = await this.read(threadId, 0);
      shared.notRead = "";
      shared.fold.reset();
      shared.records.length = 0;
      for (const event of events) this.take(threadId, shared, event);
      this.tellUnsent(threadId, shared.fold);
    } catch (error) {
      shared.notRead = error instanceof Error ? error.message : String(error);
    }
    shared.held = null;
    for (const event of held) this.take(threadId, shared, event);
    this.changed(shared);
  }

  /** A long thread is shown from its end while the rest comes. */
  private async readNewest(threadId: string, shared: Shared): Promise<void> {
    const fold = new ThreadFold(threadId);
    try {
      const { last_seq: last } = await this.connection.call("thread.get", { thread_id: threadId });
      if (last <= NEWEST) return;
      for (const event of await this.read(threadId, last - NEWEST)) {
        if (event.type === "INPUT") this.outbox.remove(event.data.message_id);
        fold.take(event);
      }
    } catch {
      return; // whoever follows it is told what goes wrong with that
    }
    this.tellUnsent(threadId, fold);
    shared.newest = fold;
    this.changed(shared);
    for (let picture = 0; picture < FIRST_PICTURES; picture++) await new Promise<void>((drawn) => this.soon(drawn));
  }

  /** Its kept records behind a number. */
  private async read(threadId: string, after: number): Promise<ThreadEvent[]> {
    const events: ThreadEvent[] = [];
    for (let more = true; more;) {
      const page = await this.connection.call("thread.history", { thread_id: threadId, after: events.at(-1)?.seq ?? after, limit: PAGE }, true);
      events.push(...page.events);
      more = page.more && page.events.length > 0;
    }
    return events;
  }

  /** Messages that the log does not have belong behind what it has. */
  private tellUnsent(threadId: string, fold: ThreadFold): void {
    for (const one of this.outbox.of(threadId)) {
      fold.sending(one.messageId, one.text, one.at);
      if (one.why !== "") fold.notSent(one.messageId, one.why);
    }
  }

  /** The reply may come before the events that it counts: the thread is ready when the last of these is here. */
  private readyAt(shared: Shared, seq: number): void {
    const look = (): void => {
      if (shared.fold.last < seq) return;
      shared.ready = true;
      shared.newest = null;
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

/** All that a thread is shown from. */
function folds(shared: Shared): ThreadFold[] {
  return shared.newest === null ? [shared.fold] : [shared.fold, shared.newest];
}
