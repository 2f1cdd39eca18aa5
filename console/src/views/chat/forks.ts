import type { InputItem, Item } from "../../thread/items";
import type { Kept } from "../../thread/unsent";

const KEY = "sulla.forks";
const MOST = 200;

/** Which conversation a copy was made of, as far as this window has made it. */
export class Forks {
  constructor(private readonly kept: NonNullable<Kept>) {}

  /** Empty if it is no copy of this window's. */
  from(threadId: string): string {
    return this.all().find(([copy]) => copy === threadId)?.[1] ?? "";
  }

  made(copy: string, from: string): void {
    const others = this.all().filter(([one]) => one !== copy);
    try {
      this.kept.setItem(KEY, JSON.stringify([...others, [copy, from]].slice(-MOST)));
    } catch {
      // The browser's place is full: the copy has no way back, and is a conversation as any other.
    }
  }

  private all(): [string, string][] {
    try {
      const kept = JSON.parse(this.kept.getItem(KEY) ?? "[]") as unknown;
      return Array.isArray(kept) ? kept.filter(isPair) : [];
    } catch (error) {
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  }
}

function isPair(one: unknown): one is [string, string] {
  return Array.isArray(one) && one.length === 2 && one.every((part) => typeof part === "string");
}

/** Why a turn ended that was at work when a copy was made: a word of the daemon's. */
const FORKED = "forked";

/** The turn that a copy has not gone on with and after which nobody has said anything; empty for none. Pure. */
export function notCopied(items: readonly Item[]): string {
  const at = items.findLastIndex((item) => item.kind === "end" && item.outcome?.reason === FORKED);
  return at === -1 || items.slice(at).some((item) => item.kind === "input") ? "" : (items[at]?.runId ?? "");
}

/** What people had said in a turn: its message, and those that joined it. Pure. */
export function saidIn(items: readonly Item[], runId: string): InputItem[] {
  return items.filter((item): item is InputItem => item.kind === "input" && item.runId === runId && item.seq !== null);
}

/** The id under which a message of a turn that was not copied is said again: the same in every window. */
export function againId(item: InputItem): string {
  return `con-again-${item.seq}`;
}
