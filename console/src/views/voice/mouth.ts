import type { Events } from "../../protocol/generated";

/**
 * What is spoken of what an agent writes, in order; where it stops when somebody speaks over it, and from where it goes on. It has
 * no clock and touches no browser.
 */
export type Sentence = Events["SPEAK"]["data"];

export type MouthCommand =
  /** Say a text; `token` goes with all that is told of it. */
  | { readonly do: "say"; readonly token: number; readonly text: string }
  | { readonly do: "silence" };

export interface Playing {
  readonly message_id: string;
  readonly played_chars: number;
}

/** So many messages are remembered, so that their sentences are not said twice after a connection came back. */
const REMEMBERED = 50;
/** More is not said behind one another: somebody has left the page alone. */
const LONGEST_QUEUE = 2000;

export class Mouth {
  private queue: Sentence[] = [];
  private now: Sentence | null = null;
  private token = 0;
  private played: Playing | null = null;
  private stopped: string | null = null;
  private kept: Sentence[] = [];
  private readonly seen = new Map<string, number>();

  constructor(private on = true) {}

  get isSpeaking(): boolean {
    return this.now !== null;
  }

  /** Whether it was stopped and may go on. */
  get isStopped(): boolean {
    return this.stopped !== null;
  }

  /** What is said with each piece of speech: how much of which message was played. Null where nothing is played. */
  get playing(): Playing | null {
    return this.now !== null || this.stopped !== null ? this.played : null;
  }

  setOn(on: boolean): MouthCommand[] {
    this.on = on;
    if (on) return [];
    const speaking = this.now !== null;
    this.drop();
    return speaking ? [{ do: "silence" }] : [];
  }

  sentence(sentence: Sentence): MouthCommand[] {
    if (sentence.index <= (this.seen.get(sentence.message_id) ?? -1)) return [];
    this.seen.set(sentence.message_id, sentence.index);
    while (this.seen.size > REMEMBERED) this.seen.delete(this.seen.keys().next().value ?? "");
    if (!this.on) return [];
    const waiting = this.stopped === null ? this.queue : this.kept;
    if (waiting.length < LONGEST_QUEUE) waiting.push(sentence);
    return this.next();
  }

  /** So many characters of the text that is being said are out. */
  progress(token: number, chars: number): void {
    if (token !== this.token || this.now === null) return;
    const { message_id, offset, end } = this.now;
    this.play(message_id, Math.min(end, offset + chars));
  }

  /** The text has been said, or could not be. */
  said(token: number): MouthCommand[] {
    if (token !== this.token || this.now === null) return [];
    this.play(this.now.message_id, this.now.end);
    this.now = null;
    return this.next();
  }

  /**
   * Somebody speaks over it: stop, and keep what was not said.
   *
   * @param messageId which reply is meant; null for whatever is being said.
   */
  stop(messageId: string | null): MouthCommand[] {
    const [first] = this.now === null ? this.queue : [this.now];
    if (first === undefined || this.stopped !== null) return [];
    if (messageId !== null && ![first, ...this.queue].some((one) => one.message_id === messageId)) return [];
    this.stopped = first.message_id;
    this.kept = this.now === null ? this.queue : [this.now, ...this.queue];
    if (this.played?.message_id !== first.message_id) this.played = { message_id: first.message_id, played_chars: first.offset };
    const speaking = this.now !== null;
    this.now = null;
    this.queue = [];
    this.token += 1;
    return speaking ? [{ do: "silence" }] : [];
  }

  /**
   * It was nothing: go on.
   *
   * @param from the character of the message from which on; null for where it stopped.
   */
  goOn(messageId: string | null, from: number | null): MouthCommand[] {
    if (this.stopped === null || (messageId !== null && messageId !== this.stopped)) return [];
    const at = from ?? this.played?.played_chars ?? 0;
    const stopped = this.stopped;
    this.queue = this.kept.flatMap((one) => (one.message_id === stopped ? rest(one, at) : [one]));
    this.kept = [];
    this.stopped = null;
    return this.next();
  }

  /** A turn of the person's has ended. If it became a message, what was stopped for it is not said any more. */
  turnEnded(delivered: boolean): MouthCommand[] {
    if (!delivered || this.stopped === null) return [];
    this.stopped = null;
    this.kept = [];
    return [];
  }

  /** A reply came to nothing, or was cut off: what is left of it is not said. */
  gone(messageId: string, { also }: { also: "rest" | "now" }): MouthCommand[] {
    this.queue = this.queue.filter((one) => one.message_id !== messageId);
    this.kept = this.kept.filter((one) => one.message_id !== messageId);
    if (this.stopped === messageId) {
      this.stopped = null;
      this.queue = this.kept;
      this.kept = [];
    }
    if (also === "rest" || this.now?.message_id !== messageId) return this.next();
    this.now = null;
    this.token += 1;
    return [{ do: "silence" }, ...this.next()];
  }

  // ------------------------------------------------------------------------------------------------------------ inside

  private next(): MouthCommand[] {
    if (this.stopped !== null || this.now !== null) return [];
    for (let sentence = this.queue.shift(); sentence !== undefined; sentence = this.queue.shift()) {
      if (sentence.text.trim() === "") {
        this.play(sentence.message_id, sentence.end);
        continue;
      }
      this.now = sentence;
      this.play(sentence.message_id, sentence.offset);
      return [{ do: "say", token: ++this.token, text: sentence.text }];
    }
    return [];
  }

  /** It never goes back within a message. */
  private play(messageId: string, chars: number): void {
    const before = this.played?.message_id === messageId ? this.played.played_chars : 0;
    this.played = { message_id: messageId, played_chars: Math.max(before, chars) };
  }

  private drop(): void {
    this.queue = [];
    this.kept = [];
    this.now = null;
    this.stopped = null;
    this.token += 1;
  }
}

/**
 * What of a sentence is still to be said from a character of its message on: from the beginning of the word, where its text is as
 * long as what it stands for, else all of it, since marks were taken out of it somewhere.
 */
function rest(sentence: Sentence, from: number): Sentence[] {
  if (sentence.end <= from) return [];
  if (sentence.offset >= from) return [sentence];
  const points = Array.from(sentence.text);
  if (points.length !== sentence.end - sentence.offset) return [sentence];
  let start = from - sentence.offset;
  while (start > 0 && points[start - 1] !== " ") start -= 1;
  return [{ ...sentence, offset: sentence.offset + start, text: points.slice(start).join("") }];
}
