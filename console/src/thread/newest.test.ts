import { describe, expect, it } from "vitest";
import type { Connection, Listener } from "../protocol/connection";
import { Recorded } from "./doubles";
import { Threads } from "./threads";

/** A page that has just begun to follow a thread of so many turns of four records; `fails` is what the daemon does not answer. */
async function opening(turns: number, fails = "", drawn: (run: () => void) => void = (run) => run()) {
  const log = new Recorded();
  const kept = Array.from({ length: turns }, (_, at) => log.turn(at + 1, `q${at + 1}`, `a${at + 1}`)).flat();
  const asked: number[] = [];
  const listeners: Listener[] = [];
  const call = (method: string, { after, limit }: { after: number; limit: number }): Promise<unknown> => {
    if (method === fails) return Promise.reject(new Error("it is away"));
    if (method === "thread.get") return Promise.resolve({ last_seq: kept.length });
    asked.push(after);
    return Promise.resolve({ events: kept.slice(after, after + Math.min(limit, 150)), more: after + Math.min(limit, 150) < kept.length });
  };
  const follow = (_: string, __: number, heard: Listener) => {
    listeners.push(heard);
    return () => undefined;
  };
  const place = { getItem: () => null, setItem: () => undefined };
  const threads = new Threads({ call, follow } as unknown as Connection, drawn, {
    wait: () => Promise.resolve(),
    now: () => 0,
    always: place,
    kept: place,
  });
  const leave = threads.use("thr_a", () => undefined);
  await settled();
  return { threads, listeners, kept, asked, leave, now: () => threads.now("thr_a") };
}

const settled = () => new Promise((done) => setTimeout(done, 0));
const texts = (items: readonly { kind: string; text?: string }[] | undefined) => items?.filter((item) => item.kind === "input").map((item) => item.text);

describe("a long thread", () => {
  it("is shown from its newest records until all of them are here", async () => {
    const { listeners, kept, asked, now } = await opening(100);
    expect(asked).toEqual([200, 350]);
    expect(texts(now().newest?.items)).toEqual(Array.from({ length: 50 }, (_, at) => `q${at + 51}`));
    for (const event of kept.slice(0, 40)) listeners[0]?.event(event);
    listeners[0]?.caughtUp?.(400);
    expect([now().ready, now().newest === null]).toEqual([false, false]);
    for (const event of kept.slice(40)) listeners[0]?.event(event);
    expect([now().ready, now().newest]).toEqual([true, null]);
    expect(texts(now().view.items)).toHaveLength(100);
  });

  it("is followed when its newest records have been drawn, and not while a browser that is told much draws little", async () => {
    const pictures: (() => void)[] = [];
    const { listeners, now } = await opening(100, "", (run) => pictures.push(run));
    expect(texts(now().newest?.items)).toHaveLength(50);
    for (let drawn = 0; drawn < 7; drawn++) {
      for (const run of pictures.splice(0)) run();
      await settled();
      expect(listeners).toHaveLength(0);
    }
    for (const run of pictures.splice(0)) run();
    await settled();
    expect(listeners).toHaveLength(1);
  });

  it("is not followed, if it was left before its newest records were here", async () => {
    const pictures: (() => void)[] = [];
    const { leave, listeners } = await opening(100, "", (run) => pictures.push(run));
    leave();
    for (let drawn = 0; drawn < 9; drawn++) {
      for (const run of pictures.splice(0)) run();
      await settled();
    }
    expect(listeners).toEqual([]);
  });

  it("shows what is sent in it before all of it is here", async () => {
    const { threads, now } = await opening(100);
    void threads.send("thr_a", "more");
    expect(now().newest?.items.at(-1)).toMatchObject({ kind: "input", text: "more", state: "sending" });
    expect(now().view.items.at(-1)).toMatchObject({ kind: "input", text: "more", state: "sending" });
  });

  it.each(["thread.get", "thread.history"])("shows all of it, if the daemon does not answer %s", async (fails) => {
    const { listeners, kept, now } = await opening(100, fails);
    listeners[0]?.caughtUp?.(400);
    expect([now().newest, now().trouble]).toEqual([null, null]);
    for (const event of kept) listeners[0]?.event(event);
    expect([now().ready, texts(now().view.items)?.length]).toEqual([true, 100]);
  });
});

describe("a short thread", () => {
  it("asks for nothing beside what it follows", async () => {
    const { listeners, asked, now } = await opening(50);
    listeners[0]?.caughtUp?.(200);
    expect([asked, now().newest]).toEqual([[], null]);
  });
});
