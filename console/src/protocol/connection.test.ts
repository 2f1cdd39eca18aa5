import { beforeEach, describe, expect, it } from "vitest";
import { waitS } from "./backoff";
import { Connection, isSafeAgain, type Socket } from "./connection";
import { ConnectionLost, RpcError } from "./errors";
import type { ThreadEvent } from "./wire";

/** A socket whose other side is the test. */
class Wire implements Socket {
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: unknown }) => void) | null = null;
  onclose: ((closed: { code: number; reason: string }) => void) | null = null;
  readonly sent: { id: number; method: string; params: Record<string, unknown> }[] = [];

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Wire["sent"][number]);
  }

  close(): void {
    this.breaks(1000, "");
  }

  breaks(code = 1006, reason = ""): void {
    this.onclose?.({ code, reason });
  }

  says(message: Record<string, unknown>): void {
    this.onmessage?.({ data: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  }

  welcomes(): void {
    this.onopen?.();
    this.says({ id: 0, result: { server: { name: "sulla", version: "1" }, protocol: 1, session: "s", scopes: ["read", "write"], limits: { text_chars: 9 } } });
  }

  last(): Wire["sent"][number] {
    const found = this.sent.at(-1);
    if (found === undefined) throw new Error("nothing was sent");
    return found;
  }
}

let wires: Wire[] = [];
let dead: string[] = [];
let inTheWay = false;
let looked = 0;
let timers: { run: () => void; s: number }[] = [];

function connection(): Connection {
  return new Connection({
    open: () => {
      const wire = new Wire();
      wires.push(wire);
      return wire;
    },
    sessionKey: () => "key",
    keyIsDead: (key) => dead.push(key),
    later: (run, s) => {
      const timer = { run, s };
      timers.push(timer);
      return () => (timers = timers.filter((one) => one !== timer));
    },
    chance: () => 0,
    cookiesStandInTheWay: () => {
      looked += 1;
      return Promise.resolve(inTheWay);
    },
  });
}

function fire(s: number): void {
  const timer = timers.find((one) => one.s === s);
  if (timer === undefined) throw new Error(`nothing is waited for ${s} s; there are ${timers.map((one) => one.s).join(", ")}`);
  timers = timers.filter((one) => one !== timer);
  timer.run();
}

function wire(): Wire {
  const found = wires.at(-1);
  if (found === undefined) throw new Error("there is no connection");
  return found;
}

function event(thread_id: string, seq: number | null, type = "NOTICE", data: Record<string, unknown> = {}): Record<string, unknown> {
  return { method: "event", params: { thread_id, seq, run_id: null, parent_run_id: null, agent: "", depth: 0, type, at: "", data } };
}

beforeEach(() => {
  wires = [];
  timers = [];
  dead = [];
  inTheWay = false;
  looked = 0;
});

describe("Connection", () => {
  it("says hello with the session's key, and is open when it is welcomed", () => {
    const it = connection();
    it.start();
    wire().welcomes();
    expect(wire().sent[0]).toMatchObject({ id: 0, method: "hello", params: { session: "key", protocol: 1 } });
    expect(it.standing).toMatchObject({ state: "open", scopes: ["read", "write"], textChars: 9 });
  });

  it("is out, and does not try again, when its session is good no more", () => {
    const it = connection();
    it.start();
    wire().onopen?.();
    wire().says({ id: 0, error: { code: -32001, message: "revoked", data: { code: "unauthorized", retryable: false } } });
    expect(it.standing).toMatchObject({ state: "out", why: "revoked" });
    expect(dead).toEqual(["key"]);
    expect(timers).toEqual([]);
  });

  it("says what to do where the browser's cookies keep it out, until it is let in", async () => {
    const it = connection();
    inTheWay = true;
    it.start();
    for (const s of [0.25, 0.5]) {
      wire().breaks();
      expect(looked).toBe(0);
      fire(s);
    }
    wire().breaks();
    expect(looked).toBe(1);
    await Promise.resolve();
    expect(it.standing).toMatchObject({ state: "lost", cookies: true });
    expect(it.standing.why).toContain("Delete the cookies of this address");
    fire(1);
    expect(it.standing).toMatchObject({ state: "connecting", cookies: true });
    wire().breaks();
    expect(it.standing.why).toContain("Delete the cookies of this address");
    fire(2);
    wire().welcomes();
    expect(it.standing).toMatchObject({ state: "open", cookies: false, why: "" });
  });

  it("looks again after as many failures more, and says that it is lost where the cookies are gone", async () => {
    const it = connection();
    inTheWay = true;
    it.start();
    for (const s of [0.25, 0.5, 1, 2, 4]) {
      wire().breaks();
      await Promise.resolve();
      inTheWay = s < 1;
      fire(s);
    }
    wire().breaks();
    await Promise.resolve();
    expect(looked).toBe(2);
    expect(it.standing).toMatchObject({ state: "lost", cookies: false, why: "" });
  });

  it("sends a message again under its id when the connection breaks before the answer", async () => {
    const it = connection();
    it.start();
    wire().welcomes();
    const sent = it.call("turn.send", { thread_id: "t", message_id: "m", text: "hello" });
    const first = wire().last();
    wire().breaks();
    expect(it.standing.state).toBe("lost");
    fire(0.25);
    wire().welcomes();
    expect(wire().last()).toEqual(first);
    wire().says({ id: first.id, result: { run_id: "r", seq: 2 } });
    await expect(sent).resolves.toEqual({ run_id: "r", seq: 2 });
  });

  it("does not send again what could be done twice, but says that it is unknown", async () => {
    const it = connection();
    it.start();
    wire().welcomes();
    const asked = it.call("schedule.run", { id: "s" } as never);
    wire().breaks();
    await expect(asked).rejects.toBeInstanceOf(ConnectionLost);
  });

  it("gives what was asked before there was a connection to the first one", async () => {
    const it = connection();
    const asked = it.call("agent.list", {});
    it.start();
    wire().welcomes();
    wire().says({ id: wire().last().id, result: { agents: [] } });
    await expect(asked).resolves.toEqual({ agents: [] });
  });

  it("gives up on what may wait after its deadline", async () => {
    const it = connection();
    it.start();
    const asked = it.call("agent.list", {});
    fire(40);
    await expect(asked).rejects.toMatchObject({ code: "timeout" });
  });

  it("passes on what was refused, with the daemon's word", async () => {
    const it = connection();
    it.start();
    wire().welcomes();
    const asked = it.call("thread.get", { thread_id: "t" });
    wire().says({ id: wire().last().id, error: { code: -32004, message: "no such thread", data: { code: "not_found", retryable: false } } });
    await expect(asked).rejects.toEqual(new RpcError("no such thread", "not_found", false, null));
  });

  it("follows on from where it was, with the children that are not done", () => {
    const it = connection();
    const seen: (number | null)[] = [];
    it.start();
    wire().welcomes();
    it.follow("t", 0, { event: (one: ThreadEvent) => seen.push(one.seq) });
    expect(wire().last()).toMatchObject({ method: "events.subscribe", params: { thread_id: "t", after: 0, children: true } });
    wire().says(event("t", 1, "CHILD_STARTED", { thread_id: "c" }));
    wire().says(event("c", 1));
    wire().breaks();
    fire(0.25);
    wire().welcomes();
    expect(wire().last().params).toEqual({ thread_id: "t", after: 1, children: true, speak: false, after_children: { c: 1 } });
    wire().says(event("t", 1, "CHILD_STARTED", { thread_id: "c" }));
    wire().says(event("c", 2));
    wire().says(event("t", 2));
    expect(seen).toEqual([1, 1, 2, 2]);
  });

  it("keeps events of other families apart", () => {
    const it = connection();
    const seen: string[] = [];
    it.start();
    wire().welcomes();
    it.follow("t", 0, { event: (one) => seen.push(`t:${one.thread_id}`) });
    it.follow("u", 0, { event: (one) => seen.push(`u:${one.thread_id}`) });
    wire().says(event("u", 1, "CHILD_STARTED", { thread_id: "c" }));
    wire().says(event("c", 1));
    expect(seen).toEqual(["u:u", "u:c"]);
  });

  it("asks anew for what is watched whenever it is back", () => {
    const it = connection();
    const started: unknown[] = [];
    it.watch("live.watch", {}, (result) => started.push(result));
    it.start();
    wire().welcomes();
    expect(wire().last().method).toBe("live.watch");
    wire().breaks();
    fire(0.25);
    wire().welcomes();
    expect(wire().last().method).toBe("live.watch");
  });

  it("refuses at once what a person does while there is no connection, so that it is not done later unseen", async () => {
    const it = connection();
    it.start();
    wire().welcomes();
    it.broke();
    expect(it.standing.state).toBe("lost");
    await expect(it.call("approval.answer", { thread_id: "t", id: "approval:1", verdict: "approve" })).rejects.toMatchObject({ code: "not_connected" });
    fire(0.25);
    wire().welcomes();
    expect(wire().sent.map((one) => one.method)).toEqual(["hello"]);
  });

  it("asks for a word after a silence, and counts a line that gives none as broken", () => {
    const it = connection();
    it.start();
    wire().welcomes();
    fire(20);
    expect(wire().last()).toMatchObject({ id: "probe", method: "notice.list" });
    wire().says({ id: "probe", result: { notices: [], next: null } });
    expect(it.standing.state).toBe("open");
    fire(20);
    fire(8);
    expect(it.standing.state).toBe("lost");
  });

  it("waits longer with each attempt that fails, at most 8 s", () => {
    expect([0, 1, 2, 3, 10, 99].map((attempt) => waitS(attempt, 0))).toEqual([0.25, 0.5, 1, 2, 8, 8]);
    expect(waitS(10, 1)).toBe(6);
  });
});

describe("isSafeAgain", () => {
  it.each([
    ["thread.history", {}, true],
    ["turn.send", { message_id: "m" }, true],
    ["workflow.start", { request_id: "r" }, true],
    ["workflow.start", {}, false],
    ["approval.answer", {}, false],
    ["schedule.run", { id: "s" }, false],
  ])("%s %j: %s", (method, params, expected) => {
    expect(isSafeAgain(method, params)).toBe(expected);
  });
});
