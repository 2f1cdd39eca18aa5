import { describe, expect, it } from "vitest";
import type { Connection, Listener } from "../protocol/connection";
import { RpcError } from "../protocol/errors";
import { Recorded } from "./doubles";
import type { InputItem } from "./items";
import { Threads } from "./threads";

const BUSY = new RpcError("send this one again in 0.101 s, under the same id", "rate_limited", true, 0.101);
const GONE = new RpcError("no thread", "not_found", false, null);

/** A page over a daemon that answers as it is told to, in turn; what it is not told it takes. */
class Stage {
  readonly sent: { message_id: string; text: string }[] = [];
  readonly waited: number[] = [];
  readonly told: (Error | null)[] = [];
  readonly listeners: Listener[] = [];
  private ms = 0;
  kept = new Map<string, string>();

  page(): Threads {
    const connection = {
      call: (method: string, params: { message_id: string; text: string }) => {
        if (method === "thread.get") return Promise.resolve({ last_seq: 0 });
        this.sent.push(params);
        const answer = this.told.shift() ?? null;
        return answer === null ? Promise.resolve({}) : Promise.reject(answer);
      },
      follow: (_: string, __: number, listener: Listener) => {
        this.listeners.push(listener);
        return () => undefined;
      },
    };
    return new Threads(connection as unknown as Connection, (run) => run(), {
      wait: (s) => {
        this.waited.push(s);
        this.ms += s * 1000;
        return Promise.resolve();
      },
      now: () => this.ms,
      always: this.place,
      kept: this.place,
    });
  }

  private readonly place = {
    getItem: (key: string) => this.kept.get(key) ?? null,
    setItem: (key: string, value: string) => void this.kept.set(key, value),
  };
}

const inputs = (page: Threads) => page.now("thr_a").view.items.filter((item): item is InputItem => item.kind === "input");
const settled = () => new Promise((done) => setTimeout(done, 0));

describe("a message that the daemon does not take at the moment", () => {
  it("goes again by itself under its id when it may", async () => {
    const stage = new Stage();
    stage.told.push(BUSY, BUSY);
    const page = stage.page();
    await page.send("thr_a", "two");
    expect(stage.sent.map((one) => one.text)).toEqual(["two", "two", "two"]);
    expect(new Set(stage.sent.map((one) => one.message_id)).size).toBe(1);
    expect(stage.waited).toEqual([0.101, 0.101]);
    expect(inputs(page).map((one) => one.state)).toEqual(["sending"]);
  });

  it("is not overtaken by the next one", async () => {
    const stage = new Stage();
    stage.told.push(BUSY);
    const page = stage.page();
    await Promise.all([page.send("thr_a", "one"), page.send("thr_a", "two")]);
    expect(stage.sent.map((one) => one.text)).toEqual(["one", "one", "two"]);
  });

  it("is given up after a minute", async () => {
    const stage = new Stage();
    stage.told.push(...Array.from({ length: 99 }, () => new RpcError("later", "rate_limited", true, 7)));
    const page = stage.page();
    await expect(page.send("thr_a", "two")).rejects.toThrow("later");
    expect(stage.waited).toHaveLength(8);
    expect(inputs(page).map((one) => [one.state, one.why])).toEqual([["failed", "later"]]);
  });
});

describe("a message that was not taken", () => {
  it("is there after a reload, and can be sent again under its id", async () => {
    const stage = new Stage();
    stage.told.push(GONE);
    await expect(stage.page().send("thr_a", "kept")).rejects.toThrow("no thread");
    const page = stage.page();
    page.use("thr_a", () => undefined);
    const [item] = inputs(page);
    expect(item).toMatchObject({ text: "kept", state: "failed", why: "no thread" });
    await page.sendAgain("thr_a", item?.messageId ?? "");
    expect(stage.sent[1]?.message_id).toBe(stage.sent[0]?.message_id);
    const later = stage.page();
    later.use("thr_a", () => undefined);
    expect(inputs(later)).toEqual([]);
  });

  it("goes again after a reload while it was under way, until the log has it", async () => {
    const stage = new Stage();
    const first = stage.page();
    void first.send("thr_a", "under way"); // the page ends before the answer
    const page = stage.page();
    page.use("thr_a", () => undefined);
    await settled();
    expect(stage.sent.map((one) => one.text)).toEqual(["under way", "under way"]);
    stage.listeners[0]?.event(new Recorded().kept("INPUT", { message_id: stage.sent[0]?.message_id, text: "under way" }));
    expect(inputs(page).map((one) => one.state)).toEqual(["waits"]);
    expect(stage.kept.get("sulla.unsent")).toBe("[]");
  });

  it("is forgotten where people take it away, and what cannot be read is nothing", async () => {
    const stage = new Stage();
    stage.told.push(GONE);
    const page = stage.page();
    await page.send("thr_a", "kept").catch(() => undefined);
    page.forget("thr_a", inputs(page)[0]?.messageId ?? "");
    expect(stage.kept.get("sulla.unsent")).toBe("[]");
    stage.kept.set("sulla.unsent", "[{\"threadId\":1}, 2");
    expect(inputs(stage.page())).toEqual([]);
    stage.kept.set("sulla.unsent", "[{\"threadId\":1}, 2]");
    expect(inputs(stage.page())).toEqual([]);
  });
});

describe("a message", () => {
  it("is this browser's own where it has sent it, also after a reload", async () => {
    const stage = new Stage();
    await stage.page().send("thr_a", "mine");
    expect(stage.page().isOwn(stage.sent[0]?.message_id ?? "")).toBe(true);
    expect(stage.page().isOwn("con-somebody")).toBe(false);
  });

  it("is this browser's own where another of its windows has sent it, or another part of the page", async () => {
    const stage = new Stage();
    const [one, other] = [stage.page(), stage.page()];
    await one.send("thr_a", "mine");
    other.owned("con-steered");
    for (const page of [one, other]) {
      expect([stage.sent[0]?.message_id ?? "", "con-steered", "con-somebody"].map((id) => page.isOwn(id))).toEqual([true, true, false]);
    }
  });
});
