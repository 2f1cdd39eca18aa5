import { describe, expect, it } from "vitest";
import type { Connection, Listener } from "../protocol/connection";
import type { ThreadEvent } from "../protocol/wire";
import { Recorded } from "./doubles";
import { Threads } from "./threads";

/** A daemon that has these records; `answer` lets the next page of `thread.history` go. */
async function daemon(
  kept: readonly ThreadEvent[],
): Promise<{ threads: Threads; tell: Listener; answer: () => Promise<void>; asked: number[]; fails: { now: boolean } }> {
  const listeners: Listener[] = [];
  const asked: number[] = [];
  const waiting: (() => void)[] = [];
  const fails = { now: false };
  const call = async (method: string, params: { after: number }): Promise<unknown> => {
    if (method === "thread.get") return { last_seq: kept.length };
    asked.push(params.after);
    await new Promise<void>((go) => waiting.push(go));
    if (fails.now) throw new Error("it is away");
    const events = kept.filter((event) => (event.seq ?? 0) > params.after).slice(0, 2);
    return { events, more: (events.at(-1)?.seq ?? 0) < (kept.at(-1)?.seq ?? 0) };
  };
  const follow = (_: string, __: number, heard: Listener) => {
    listeners.push(heard);
    return () => undefined;
  };
  const threads = new Threads({ call, follow } as unknown as Connection, (run) => run(), {
    wait: () => Promise.resolve(),
    now: () => 0,
    always: { getItem: () => null, setItem: () => undefined },
    kept: { getItem: () => null, setItem: () => undefined },
  });
  threads.use("thr_a", () => undefined);
  const answer = async (): Promise<void> => {
    waiting.shift()?.();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  await new Promise((done) => setTimeout(done, 0));
  const [listener] = listeners;
  if (listener === undefined) throw new Error("nobody follows");
  return { threads, tell: listener, answer, asked, fails };
}

const shown = (threads: Threads) =>
  threads.now("thr_a").view.items.map((item) => (item.kind === "input" || item.kind === "text" ? item.text : item.kind === "note" ? item.what : item.kind));

describe("a thread with records that are gone", () => {
  const log = new Recorded();
  const [first, lost, last, next] = [log.turn(1, "a", "A"), log.turn(2, "b", "B"), log.turn(3, "c", "C"), log.turn(4, "d", "D")];
  const other = first.map((event) => (event.type === "INPUT" ? ({ ...event, data: { ...event.data, text: "x" } }) : event));

  it("is read anew from its first record, with a line where they were, and what came meanwhile behind it", async () => {
    const { threads, tell, answer, asked } = await daemon([...other, ...last]);
    for (const event of [...first]) tell.event(event);
    tell.gap?.("thr_a", 4, lost.length + 5);
    for (const event of [...last, ...next]) tell.event(event);
    expect(shown(threads)).toEqual(["a", "A", "end"]);
    while (asked.at(-1) !== 10) await answer();
    await answer();
    expect(shown(threads)).toEqual(["x", "A", "end", "RECORDS_LOST", "c", "C", "end", "d", "D", "end"]);
    expect(threads.now("thr_a").records.map((event) => event.seq)).toEqual([1, 2, 3, 4, 9, 10, 11, 12, 13, 14, 15, 16]);
    expect(asked).toEqual([0, 2, 4, 10]);
  });

  it("shows the line also where it cannot be read anew, and why", async () => {
    const { threads, tell, answer, fails } = await daemon([]);
    for (const event of first) tell.event(event);
    tell.gap?.("thr_a", 4, 9);
    for (const event of last) tell.event(event);
    fails.now = true;
    await answer();
    expect(shown(threads)).toEqual(["a", "A", "end", "RECORDS_LOST", "c", "C", "end"]);
    const { view, trouble } = threads.now("thr_a");
    expect(view.items.find((item) => item.kind === "note")?.data).toEqual({ after: 4, next: 9, why: "it is away" });
    expect(trouble).toBeNull(); // what there is can be followed
  });

  it("says it of a sub-agent in that one's own place", async () => {
    const { threads, tell } = await daemon([]);
    for (const event of first.slice(0, 1)) tell.event(event);
    tell.gap?.("thr_b", 1, 3);
    expect(threads.now("thr_a").view.below.get("thr_b")?.map((item) => item.kind === "note" && item.what)).toEqual(["RECORDS_LOST"]);
    expect(shown(threads)).toEqual(["a"]);
  });
});
