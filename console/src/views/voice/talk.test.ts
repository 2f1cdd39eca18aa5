import { describe, expect, it } from "vitest";
import type { Connection, Listener } from "../../protocol/connection";
import { RpcError } from "../../protocol/errors";
import type { ThreadEvent } from "../../protocol/wire";
import type { Recognizer } from "./browser";
import { heardUntil, Talk } from "./talk";

/** A daemon, a browser and a clock that do what a test says. */
function world(answers: { chunk?: () => unknown } = {}) {
  const calls: { method: string; params: Record<string, unknown> }[] = [];
  const spoken: string[] = [];
  const timers: { run: () => void; s: number }[] = [];
  const recognizers: Recognizer[] = [];
  let listener: Listener | null = null;
  let following: unknown = null;
  let saidDone: () => void = () => undefined;
  let unfollowed = 0;
  let status: ((result: unknown) => void) | null = null;
  const connection = {
    call: (method: string, params: Record<string, unknown>) => {
      calls.push({ method, params });
      if (method === "thread.get") return Promise.resolve({ last_seq: 7 });
      if (method === "speech.chunk") {
        const answer: unknown = answers.chunk?.() ?? { turn_id: "u", state: "speaking", late: false };
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      }
      return Promise.resolve({ turn_id: "u", text: "", run_id: null });
    },
    watch: (method: string, _params: unknown, started: (result: unknown) => void) => {
      if (method === "speech.status") status = started;
      return () => (status = null);
    },
    follow: (threadId: string, after: number, heard: Listener, options: unknown) => {
      listener = heard;
      following = { threadId, after, options };
      return () => (unfollowed += 1);
    },
  } as unknown as Connection;
  let made = 0;
  const talk = new Talk(
    "thr_1",
    {
      connection, lang: "en-GB", makeId: () => `u-${++made}`,
      recognizer: () => {
        const one = { start: () => undefined, stop: () => one.onend?.(), abort: () => one.onend?.() } as unknown as Recognizer;
        recognizers.push(one);
        return one;
      },
      voice: {
        say: (text, _lang, _progress, done) => {
          spoken.push(text);
          saidDone = done;
        },
        silence: () => void spoken.push("(silence)"),
      },
      later: (run, s) => {
        const timer = { run, s };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
    },
    true,
  );
  talk.start();
  const event = (type: string, data: unknown): void =>
    listener?.event({ thread_id: "thr_1", seq: null, run_id: null, parent_run_id: null, agent: "", depth: 0, type, at: "2027-01-15T08:00:00Z", data } as ThreadEvent);
  const hears = (text: string, final = false): void =>
    recognizers.at(-1)?.onresult?.({ results: [Object.assign([{ transcript: text }], { isFinal: final })] });
  return {
    talk, calls, spoken, timers, recognizers, event, hears, settle: () => new Promise((done) => setTimeout(done, 0)),
    following: () => following, status: (result: unknown) => status?.(result), said: () => saidDone(), unfollowed: () => unfollowed, methods: () => calls.map((call) => call.method),
  };
}
const speak = (index: number, text: string): unknown => ({ message_id: "m", index, offset: index * 100, end: index * 100 + text.length, text });

describe("a talk", () => {
  it("follows its thread from the end, with sentences to speak", async () => {
    const { following, settle } = world();
    await settle();
    expect(following()).toEqual({ threadId: "thr_1", after: 7, options: { children: false, speak: true } });
  });

  it("knows how much of a reply was heard that was interrupted", async () => {
    const { talk, event, settle } = world();
    await settle();
    event("INPUT", { message_id: "i", text: "stop", spoken: { turn_id: "u", reason: "forced", heard: { message_id: "m", chars: 9 } } });
    expect(talk.view().heard.get("m")).toBe(9);
    expect([heardUntil("One. Two. Three.", 9), heardUntil("One.", 0), heardUntil("One.", 4)]).toEqual(["One. Two.", "", null]);
  });

  it("stands as the daemon says when the connection is back", async () => {
    const { talk, event, status, settle } = world();
    await settle();
    event("SPEECH_STARTED", { turn_id: "u" });
    event("SPEECH_PARTIAL", { turn_id: "u", text: "what is", chars: 7 });
    expect(talk.view()).toMatchObject({ hearing: "speaking", partial: "what is" });
    status({ exists: false, content: "", age_ms: 0, state: "idle", turn_id: "", silent_ms: 0 });
    expect(talk.view()).toMatchObject({ hearing: "idle", partial: "" });
    status({ exists: true, content: "and now", age_ms: 5, state: "ending", turn_id: "v", silent_ms: 0 });
    expect(talk.view()).toMatchObject({ hearing: "ending", partial: "and now" });
  });

  it("push to talk sends partial words, and flushes on release", async () => {
    const { talk, calls, hears, settle, recognizers } = world();
    await settle();
    talk.press();
    expect(recognizers[0]).toMatchObject({ lang: "en-GB", continuous: true, interimResults: true });
    hears("what is");
    hears("what is the time", true);
    talk.release();
    await settle();
    expect(calls.filter((call) => call.method !== "thread.get")).toEqual([
      { method: "speech.chunk", params: { thread_id: "thr_1", utterance_id: "u-1", seq: 1, kind: "cumulative", text: "what is", stable_chars: 0, held: true } },
      { method: "speech.chunk", params: { thread_id: "thr_1", utterance_id: "u-1", seq: 2, kind: "cumulative", text: "what is the time", stable_chars: 16, held: true } },
      { method: "speech.flush", params: { thread_id: "thr_1" } },
    ]);
  });

  it("sentences are spoken in order, and what is played goes with the words that interrupt", async () => {
    const { talk, calls, event, hears, spoken, said, settle } = world();
    await settle();
    event("SPEAK", speak(0, "One."));
    event("SPEAK", speak(1, "Two."));
    said();
    expect(spoken).toEqual(["One.", "Two."]);
    talk.startFree();
    hears("wait");
    expect(calls.at(-1)?.params.playing).toEqual({ message_id: "m", played_chars: 100 });
    event("SPEECH_BARGE_IN", { turn_id: "u", message_id: "m", played_chars: 100 });
    expect([spoken.at(-1), talk.view().stopped]).toEqual(["(silence)", true]);
    event("SPEECH_GO_ON", { turn_id: "u", message_id: "m", from_chars: 100 });
    expect(spoken.at(-1)).toBe("Two.");
  });

  it("a button pressed without a word lets it go on", async () => {
    const { talk, event, spoken, methods, settle } = world();
    await settle();
    event("SPEAK", speak(0, "One."));
    talk.press();
    talk.release();
    expect(spoken).toEqual(["One.", "(silence)", "One."]);
    expect(methods()).not.toContain("speech.flush");
  });

  it("the trace says why a turn ended, the newest first, and the text that was heard is over then", async () => {
    const { talk, event, settle } = world();
    await settle();
    event("SPEECH_PARTIAL", { turn_id: "u", text: "and then", chars: 8 });
    expect([talk.view().partial, talk.view().hearing]).toEqual(["and then", "speaking"]);
    event("SPEECH_EAGER_END", { turn_id: "u", text: "and then", chars: 8, score: 0.8 });
    expect(talk.view().hearing).toBe("ending");
    const end = { turn_id: "u", text: "and then", chars: 8, reason: "complete", score: 0.86, detail: "clause", waited_ms: 340, message_id: "x", delivered: true };
    event("SPEECH_END", end);
    event("SPEECH_CANCELLED", { turn_id: "u#2" });
    expect(talk.view().trace.map((row) => [row.turnId, row.end?.reason])).toEqual([["u#2", undefined], ["u", "complete"]]);
    expect([talk.view().partial, talk.view().hearing]).toEqual(["", "idle"]);
  });

  it("words that are not taken for now are sent again after the time that the daemon says", async () => {
    let times = 0;
    const { talk, hears, settle, timers, methods } = world({
      chunk: () => (times++ === 0 ? new RpcError("away", "store_unavailable", true, 3) : undefined),
    });
    await settle();
    talk.startFree();
    hears("hello");
    await settle();
    expect(timers.map((timer) => timer.s)).toEqual([3]);
    timers[0]?.run();
    await settle();
    expect(methods().filter((method) => method === "speech.chunk")).toHaveLength(2);
    expect(talk.view().trouble).toBeNull();
  });

  it("closed, it hears nothing more, says nothing more, and leaves no word waiting", async () => {
    const { talk, hears, event, spoken, methods, unfollowed, settle, recognizers } = world();
    await settle();
    event("SPEAK", speak(0, "One."));
    talk.startFree();
    hears("one more thing");
    talk.close();
    expect([unfollowed(), spoken.at(-1), methods().at(-1), recognizers.length]).toEqual([1, "(silence)", "speech.flush", 1]);
  });

  it("begun again, it follows its thread once", async () => {
    const { talk, methods, settle, unfollowed } = world();
    talk.close();
    talk.start();
    await settle();
    expect([methods(), unfollowed()]).toEqual([["thread.get", "thread.get"], 0]);
    talk.close();
    expect(unfollowed()).toBe(1);
  });

  it("hands-free, words of a turn that is over are not shown as if they were still being said", async () => {
    const { talk, hears, event, settle } = world();
    await settle();
    talk.startFree();
    hears("hello");
    event("SPEECH_PARTIAL", { turn_id: "u", text: "hello", chars: 5 });
    expect(talk.view().partial).toBe("hello");
    event("SPEECH_CANCELLED", { turn_id: "u" });
    hears("hello ", true);
    expect(talk.view().partial).toBe("");
  });
});
