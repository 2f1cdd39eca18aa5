import type { Sending } from "./threads";

/** A message that the daemon has not taken yet. */
export interface Unsent {
  readonly threadId: string;
  readonly messageId: string;
  readonly text: string;
  readonly more: Sending;
  readonly at: string;
  /** Why it was not taken; empty while it is being sent. */
  readonly why: string;
}

/** Where they are kept as long as the window, so that a reload loses none; null for nowhere. */
export type Kept = Pick<Storage, "getItem" | "setItem"> | null;

const OWN = "sulla.own";
const MOST_OWN = 2_000;
const KEY = "sulla.unsent";
const MOST = 50;
const MOST_CHARS = 1_000_000;

/** Messages that were written and not taken, the oldest first. Bounded: what is too much is kept on the page alone. */
export class Outbox {
  private readonly all: Map<string, Unsent>;

  private readonly own: Set<string>;

  /**
   * @param kept for what was not taken.
   * @param always for the ids of what was: which messages are this browser's own.
   */
  constructor(
    private readonly kept: Kept,
    private readonly always: Kept,
  ) {
    this.own = new Set(this.written());
    this.all = new Map(read(kept?.getItem(KEY) ?? null).map((one) => [one.messageId, one]));
  }

  of(threadId: string): Unsent[] {
    return [...this.all.values()].filter((one) => one.threadId === threadId);
  }

  get(messageId: string): Unsent | undefined {
    return this.all.get(messageId);
  }

  /** Whether this browser has sent it, in whichever of its windows. */
  isOwn(messageId: string): boolean {
    return this.own.has(messageId) || this.written().includes(messageId);
  }

  put(one: Unsent): void {
    this.owned(one.messageId);
    this.all.set(one.messageId, one);
    this.keep();
  }

  remove(messageId: string): void {
    if (this.all.delete(messageId)) this.keep();
  }

  /** It is sent from here, though not as something that is shown until it is taken. */
  owned(messageId: string): void {
    if (this.own.has(messageId)) return;
    this.own.add(messageId);
    try {
      // Another window may have written there since.
      this.always?.setItem(OWN, [...new Set([...this.written(), ...this.own])].slice(-MOST_OWN).join(" "));
    } catch {
      // The browser's place is full: they are told apart as long as the page.
    }
  }

  private written(): string[] {
    return (this.always?.getItem(OWN) ?? "").split(" ").filter((id) => id !== "");
  }

  private keep(): void {
    let chars = 0;
    const newest = [...this.all.values()].slice(-MOST).reverse();
    const fit = newest.filter((one) => (chars += one.text.length) <= MOST_CHARS).reverse();
    try {
      this.kept?.setItem(KEY, JSON.stringify(fit));
    } catch {
      // The browser's place is full: they stay as long as the page.
    }
  }
}

function read(text: string | null): Unsent[] {
  if (text === null) return [];
  try {
    const all = JSON.parse(text) as unknown;
    return Array.isArray(all) ? all.filter(isUnsent) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function isUnsent(one: unknown): one is Unsent {
  if (typeof one !== "object" || one === null) return false;
  const said = one as Record<string, unknown>;
  return ["threadId", "messageId", "text", "at", "why"].every((name) => typeof said[name] === "string") && typeof said.more === "object" && said.more !== null;
}
