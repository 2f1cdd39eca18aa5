import { describe, expect, it } from "vitest";
import { Connection, type Socket } from "./connection";
import type { RpcError } from "./errors";
import type { ThreadEvent } from "./wire";

interface Asked {
  id: number;
  method: string;
  params: Record<string, unknown>;
}

/** A daemon that a test plays: what was asked of it, and what it says. */
class Played {
  readonly asked: Asked[] = [];
  readonly connection: Connection;
  private socket: Socket | null = null;

  constructor() {
    this.connection = new Connection({
      open: () => {
        this.socket = { send: (text) => void this.asked.push(JSON.parse(text) as Asked), close: () => undefined, onopen: null, onmessage: null, onclose: null };
        return this.socket;
      },
      sessionKey: () => "key",
      keyIsDead: () => undefined,
      later: () => () => undefined,
      chance: () => 0,
      cookiesStandInTheWay: () => Promise.resolve(false),
    });
    this.connection.start();
    this.socket?.onopen?.();
    this.says({ id: 0, result: { scopes: ["read"], server: { version: "1" }, limits: { text_chars: 100_000 } } });
  }

  says(message: object): void {
    this.socket?.onmessage?.({ data: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  }

  event(seq: number): void {
    const params = { thread_id: "thr_a", seq, run_id: null, parent_run_id: null, agent: "", depth: 0, type: "STOP", at: "", data: {} };
    this.says({ method: "event", params });
  }

  last(method: string): Asked | undefined {
    return this.asked.findLast((one) => one.method === method);
  }

  times(method: string): number {
    return this.asked.filter((one) => one.method === method).length;
  }
}

const settled = (): Promise<void> => new Promise((done) => setTimeout(done, 0));

describe("a thread that is left and followed again at once", () => {
  it("is seen whole: what still comes of the old subscription is passed over", async () => {
    const daemon = new Played();
    daemon.connection.follow("thr_a", 0, { event: () => undefined })();
    const seen: (number | null)[] = [];
    daemon.connection.follow("thr_a", 0, { event: (event: ThreadEvent) => void seen.push(event.seq) });
    daemon.event(7);
    expect(daemon.times("events.subscribe")).toBe(1);
    daemon.says({ id: daemon.last("events.unsubscribe")?.id, result: { ended: true } });
    await settled();
    expect(daemon.times("events.subscribe")).toBe(2);
    for (const seq of [1, 2, 7]) daemon.event(seq);
    expect(seen).toEqual([1, 2, 7]);
  });
});

describe("a thread that is deleted while it is followed", () => {
  it("is told to whoever shows it", () => {
    const daemon = new Played();
    const failed: RpcError[] = [];
    daemon.connection.follow("thr_a", 0, { event: () => undefined, failed: (error) => void failed.push(error) });
    daemon.says({ method: "events.ended", params: { thread_id: "thr_a", error: { message: "no thread", data: { code: "not_found", retryable: false } } } });
    expect(failed.map((error) => error.code)).toEqual(["not_found"]);
  });
});
