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
