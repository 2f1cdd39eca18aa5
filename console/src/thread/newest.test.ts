import { describe, expect, it } from "vitest";
import type { Connection, Listener } from "../protocol/connection";
import type { ThreadEvent } from "../protocol/wire";
import { Recorded } from "./doubles";
import { Threads } from "./threads";

/** A page that has just begun to follow a thread of so many turns of four records. */
function opening(turns: number, fails = false) {
  const log = new Recorded();
  const kept = Array.from({ length: turns }, (_, at) => log.turn(at + 1, `q${at + 1}`, `a${at + 1}`)).flat();
  const asked: number[] = [];
  const listeners: Listener[] = [];
  const call = (_: string, { after, limit }: { after: number; limit: number }): Promise<{ events: ThreadEvent[]; more: boolean }> => {
    asked.push(after);
    if (fails) return Promise.reject(new Error("it is away"));
    return Promise.resolve({ events: kept.slice(after, after + Math.min(limit, 150)), more: after + Math.min(limit, 150) < kept.length });
  };
  const follow = (_: string, __: number, heard: Listener) => {
    listeners.push(heard);
    return () => undefined;
  };
  const place = { getItem: () => null, setItem: () => undefined };
  const threads = new Threads({ call, follow } as unknown as Connection, (run) => run(), {
    wait: () => Promise.resolve(),
    now: () => 0,
    always: place,
    kept: place,
  });
  threads.use("thr_a", () => undefined);
  const [daemon] = listeners;
  if (daemon === undefined) throw new Error("nobody follows");
  return { threads, daemon, kept, asked, now: () => threads.now("thr_a") };
}

const settled = () => new Promise((done) => setTimeout(done, 0));
const texts = (items: readonly { kind: string; text?: string }[] | undefined) => items?.filter((item) => item.kind === "input").map((item) => item.text);

describe("a long thread", () => {
  it("is shown from its newest records until all of them are here", async () => {
    const { daemon, kept, asked, now } = opening(100);
    for (const event of kept.slice(0, 40)) daemon.event(event);
    daemon.caughtUp?.(400);
    expect([now().ready, now().newest]).toEqual([false, null]);
    await settled();
    expect(asked).toEqual([200, 350]);
    expect(now().ready).toBe(false);
    expect(texts(now().newest?.items)).toEqual(Array.from({ length: 50 }, (_, at) => `q${at + 51}`));
    for (const event of kept.slice(40)) daemon.event(event);
    expect([now().ready, now().newest]).toEqual([true, null]);
    expect(texts(now().view.items)).toHaveLength(100);
  });

  it("shows what is sent in it before all of it is here", async () => {
    const { threads, daemon, now } = opening(100);
    daemon.caughtUp?.(400);
    await settled();
    void threads.send("thr_a", "more");
    expect(now().newest?.items.at(-1)).toMatchObject({ kind: "input", text: "more", state: "sending" });
    expect(now().view.items.at(-1)).toMatchObject({ kind: "input", text: "more", state: "sending" });
  });

  it("shows all of it, if its newest records cannot be read", async () => {
    const { daemon, kept, now } = opening(100, true);
    daemon.caughtUp?.(400);
    await settled();
    expect([now().newest, now().trouble]).toEqual([null, null]);
    for (const event of kept) daemon.event(event);
    expect([now().ready, texts(now().view.items)?.length]).toEqual([true, 100]);
  });
});

describe("a short thread", () => {
  it("asks for nothing beside what it follows", async () => {
    const { daemon, asked, now } = opening(50);
    daemon.caughtUp?.(200);
    await settled();
    expect([asked, now().newest]).toEqual([[], null]);
  });
});
