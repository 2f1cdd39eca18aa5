import type { InputItem } from "../../thread/items";
import type { Earlier } from "../../thread/threads";

/** What is decided about a message that is being written. */

/** Code points of a text, as the daemon counts them. */
export function codePoints(text: string): number {
  let points = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit < 0xdc00) {
      const next = text.charCodeAt(index + 1);
      if (next >= 0xdc00 && next < 0xe000) points--;
    }
  }
  return points;
}

/** Whether a message can be sent, and if not, why. */
export function sendable(text: string, most: number): "yes" | "empty" | "long" {
  if (text.trim() === "") return "empty";
  return codePoints(text) > most ? "long" : "yes";
}

/** What a key does in the field where a message is written. */
export function keyDoes(key: { key: string; shiftKey: boolean; ctrlKey: boolean; metaKey: boolean; altKey: boolean; composing: boolean }): "send" | "nothing" {
  // While an input method puts a word together, Enter takes the word.
  return key.key === "Enter" && !key.shiftKey && !key.altKey && !key.composing ? "send" : "nothing";
}

/** Whether a key that is pressed somewhere leads to the field: `c`, alone, where nobody is writing and nothing lies over the page. */
export function leadsToField(
  key: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "defaultPrevented">,
  at: Pick<Element, "closest"> | null,
): boolean {
  if (key.key !== "c" || key.ctrlKey || key.metaKey || key.altKey || key.defaultPrevented) return false;
  return at?.closest("input, textarea, select, dialog, [contenteditable]") == null;
}

/** The characters left are shown only when they are few. */
export function shownLeft(text: string, most: number): number | null {
  const left = most - codePoints(text);
  return left < most * 0.1 ? left : null;
}

/** What is being written. */
export interface Draft {
  readonly text: string;
  /** The message that it says again, edited or not: the daemon keeps where the words came from. Null for none. */
  readonly again: Earlier | null;
  /** What that is, for people. Null if it is not known. */
  readonly marks: Marks | null;
  /** The number of the message before which a copy of the conversation is made once this is sent, which goes there; null for none. */
  readonly copyBefore: number | null;
  /** What stood in the field before that message was taken up, and stands there again behind it. */
  readonly instead: string;
}

/** What rides on with a message that is said again. */
export interface Marks {
  /** Whether it counts as from outside. */
  readonly outside: boolean;
  /** What is passed on with it. */
  readonly quoted: string;
  /** The words of an application's that it begins with; empty for none. */
  readonly applications: string;
}

export const NOTHING: Draft = { text: "", again: null, marks: null, copyBefore: null, instead: "" };

/** The draft that says a message again which the daemon has. */
export function sayingAgain(threadId: string, item: Pick<InputItem, "text" | "origin" | "tainted" | "quoted" | "applications">, seq: number): Draft {
  const outside = item.tainted || !ownWords(item.origin);
  return { text: item.text, again: { thread_id: threadId, seq }, marks: { outside, quoted: item.quoted, applications: item.applications }, copyBefore: seq, instead: "" };
}

/** What stands in the field once a message was taken up to be edited. */
export function takenUp(before: Draft, draft: Draft): Draft {
  return { ...draft, instead: before.again === null && before.copyBefore === null ? before.text : before.instead };
}

/** What stands there once it was sent or left. */
export function behind(draft: Draft): Draft {
  return { ...NOTHING, text: draft.instead };
}

/**
 * Whose words those of a message count as that is said again: an application's stay apart from the person's only as long as it begins with them,
 * and goes on behind them.
 */
export function countsAs(text: string, marks: Marks): "outside" | "applications" | "own" {
  if (marks.outside) return "outside";
  if (marks.applications === "") return "own";
  return text.startsWith(marks.applications) && text.length > marks.applications.length ? "applications" : "outside";
}

/** Whether words of that origin are a person's, as far as it alone says: they may repeat what is from outside all the same. */
export function ownWords(origin: string): boolean {
  return origin === "operator" || origin === "user";
}


const KEY = "sulla.drafts.";
const MOST_DRAFTS = 50;

/** Drafts by thread, kept as long as the window. */
export class Drafts {
  constructor(private readonly storage: Storage) {}

  get(threadId: string): Draft {
    const kept = this.storage.getItem(KEY + threadId);
    return kept === null ? NOTHING : { ...NOTHING, ...(JSON.parse(kept) as Partial<Draft>) }; // nobody else writes there
  }

  set(threadId: string, draft: Draft): void {
    const key = KEY + threadId;
    this.storage.removeItem(key);
    if (draft.text === "" && draft.again === null && draft.copyBefore === null) return;
    try {
      this.storage.setItem(key, JSON.stringify(draft));
    } catch {
      // The browser's place is full: the draft stays in the field, and is lost with it.
    }
    const all = Array.from({ length: this.storage.length }, (_, index) => this.storage.key(index) ?? "").filter((one) => one.startsWith(KEY));
    for (const old of all.filter((one) => one !== key).slice(0, Math.max(0, all.length - MOST_DRAFTS))) this.storage.removeItem(old);
  }
}
