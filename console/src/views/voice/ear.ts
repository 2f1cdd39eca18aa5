/**
 * What becomes of what a recognizer hears: pieces for the daemon, when a turn is ended, when the recognizer is begun again. It has
 * no clock and touches no browser: whoever drives it tells it what happened, and does what it says.
 */
export interface Chunk {
  readonly utterance_id: string;
  readonly seq: number;
  readonly kind: "cumulative";
  readonly text: string;
  /** Of the text's characters as the daemon counts them, so many at the beginning that will not be revised. */
  readonly stable_chars: number;
  /** The person says when the turn is over, by letting go: no silence ends it. */
  readonly held: boolean;
}

export type EarCommand =
  | { readonly do: "listen" }
  /** Begin to listen again after so many seconds. */
  | { readonly do: "listenLater"; readonly s: number }
  /** Hear what was said until now, and then no more. */
  | { readonly do: "finish" }
  /** Hear nothing more, and throw away what was not told yet. */
  | { readonly do: "abort" }
  | { readonly do: "send"; readonly chunk: Chunk }
  | { readonly do: "sendLater"; readonly chunk: Chunk; readonly s: number }
  | { readonly do: "flush" }
  | { readonly do: "cancel" }
  /** Call `waited` after so many seconds. */
  | { readonly do: "wait"; readonly s: number }
  /** The person has said nothing with the button that they let go. */
  | { readonly do: "nothing" };

export type Mode = "off" | "held" | "free";
/** Why nothing is heard, by the name of its sentence. */
export type Trouble = "notAllowed" | "noMicrophone" | "noService" | "noLanguage" | "notTaken";

export interface Piece {
  readonly text: string;
  readonly final: boolean;
}

/** How long the last words may take behind the end of the button's press. */
const LAST_WORDS_S = 1.5;
/** A recognizer that ends at once, again and again, is begun again less often. */
const AGAIN_S = [0, 0.5, 1, 2, 4, 8];
/** An utterance of so many characters is followed by another one: the daemon takes 16,000. */
const LONGEST_CHARS = 12_000;
/** A piece that is not taken is sent so many times. */
const TRIES = 20;
const TRY_AGAIN_S = 0.5;

const FATAL: Readonly<Record<string, Trouble>> = {
  "not-allowed": "notAllowed", "service-not-allowed": "notAllowed", "audio-capture": "noMicrophone", network: "noService",
  "language-not-supported": "noLanguage",
};

export class Ear {
  mode: Mode = "off";
  trouble: Trouble | null = null;
  /** What the recognizer has heard of the utterance that goes on. */
  text = "";
  private listening = false;
  private closing = false;
  /** Whether anything was said since the button was pressed, or hands-free began. */
  private spoken = false;
  private utterance = "";
  private seq = 0;
  private stable = 0;
  private emptyEnds = 0;
  private owesFlush = false;
  /** The newest piece of each utterance that the daemon has not acknowledged, and how often it was sent. */
  private readonly open = new Map<string, { chunk: Chunk; tries: number; waits: boolean }>();

  /** @param makeId a name that no utterance of this thread had before, also not before the page was loaded anew. */
  constructor(private readonly makeId: () => string) {}

  get isOpen(): boolean {
    return this.listening;
  }

  press(): EarCommand[] {
    if (this.mode === "free" || (this.mode === "held" && !this.closing)) return [];
    const before = this.closing ? this.finished() : [];
    this.mode = "held";
    this.trouble = null;
    this.spoken = false;
    return [...before, ...this.begin()];
  }

  release(): EarCommand[] {
    if (this.mode !== "held" || this.closing) return [];
    return this.close();
  }

  startFree(): EarCommand[] {
    if (this.mode !== "off") return [];
    this.mode = "free";
    this.trouble = null;
    this.spoken = false;
    this.emptyEnds = 0;
    return this.begin();
  }

  stopFree(): EarCommand[] {
    return this.mode === "free" && !this.closing ? this.close() : [];
  }

  /** Drop what was said. Hands-free goes on to listen. */
  cancel(): EarCommand[] {
    this.open.clear();
    this.owesFlush = false;
    this.closing = false;
    this.text = "";
    this.spoken = false;
    if (this.mode === "held") this.mode = "off";
    const wasListening = this.listening;
    return wasListening ? [{ do: "abort" }, { do: "cancel" }] : [{ do: "cancel" }];
  }

  /** All that the recognizer has heard since it began, as it is now. */
  heard(pieces: readonly Piece[]): EarCommand[] {
    if (this.mode === "off") return [];
    const finals = joined(pieces.filter((piece) => piece.final));
    const text = joined(pieces);
    const stable = text.startsWith(finals) ? chars(finals) : 0;
    if (text === this.text && stable === this.stable) return [];
    this.emptyEnds = 0;
    this.text = text;
    this.stable = stable;
    if (text === "" && this.seq === 0) return [];
    this.spoken = true;
    const sent = this.send();
    return chars(text) > LONGEST_CHARS ? [...sent, { do: "finish" }] : sent;
  }

  /** The recognizer has ended: because it was told to, or because it does so every now and then. */
  ended(): EarCommand[] {
    this.listening = false;
    if (this.mode === "off") return [];
    if (this.closing) return this.finished();
    const wait = AGAIN_S[Math.min(this.emptyEnds, AGAIN_S.length - 1)] ?? 0;
    if (this.text === "") this.emptyEnds += 1;
    if (wait === 0) return this.begin();
    return [{ do: "listenLater", s: wait }];
  }

  /** The time of a `listenLater` is over. */
  again(): EarCommand[] {
    return this.mode === "off" || this.listening || this.closing ? [] : this.begin();
  }

  /** The recognizer has failed, and will end; `word` is the browser's for why. */
  failed(word: string): EarCommand[] {
    const trouble = Object.hasOwn(FATAL, word) ? FATAL[word] : undefined;
    if (trouble === undefined) return []; // it heard nothing, or was told to stop: it ends, and is begun again if it is wanted
    this.trouble = trouble;
    const finished = this.spoken ? this.finished() : [];
    this.mode = "off";
    this.closing = false;
    return finished;
  }

  /** The time of a `wait` is over. */
  waited(): EarCommand[] {
    return this.closing ? [...(this.listening ? [{ do: "abort" } as const] : []), ...this.finished()] : [];
  }

  /** The daemon has answered a piece. `late`: it takes nothing of that utterance any more. */
  answered(chunk: Chunk, late: boolean): EarCommand[] {
    const open = this.open.get(chunk.utterance_id);
    if (open !== undefined && open.chunk.seq <= chunk.seq) this.open.delete(chunk.utterance_id);
    if (late && chunk.utterance_id === this.utterance && this.text !== "") {
      this.newUtterance();
      return this.send();
    }
    return this.flushIfOwed();
  }

  /** A piece was not taken. A newer one of the same utterance holds its words; else it is sent again, if that may help. */
  notTaken(chunk: Chunk, retryable: boolean, afterS: number | null): EarCommand[] {
    const open = this.open.get(chunk.utterance_id);
    if (open?.chunk.seq !== chunk.seq) return [];
    if (!retryable || open.tries >= TRIES) {
      this.open.delete(chunk.utterance_id);
      this.trouble = "notTaken";
      return this.flushIfOwed();
    }
    open.waits = true;
    return [{ do: "sendLater", chunk, s: afterS ?? TRY_AGAIN_S }];
  }

  /** The time of a `sendLater` is over. */
  sendAgain(chunk: Chunk): EarCommand[] {
    const open = this.open.get(chunk.utterance_id);
    if (open?.chunk.seq !== chunk.seq) return [];
    open.tries += 1;
    open.waits = false;
    return [{ do: "send", chunk }];
  }

  // ------------------------------------------------------------------------------------------------------------ inside

  private begin(): EarCommand[] {
    this.newUtterance();
    this.text = "";
    this.listening = true;
    return [{ do: "listen" }];
  }

  private newUtterance(): void {
    this.utterance = this.makeId();
    this.seq = 0;
    this.stable = 0;
  }

  private send(): EarCommand[] {
    this.seq += 1;
    const chunk: Chunk = {
      utterance_id: this.utterance, seq: this.seq, kind: "cumulative", text: this.text, stable_chars: this.stable, held: this.mode === "held",
    };
    this.open.set(this.utterance, { chunk, tries: 1, waits: false });
    return [{ do: "send", chunk }];
  }

  private close(): EarCommand[] {
    this.closing = true;
    return this.listening ? [{ do: "finish" }, { do: "wait", s: LAST_WORDS_S }] : this.finished();
  }

  /** All has been heard: the turn is over, unless nobody said anything. */
  private finished(): EarCommand[] {
    this.closing = false;
    this.mode = "off";
    this.text = "";
    if (!this.spoken) return [{ do: "nothing" }];
    this.spoken = false;
    this.owesFlush = true;
    return this.flushIfOwed();
  }

  /** Pieces that are under way are taken before a flush that is sent behind them; those that wait to be sent again are not. */
  private flushIfOwed(): EarCommand[] {
    if (!this.owesFlush || [...this.open.values()].some((open) => open.waits || open.tries > 1)) return [];
    this.owesFlush = false;
    return [{ do: "flush" }];
  }
}

function joined(pieces: readonly Piece[]): string {
  return pieces.map((piece) => piece.text.trim()).filter((text) => text !== "").join(" ");
}

function chars(text: string): number {
  return Array.from(text).length;
}
