import type { Connection } from "../../protocol/connection";
import { codeOf, RpcError, sentence } from "../../protocol/errors";
import type { Events } from "../../protocol/generated";
import type { Params, Result, ThreadEvent } from "../../protocol/wire";
import { ThreadFold } from "../../thread/fold";
import type { InputItem, TextItem } from "../../thread/items";
import type { Recognizer, Voice } from "./browser";
import { Ear, type Chunk, type EarCommand, type Mode, type Trouble } from "./ear";
import { Mouth, type MouthCommand } from "./mouth";

/** Why a turn ended: one row of the trace. */
export interface Ended {
  readonly at: string;
  /** Null for one that was dropped. */
  readonly end: Events["SPEECH_END"]["data"] | null;
  readonly turnId: string;
}

export type Hearing = "idle" | "speaking" | "ending";

export interface TalkView {
  readonly mode: Mode;
  readonly listening: boolean;
  readonly hearing: Hearing;
  readonly partial: string;
  readonly speaking: boolean;
  readonly stopped: boolean;
  readonly trouble: Trouble | null;
  /** What the daemon said that goes beside it. */
  readonly why: string;
  /** Why the thread cannot be followed; empty if it can. */
  readonly lost: string;
  readonly said: readonly (InputItem | TextItem)[];
  /** Of replies that were interrupted, how many characters were heard, by their message. */
  readonly heard: ReadonlyMap<string, number>;
  /** The newest first. */
  readonly trace: readonly Ended[];
}

/** So much is shown of what was said and why turns ended; the conversation has all of it. */
const SHOWN = 30;

/** The last words of a reply that were heard; empty for none, null if all was. */
export function heardUntil(text: string, chars: number): string | null {
  const all = Array.from(text);
  if (chars >= all.length) return null;
  const words = all.slice(0, Math.max(0, chars)).join("").trim().split(/\s+/).filter((word) => word !== "");
  return words.length <= 8 ? words.join(" ") : `… ${words.slice(-8).join(" ")}`;
}

export interface Surroundings {
  readonly connection: Connection;
  readonly recognizer: (() => Recognizer) | null;
  readonly voice: Voice | null;
  later(run: () => void, s: number): () => void;
  readonly makeId: () => string;
  lang: string;
}

/**
 * One person's talk in one thread, as long as it is shown: does what the ear and the mouth decide, with the browser's recognizer and
 * synthesizer and the daemon.
 */
export class Talk {
  private readonly ear: Ear;
  private readonly mouth: Mouth;
  private readonly fold: ThreadFold;
  private readonly timers = new Set<() => void>();
  private readonly changes = new Set<() => void>();
  private recognizer: Recognizer | null = null;
  private unfollow: (() => void) | null = null;
  private unwatch: (() => void) | null = null;
  /** Counts beginnings, so that what was asked for before a `close` is known as late; 0 for closed. */
  private open = 0;
  private openings = 0;
  private hearing: Hearing = "idle";
  private partial = "";
  private why = "";
  private lost = "";
  private heard: ReadonlyMap<string, number> = new Map();
  private trace: readonly Ended[] = [];
  private seen: TalkView | null = null;

  /** @param speaks whether answers are spoken from the beginning on, where the browser can. */
  constructor(
    private readonly threadId: string,
    private readonly around: Surroundings,
    speaks: boolean,
  ) {
    this.ear = new Ear(around.makeId);
    this.mouth = new Mouth(speaks && around.voice !== null);
    this.fold = new ThreadFold(threadId);
  }

  /** Begin to follow the thread, from its end: replies of before are not spoken. It may be begun again after a `close`. */
  start(): void {
    this.open = ++this.openings;
    void this.follow(this.open);
    // Asked for again whenever the connection is back: what happened meanwhile was told to nobody, and a daemon that was started
    // anew knows of no turn.
    this.unwatch = this.around.connection.watch("speech.status", { thread_id: this.threadId }, (result) => this.stands(result as Result<"speech.status">));
  }

  view = (): TalkView => {
    this.seen ??= Object.freeze({
      mode: this.ear.mode, listening: this.ear.isOpen, hearing: this.hearing,
      // Hands-free, the recognizer goes on to tell words of turns that are over; the daemon knows what is in no turn yet.
      partial: this.ear.mode === "free" || this.ear.text === "" ? this.partial : this.ear.text,
      speaking: this.mouth.isSpeaking, stopped: this.mouth.isStopped, trouble: this.ear.trouble, why: this.why, lost: this.lost,
      said: this.fold.view().items.filter((item): item is InputItem | TextItem => item.kind === "input" || item.kind === "text").slice(-SHOWN),
      heard: this.heard, trace: this.trace,
    });
    return this.seen;
  };

  subscribe = (changed: () => void): (() => void) => {
    this.changes.add(changed);
    return () => this.changes.delete(changed);
  };

  press = (): void => {
    if (this.ear.mode === "free") return; // it listens already
    this.speak(this.mouth.stop(null));
    this.hear(this.ear.press());
  };

  release = (): void => this.hear(this.ear.release());
  startFree = (): void => this.hear(this.ear.startFree());
  stopFree = (): void => this.hear(this.ear.stopFree());

  cancel = (): void => {
    this.hear(this.ear.cancel());
    this.speak(this.mouth.goOn(null, null));
  };

  setSpeaks(on: boolean): void {
    this.speak(this.mouth.setOn(on && this.around.voice !== null));
  }

  setLang(lang: string): void {
    this.around.lang = lang;
  }

  /** It is not shown any more: nothing is heard and nothing said. */
  close(): void {
    this.open = 0;
    for (const cancel of this.timers) cancel();
    this.timers.clear();
    this.unfollow?.();
    this.unfollow = null;
    this.unwatch?.();
    this.unwatch = null;
    if (this.recognizer !== null) {
      this.recognizer.onresult = this.recognizer.onerror = this.recognizer.onend = null;
      this.recognizer.abort();
      // What was heard so far was meant: it is not left to wait for a silence that the daemon cannot hear.
      if (this.ear.text !== "") this.around.connection.call("speech.flush", { thread_id: this.threadId }).catch(() => undefined);
    }
    this.around.voice?.silence();
  }

  // ------------------------------------------------------------------------------------------------------------ inside

  private async follow(opening: number): Promise<void> {
    try {
      const { last_seq: after } = await this.around.connection.call("thread.get", { thread_id: this.threadId });
      if (this.open !== opening) return;
      this.unfollow = this.around.connection.follow(
        this.threadId, after,
        {
          event: (event) => this.event(event),
          failed: (error) => {
            this.lost = error.message;
            this.changed();
          },
        },
        { children: false, speak: true },
      );
    } catch (error) {
      this.lost = sentence(error);
      this.changed();
    }
  }

  private stands({ exists, state, content }: Result<"speech.status">): void {
    this.hearing = exists ? state : "idle";
    this.partial = exists ? content : "";
    this.changed();
  }

  private event(event: ThreadEvent): void {
    this.fold.take(event);
    switch (event.type) {
      case "INPUT": {
        const heard = event.data.spoken?.heard;
        if (heard != null) this.heard = new Map([...this.heard, [heard.message_id, heard.chars]]);
        break;
      }
      case "SPEAK":
        this.speak(this.mouth.sentence(event.data));
        break;
      case "MODEL_ABANDONED":
        this.speak(this.mouth.gone(event.data.message_id, { also: "now" }));
        break;
      case "TEXT_MESSAGE_END":
        if (event.data.cut === true) this.speak(this.mouth.gone(event.data.message_id, { also: "rest" }));
        break;
      case "SPEECH_BARGE_IN":
        this.speak(this.mouth.stop(event.data.message_id));
        break;
      case "SPEECH_GO_ON":
        this.speak(this.mouth.goOn(event.data.message_id, event.data.from_chars));
        break;
      case "SPEECH_STARTED":
      case "SPEECH_RESUMED":
        this.hearing = "speaking";
        break;
      case "SPEECH_PARTIAL":
        this.partial = event.data.text;
        this.hearing = "speaking";
        break;
      case "SPEECH_EAGER_END":
        this.hearing = "ending";
        break;
      case "SPEECH_END":
        this.ended({ at: event.at, end: event.data, turnId: event.data.turn_id });
        this.speak(this.mouth.turnEnded(event.data.delivered));
        break;
      case "SPEECH_CANCELLED":
        this.ended({ at: event.at, end: null, turnId: event.data.turn_id });
        break;
      default:
    }
    this.changed();
  }

  private ended(row: Ended): void {
    this.partial = "";
    this.hearing = "idle";
    this.trace = [row, ...this.trace].slice(0, SHOWN);
  }

  private hear(commands: readonly EarCommand[]): void {
    for (const command of commands) this.do(command);
    this.changed();
  }

  private do(command: EarCommand): void {
    const { connection } = this.around;
    switch (command.do) {
      case "listen":
        this.listen();
        return;
      case "listenLater":
        this.later(() => this.hear(this.ear.again()), command.s);
        return;
      case "finish":
        this.recognizer?.stop();
        return;
      case "abort":
        this.recognizer?.abort();
        return;
      case "send":
        void this.send(command.chunk);
        return;
      case "sendLater":
        this.later(() => this.hear(this.ear.sendAgain(command.chunk)), command.s);
        return;
      case "flush":
        // Once more is no harm: what has ended is not ended again.
        connection.call("speech.flush", { thread_id: this.threadId }, true).catch((error: unknown) => this.failed(error));
        return;
      case "cancel":
        connection.call("speech.cancel", { thread_id: this.threadId }, true).catch((error: unknown) => this.failed(error));
        return;
      case "wait":
        this.later(() => this.hear(this.ear.waited()), command.s);
        return;
      case "nothing":
        this.speak(this.mouth.goOn(null, null));
    }
  }

  private listen(): void {
    const make = this.around.recognizer;
    if (make === null) return;
    const mine = make();
    this.recognizer = mine;
    mine.lang = this.around.lang;
    mine.continuous = true;
    mine.interimResults = true;
    mine.onresult = ({ results }) => {
      if (this.recognizer !== mine) return;
      this.hear(this.ear.heard(Array.from(results, (result) => ({ text: result[0]?.transcript ?? "", final: result.isFinal }))));
    };
    mine.onerror = ({ error }) => {
      if (this.recognizer === mine) this.hear(this.ear.failed(error));
    };
    mine.onend = () => {
      if (this.recognizer !== mine) return;
      this.recognizer = null;
      this.hear(this.ear.ended());
    };
    mine.start();
  }

  private async send(chunk: Chunk): Promise<void> {
    const params: Params<"speech.chunk"> = { thread_id: this.threadId, ...chunk };
    const { playing } = this.mouth;
    if (playing !== null) params.playing = playing;
    try {
      const { late } = await this.around.connection.call("speech.chunk", params, true);
      this.hear(this.ear.answered(chunk, late));
    } catch (error) {
      this.why = sentence(error);
      const known = error instanceof RpcError;
      this.hear(this.ear.notTaken(chunk, !known || error.retryable, known ? error.retryAfterS : null));
    }
  }

  private failed(error: unknown): void {
    if (codeOf(error) === "not_found") this.lost = sentence(error);
    else this.why = sentence(error);
    this.changed();
  }

  private speak(commands: readonly MouthCommand[]): void {
    const { voice, lang } = this.around;
    for (const command of commands) {
      if (command.do === "silence") voice?.silence();
      else {
        const { token, text } = command;
        voice?.say(
          text, lang,
          (chars) => this.mouth.progress(token, chars),
          () => this.speak(this.mouth.said(token)),
        );
      }
    }
    this.changed();
  }

  private later(run: () => void, s: number): void {
    const cancel = this.around.later(() => {
      this.timers.delete(cancel);
      if (this.open !== 0) run();
    }, s);
    this.timers.add(cancel);
  }

  private changed(): void {
    this.seen = null;
    for (const changed of this.changes) changed();
  }
}
