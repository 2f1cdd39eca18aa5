import { waitS } from "./backoff";
import { COOKIES } from "./cookies";
import { ConnectionLost, NO_CONNECTION, RpcError } from "./errors";
import { FamilyPlace } from "./place";
import type { MethodName, Notification, Params, Result, Scope, ThreadEvent } from "./wire";

const CALL_S = 40;
/** Longer than the daemon's own 30 s, so that its answer, and not ours, is what is seen. */
const HELLO_S = 10;
const QUIET_S = 20;
/** After so long without a word from the daemon it is asked for one. */
const PROBE_S = 8;
/** And after so long without an answer to that the connection counts as broken: a line that was cut tells nobody. */
const FAILURES = 3;
/** After so many in a row it is looked at whether the browser's cookies stand in the way, and after so many more again. */
/** The session is good no more, as an error's word and as a close code: trying again by itself would change nothing. */
const UNAUTHORIZED = "unauthorized";
const UNAUTHORIZED_CLOSE = 4401;

export type State = "connecting" | "open" | "lost" | "out";

/** How the connection stands. Frozen; a new one for every change. */
export interface Standing {
  readonly state: State;
  readonly scopes: readonly Scope[];
  /** The daemon's version; empty until it has said it. */
  readonly version: string;
  /** Longest text of a message, in characters. */
  readonly textChars: number;
  /** Why it is lost or out, for people; empty if it is not. */
  readonly why: string;
  /** Whether the browser's cookies keep it out: trying again does not help then, and `why` says what does. */
  readonly cookies: boolean;
}

export interface Listener {
  /** Events in order, each kept one once. */
  event(event: ThreadEvent): void;
  /** The log is seen up to the number at which the subscription began. */
  caughtUp?(seq: number): void;
  /** Numbers between these two do not come: read the conversation anew. */
  gap?(threadId: string, after: number, next: number): void;
  /** It cannot be followed. */
  failed?(error: RpcError): void;
}

/** What of a WebSocket is used, so that tests can stand in for it. */
export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((message: { data: unknown }) => void) | null;
  onclose: ((closed: { code: number; reason: string }) => void) | null;
}

export interface Surroundings {
  open(): Socket;
  /** What the page says in `hello` beside its cookie; null if it has nothing. */
  sessionKey(): string | null;
  /** What it said opens nothing any more. */
  keyIsDead(key: string): void;
  later(run: () => void, s: number): () => void;
  chance(): number;
  /** Whether the daemon reads nothing of what this page asks, for the cookies that come with it. */
  cookiesStandInTheWay(): Promise<boolean>;
}

interface Pending {
  readonly method: MethodName;
  readonly params: unknown;
  readonly again: boolean;
  resolve(result: unknown): void;
  reject(error: Error): void;
  cancelTimer(): void;
}

interface Following {
  readonly place: FamilyPlace;
  readonly children: boolean;
  readonly speak: boolean;
  readonly listeners: Set<Listener>;
  held: boolean;
}

/**
 * One client of `sulla.v1` for the whole page. It comes back by itself, sends again what may be sent again, and goes on with
 * every subscription where it was. It lives as long as the page.
 */
export class Connection {
  private socket: Socket | null = null;
  private saidKey: string | null = null;
  private readonly pending = new Map<number, Pending>();
  private readonly waiting: number[] = [];
  private readonly followed = new Map<string, Following>();
  /** Threads that are being left: until the daemon says so, events of the old subscription may still come. */
  private readonly leaving = new Map<string, Promise<unknown>>();
  private readonly watched = new Map<MethodName, { params: unknown; started(result: unknown): void }>();
  private readonly notified = new Map<string, Set<(params: Record<string, unknown>) => void>>();
  private readonly onStanding = new Set<() => void>();
  private nextId = 1;
  private attempt = 0;
  private cancelRetry: (() => void) | null = null;
  private cancelProbe: () => void = () => undefined;
  private standingNow: Standing = Object.freeze({ state: "connecting", scopes: [], version: "", textChars: 100_000, why: "", cookies: false });

  constructor(private readonly around: Surroundings) {}

  get standing(): Standing {
    return this.standingNow;
  }

  subscribe = (changed: () => void): (() => void) => {
    this.onStanding.add(changed);
    return () => this.onStanding.delete(changed);
  };

  /** Connect now, whatever was waited for. */
  start = (): void => {
    this.cancelRetry?.();
    this.cancelRetry = null;
    if (this.socket !== null) return;
    this.set({ state: "connecting" });
    const socket = this.around.open();
    this.socket = socket;
    let lateHello = (): void => undefined;
    socket.onopen = () => {
      lateHello = this.around.later(() => socket.close(), HELLO_S);
      this.saidKey = this.around.sessionKey();
      const hello = { client: { name: "console", version: "1" }, protocol: 1, session: this.saidKey ?? undefined };
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "hello", params: hello }));
    };
    socket.onmessage = ({ data }) => {
      if (typeof data !== "string") return;
      this.listen(socket);
      const message = JSON.parse(data) as Incoming;
      if (message.id === 0) {
        lateHello();
        this.greeted(message);
      } else this.take(message);
    };
    socket.onclose = ({ code, reason }) => {
      lateHello();
      if (this.socket === socket) this.closed(code, reason);
    };
  };

  /** Leave for good, until `start`. */
  stop(why: string): void {
    this.cancelRetry?.();
    this.cancelProbe();
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    this.lose();
    this.set({ state: "out", why });
  }

  /**
   * Ask for something. While there is no connection, reads and messages wait for one; anything else that a person does is
   * refused at once, since they would not see it happen later, and may want something else by then.
   *
   * @param again whether it may be sent once more if the connection breaks before the answer: reads may, and what has an id
   *   of its own (`message_id`, `request_id`) by which the daemon knows it.
   */
  call<M extends MethodName>(method: M, params: Params<M>, again = isSafeAgain(method, params)): Promise<Result<M>> {
    return new Promise<Result<M>>((resolve, reject) => {
      if (this.standingNow.state !== "open" && !mayWait(method)) {
        reject(new RpcError(NO_CONNECTION, "not_connected", true, null));
        return;
      }
      const id = this.nextId++;
      const cancelTimer = this.around.later(() => {
        this.pending.delete(id);
        reject(new RpcError(`${method} was not answered within ${CALL_S} s`, "timeout", true, null));
      }, CALL_S);
      this.pending.set(id, { method, params, again, resolve: resolve, reject, cancelTimer });
      if (this.standingNow.state === "open") this.transmit(id);
      else this.waiting.push(id);
    });
  }

  /**
   * Follow a thread: all of its kept events behind `after`, then what happens. Several may follow one thread; whoever comes
   * later than the first has to read what was (`thread.history`) by itself, so a model of the thread is shared (`threads`).
   *
   * @returns ends it.
   */
  follow(threadId: string, after: number, listener: Listener, { children = true, speak = false } = {}): () => void {
    let following = this.followed.get(threadId);
    if (following === undefined) {
      following = { place: new FamilyPlace(threadId, after), children, speak, listeners: new Set(), held: false };
      this.followed.set(threadId, following);
      if (this.standingNow.state === "open") void this.resume(threadId, following);
    }
    following.listeners.add(listener);
    const mine = following;
    return () => {
      mine.listeners.delete(listener);
      if (mine.listeners.size === 0 && this.followed.get(threadId) === mine) {
        this.followed.delete(threadId);
        if (mine.held && this.standingNow.state === "open") {
          const left = this.call("events.unsubscribe", { thread_id: threadId }).catch(() => undefined); // it ends with the connection, too
          this.leaving.set(threadId, left);
          void left.then(() => {
            if (this.leaving.get(threadId) === left) this.leaving.delete(threadId);
          });
        }
      }
    };
  }

  /**
   * Keep something watched that answers with how it is and then tells of changes by notifications: asked for again whenever
   * the connection comes back.
   */
  watch(method: MethodName, params: unknown, started: (result: unknown) => void): () => void {
    this.watched.set(method, { params, started });
    if (this.standingNow.state === "open") void this.rewatch(method);
    return () => this.watched.delete(method);
  }

  /** Hear notifications of a method other than `event`. */
  on(method: string, heard: (params: Record<string, unknown>) => void): () => void {
    const all = this.notified.get(method) ?? new Set();
    this.notified.set(method, all.add(heard));
    return () => all.delete(heard);
  }

  /** The network is gone, as the browser says: the connection is broken, though nobody has hung up yet. */
  broke = (): void => {
    const socket = this.socket;
    if (socket === null) return;
    socket.close();
    if (this.socket === socket) this.closed(1006, "the network is gone");
  };

  // ------------------------------------------------------------------------------------------------------------ inside

  /** Something was heard: the next silence is waited for from now on. */
  private listen(socket: Socket): void {
    this.cancelProbe();
    this.cancelProbe = this.around.later(() => {
      if (this.socket !== socket) return;
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: PROBE, method: "notice.list", params: { limit: 1 } }));
      this.cancelProbe = this.around.later(() => {
        if (this.socket === socket) this.broke();
      }, PROBE_S);
    }, QUIET_S);
  }

  private greeted(message: Incoming): void {
    if (message.error !== undefined) {
      const why = message.error.message;
      if (message.error.data?.code === UNAUTHORIZED) {
        this.dropKey();
        this.stop(why);
      } else this.set({ why });
      return;
    }
    const welcome = message.result as Result<"hello">;
    this.attempt = 0;
    this.set({
      state: "open",
      scopes: welcome.scopes,
      version: welcome.server.version,
      textChars: welcome.limits.text_chars,
      why: "",
      cookies: false,
    });
    for (const id of this.waiting.splice(0)) this.transmit(id);
    for (const [threadId, following] of this.followed) void this.resume(threadId, following);
    for (const method of this.watched.keys()) void this.rewatch(method);
  }

  private take(message: Incoming): void {
    if (typeof message.id === "number") {
      const pending = this.pending.get(message.id);
      if (pending === undefined) return;
      this.pending.delete(message.id);
      pending.cancelTimer();
      if (message.error === undefined) pending.resolve(message.result);
      else pending.reject(asError(message.error));
    } else if (message.method === "event") this.event(message.params as unknown as ThreadEvent);
    else if (message.method === "events.ended") this.cannotFollow(message.params as unknown as { thread_id: string; error: WireError });
    else if (message.method === "events.gap") this.gap(message.params as unknown as { thread_id: string; after: number; next: number });
    else if (message.method !== undefined) {
      for (const heard of this.notified.get(message.method) ?? []) heard(message.params ?? {});
    }
  }

  private event(event: ThreadEvent): void {
    for (const following of this.followed.values()) {
      if (!following.held || !following.place.knows(event.thread_id)) continue;
      if (!following.place.take(event.thread_id, event.seq ?? null, event.type, event.data)) continue;
      for (const listener of following.listeners) listener.event(event);
    }
  }

  private gap(params: { thread_id: string; after: number; next: number }): void {
    for (const following of this.followed.values()) {
      following.place.skip(params.thread_id, params.next);
      for (const listener of following.listeners) listener.gap?.(params.thread_id, params.after, params.next);
    }
  }

  /** The thread was deleted, or a record of it cannot be read. */
  private cannotFollow({ thread_id: threadId, error }: { thread_id: string; error: WireError }): void {
    const following = this.followed.get(threadId);
    if (following === undefined) return; // one below a followed thread: the subscription goes on
    following.held = false;
    for (const listener of following.listeners) listener.failed?.(asError(error));
  }

  private async resume(threadId: string, following: Following): Promise<void> {
    const leaving = this.leaving.get(threadId);
    if (leaving !== undefined) {
      await leaving;
      if (this.followed.get(threadId) !== following || this.standingNow.state !== "open" || following.held) return;
    }
    const { place, children, speak } = following;
    const params: Params<"events.subscribe"> = { thread_id: threadId, after: place.after, children, speak };
    if (children) {
      const below = place.afterChildren();
      if (Object.keys(below).length > 0) params.after_children = below;
    }
    following.held = true;
    try {
      const { seq } = await this.call("events.subscribe", params, false);
      for (const listener of following.listeners) listener.caughtUp?.(seq);
    } catch (error) {
      if (error instanceof RpcError) {
        following.held = false;
        for (const listener of following.listeners) listener.failed?.(error);
      } // else the connection is lost, and it is asked for again when it is back
    }
  }

  private async rewatch(method: MethodName): Promise<void> {
    const watching = this.watched.get(method);
    if (watching === undefined) return;
    try {
      watching.started(await this.call(method, watching.params as Params<typeof method>, false));
    } catch (error) {
      if (error instanceof RpcError) this.set({ why: `${method}: ${error.message}` });
    }
  }

  private transmit(id: number): void {
    const pending = this.pending.get(id);
    if (pending === undefined || this.socket === null) return;
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: pending.method, params: pending.params }));
  }

  private closed(code: number, reason: string): void {
    this.socket = null;
    this.cancelProbe();
    this.lose();
    if (code === UNAUTHORIZED_CLOSE) {
      this.dropKey();
      this.set({ state: "out", why: reason });
      return;
    }
    this.set({ state: "lost", why: this.standingNow.cookies ? COOKIES : reason });
    this.cancelRetry = this.around.later(this.start, waitS(this.attempt++, this.around.chance()));
    if (this.attempt % FAILURES === 0) void this.askWhy();
  }

  private async askWhy(): Promise<void> {
    const cookies = await this.around.cookiesStandInTheWay();
    const { state, why } = this.standingNow;
    if (state === "connecting" || state === "lost") this.set({ cookies, why: cookies ? COOKIES : why === COOKIES ? "" : why });
  }

  private dropKey(): void {
    if (this.saidKey !== null) this.around.keyIsDead(this.saidKey);
    this.saidKey = null;
  }

  /** What is under way: sent again when the connection is back, or told that it is lost. */
  private lose(): void {
    for (const following of this.followed.values()) following.held = false;
    for (const [id, pending] of this.pending) {
      if (pending.again) {
        if (!this.waiting.includes(id)) this.waiting.push(id);
      } else if (!this.waiting.includes(id)) {
        this.pending.delete(id);
        pending.cancelTimer();
        pending.reject(new ConnectionLost(pending.method));
      }
    }
    this.waiting.sort((one, other) => one - other);
  }

  private set(change: Partial<Standing>): void {
    this.standingNow = Object.freeze({ ...this.standingNow, ...change });
    for (const changed of this.onStanding) changed();
  }
}

interface Incoming extends Partial<Notification> {
  id?: number | string | null;
  result?: unknown;
  error?: WireError;
}

interface WireError {
  message: string;
  data?: { code: string; retryable: boolean; retry_after_s?: number | null };
}

function asError(error: WireError): RpcError {
  return new RpcError(error.message, error.data?.code ?? "internal", error.data?.retryable ?? false, error.data?.retry_after_s ?? null);
}

/** The id of a request whose answer says only that somebody is there. */
const PROBE = "probe";

const READS = /\.(list|get|history|recent|search|resolve|status|log|rules|show|explain|check|runs|graph|entity|try|audit|days|read|notes|preview|tasks|export)$/;
/** Writes that the daemon knows again by what they say. An answer to a question is none: whoever gave it would not see it go. */
const KNOWN_AGAIN = new Set<string>(["notice.seen", "presence.report"]);

/** Whether something may be asked for without a connection, and done when there is one. */
export function mayWait(method: string): boolean {
  return READS.test(method) || method.endsWith(".watch") || /^(events|speech|presence)\./.test(method) || method === "turn.send" || method === "notice.subscribe";
}

/** Whether a call may be sent a second time without being done twice. */
export function isSafeAgain(method: string, params: unknown): boolean {
  if (READS.test(method) || KNOWN_AGAIN.has(method)) return true;
  const said = params as Record<string, unknown>;
  return typeof said.message_id === "string" || typeof said.request_id === "string";
}
