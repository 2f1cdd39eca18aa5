import { describe, expect, it } from "vitest";
import type { LiveRow } from "../../protocol/generated";
import { actsOn, handedOver, isStill, placeOf } from "./acts";
import { nearest } from "./budget";
import { FADE_MS, MOST_FADING, Shelf } from "./shelf";
import { asksBelow, counts, grouped } from "./tree";

function row(thread_id: string, more: Partial<LiveRow> = {}): LiveRow {
  return {
    thread_id, parent_thread_id: null, kind: "chat", title: "", agent: "sulla", project: "", run_id: "", playbook: null,
    since: "2027-01-15T08:00:00.000Z", doing: { what: "model", name: "", since: "" }, tokens_in: 0, tokens_out: 0, tokens: 0, cost_usd: null,
    budget: { tokens_left: null, money_left_usd: null, calls_left: null }, waiting: 0, question: null, tainted: false, ...more,
  };
}

function rows(...all: LiveRow[]): Map<string, LiveRow> {
  return new Map(all.map((one) => [one.thread_id, one]));
}

const free = (): boolean => false;

describe("the shelf", () => {
  it("orders by begin, and a later change of a row moves nothing", () => {
    const shelf = new Shelf();
    shelf.take(rows(row("b", { since: "2" }), row("a", { since: "1" })), 0);
    shelf.take(rows(row("a", { since: "9" }), row("b", { since: "2" }), row("c", { since: "3" })), 0);
    expect(shelf.view().map(({ row: { thread_id } }) => thread_id)).toEqual(["a", "b", "c"]);
    expect(shelf.view()[0]?.row.since).toBe("9");
  });

  it("shows what is gone for three seconds, and not longer", () => {
    const shelf = new Shelf();
    shelf.take(rows(row("a")), 0);
    shelf.take(rows(), 1_000);
    shelf.sweep(1_000 + FADE_MS - 1, free);
    expect(shelf.view()[0]?.goneAt).toBe(1_000);
    expect(shelf.fading).toBe(true);
    shelf.sweep(1_000 + FADE_MS, free);
    expect(shelf.view()).toEqual([]);
  });

  it("keeps what somebody is in, and what comes back", () => {
    const shelf = new Shelf();
    shelf.take(rows(row("a"), row("b")), 0);
    shelf.take(rows(), 0);
    shelf.sweep(FADE_MS * 9, (id) => id === "a");
    expect(shelf.view().map(({ row: { thread_id } }) => thread_id)).toEqual(["a"]);
    shelf.take(rows(row("a")), FADE_MS * 9);
    expect(shelf.fading).toBe(false);
  });

  it("shows a bounded number of what is gone, the newest", () => {
    const shelf = new Shelf();
    for (let index = 0; index < 200; index++) shelf.take(rows(row(`t${String(index).padStart(3, "0")}`)), index);
    expect(shelf.view()).toHaveLength(MOST_FADING + 1);
    expect(shelf.view()[0]?.row.thread_id).toBe(`t${199 - MOST_FADING}`);
  });

  it("holds nothing of eight hours of beats", () => {
    const shelf = new Shelf();
    for (let beat = 0; beat < 10_000; beat++) {
      shelf.take(rows(row(`beat${beat}`)), beat * 10_000);
      shelf.sweep(beat * 10_000 + 5_000, free);
    }
    expect(shelf.view().length).toBe(1);
  });
});

describe("the tree", () => {
  const kept = (...all: LiveRow[]) => all.map((one) => ({ row: one, begun: one.since, goneAt: null }));

  it("puts children under their parents, and those without a parent that is shown at the top", () => {
    const groups = grouped(kept(row("a"), row("b", { kind: "child", parent_thread_id: "a" }), row("c", { kind: "child", parent_thread_id: "elsewhere" })));
    expect(groups).toHaveLength(1);
    expect(groups[0]?.nodes.map((node) => node.row.thread_id)).toEqual(["a", "c"]);
    expect(groups[0]?.nodes[0]?.children.map((node) => node.row.thread_id)).toEqual(["b"]);
  });

  it("groups by kind, conversations first", () => {
    const groups = grouped(kept(row("t", { kind: "schedule" }), row("h", { kind: "beat" }), row("p", { kind: "playbook" }), row("s", { kind: "step", parent_thread_id: "p" }), row("a")));
    expect(groups.map((group) => group.name)).toEqual(["chats", "runs", "beats", "schedules"]);
  });

  it("shows every row of a circle once", () => {
    const groups = grouped(kept(row("a", { parent_thread_id: "b" }), row("b", { parent_thread_id: "a" }), row("c", { parent_thread_id: "c" })));
    expect(groups[0]?.nodes.map((node) => node.row.thread_id)).toEqual(["a", "b", "c"]);
  });

  it("tells whether one below a row asks a person, however deep", () => {
    const [top] = grouped(kept(row("a"), row("b", { parent_thread_id: "a" }), row("c", { parent_thread_id: "b", question: { id: "1", prompt: "?" } })));
    const [a] = top?.nodes ?? [];
    const [b] = a?.children ?? [];
    const [c] = b?.children ?? [];
    expect([a, b, c].map((node) => node !== undefined && asksBelow(node))).toEqual([true, true, false]);
  });

  it("counts as `sulla status` does what works, what is paused and what waits for a place", () => {
    const queued = { what: "queued", name: "", since: "" } as const;
    const asks = row("a", { doing: { what: "waits", name: "post", since: "" }, question: { id: "1", prompt: "?" } });
    const handed = row("b", { doing: { what: "handed", name: "cook", since: "" } });
    const paused = row("p", { kind: "playbook", doing: { what: "waits", name: "paused", since: "" } });
    const all = [asks, handed, paused, row("q", { doing: queued }), row("w", { at_work: true }), row("s", { kind: "step", parent_thread_id: "p", at_work: true })];
    expect(counts(all, new Set(["p"]))).toEqual({ working: 2, paused: 1, waiting: 1 });
    expect(counts([], new Set())).toEqual({ working: 0, paused: 0, waiting: 0 });
  });
});

describe("what is left", () => {
  it("is of the limit nearest to its end", () => {
    const budget = { tokens_left: 90, money_left_usd: 0.1, calls_left: 40 };
    expect(nearest({ budget, tokens: 10, cost_usd: 0.9 })).toEqual({ what: "money", left: 0.1, share: 0.1 });
  });

  it("names the last calls before tokens", () => {
    expect(nearest(row("a", { budget: { tokens_left: 90, money_left_usd: null, calls_left: 2 } }))?.what).toBe("calls");
  });

  it("is nothing where nothing limits, and none where all is used", () => {
    expect(nearest(row("a"))).toBeNull();
    expect(nearest(row("a", { budget: { tokens_left: 0, money_left_usd: null, calls_left: null } }))?.share).toBe(0);
  });
});

describe("acts", () => {
  it("are none without the scope", () => {
    expect(actsOn(row("a"), ["read"], false)).toEqual([]);
  });

  it("go by the kind, and only playbooks are paused", () => {
    expect(actsOn(row("a"), ["read", "write"], false)).toEqual(["steer", "handOver", "stop"]);
    expect(actsOn(row("a", { kind: "beat" }), ["write"], false)).toEqual(["steer", "stop"]);
    expect(actsOn(row("a", { kind: "playbook" }), ["write"], false)).toEqual(["pause", "cancel"]);
    expect(actsOn(row("a", { kind: "playbook" }), ["write"], true)).toEqual(["resume", "cancel"]);
  });

  it("stand still while all work does, but for what waits for a person", () => {
    expect([isStill(row("a"), false, false), isStill(row("a"), false, true), isStill(row("a"), true, false)]).toEqual([false, true, true]);
    expect(isStill(row("a", { question: { id: "1", prompt: "?" } }), false, true)).toBe(false);
  });

  it("steer nothing that has not begun", () => {
    expect(actsOn(row("a", { doing: { what: "queued", name: "", since: "" } }), ["write"], false)).toEqual(["handOver", "stop"]);
  });

  it("hand a conversation over by @ where that reaches, else for one message", () => {
    expect(handedOver("ana", "go on", ["ana"])).toEqual({ text: "@ana go on" });
    expect(handedOver("ana", "go on", ["bob"])).toEqual({ text: "go on", agent: "ana" });
  });

  it("lead to a run's graph or to the conversation, whatever the id", () => {
    expect(placeOf(row("thr_1", { kind: "playbook", playbook: "new" }))).toBe("/playbooks/p/new/run/thr_1");
    expect(placeOf(row("thr_1", { kind: "playbook" }))).toBe("/chat/thr_1");
    expect(placeOf(row("thr/1"))).toBe("/chat/thr%2F1");
  });
});
