import { describe, expect, it } from "vitest";
import type { ThreadEvent } from "../protocol/wire";
import { Recorded } from "./doubles";
import { joined, ThreadFold } from "./fold";
import type { Item } from "./items";

function folded(events: readonly ThreadEvent[], threadId = "thr_a"): ThreadFold {
  const fold = new ThreadFold(threadId);
  for (const event of events) fold.take(event);
  return fold;
}

function one<K extends Item["kind"]>(fold: ThreadFold, kind: K): Extract<Item, { kind: K }> {
  const found = fold.view().items.filter((item): item is Extract<Item, { kind: K }> => item.kind === kind);
  expect(found).toHaveLength(1);
  return found[0] as Extract<Item, { kind: K }>;
}

describe("a turn", () => {
  it("is a message, an answer and an end", () => {
    const log = new Recorded();
    const view = folded([log.kept("THREAD_CREATED", { agent: "sulla", title: "Rome" }, null), ...log.turn(1, "Hello", "Hi")]).view();
    expect(view.items.map((item) => item.kind)).toEqual(["input", "text", "end"]);
    expect(view).toMatchObject({ agent: "sulla", title: "Rome", running: "", lastSeq: 5, held: 0 });
  });

  it("goes on between its beginning and its end", () => {
    const log = new Recorded();
    const events = log.turn(1, "Hello", "Hi");
    const fold = folded(events.slice(0, 2));
    expect(fold.view().running).toBe("run_1");
    for (const event of events.slice(2)) fold.take(event);
    expect(fold.view().running).toBe("");
  });

  it("that failed says its code, what happened and how long it took", () => {
    const log = new Recorded();
    const fold = folded([
      ...log.turn(1, "Hello", "Hi").slice(0, 2),
      log.kept("RUN_ERROR", { run_id: "run_1", code: "model_refused", message: "no" }),
    ]);
    expect(one(fold, "end")).toMatchObject({ error: { code: "model_refused", message: "no" }, startedAt: "2027-01-15T08:00:02.000Z" });
  });

  it("that another one took along has no end of its own", () => {
    const log = new Recorded();
    const fold = folded([
      log.kept("INPUT", { message_id: "m-1", text: "a" }, "run_1"),
      log.kept("INPUT", { message_id: "m-2", text: "b" }, "run_2"),
      log.kept("RUN_STARTED", { input_seq: 1, message_id: "m-1" }, "run_1"),
      log.kept("INPUTS_JOINED", { input_seqs: [2], run_ids: ["run_2"] }, "run_1"),
      log.kept("RUN_FINISHED", { run_id: "run_2", outcome: {}, joined: "run_1" }, "run_2"),
    ]);
    expect(fold.view().items.map((item) => item.kind === "input" && item.state)).toEqual(["taken", "taken"]);
    expect(fold.view().running).toBe("run_1");
  });
});

describe("a text", () => {
  it("grows by its pieces and is replaced by the whole", () => {
    const log = new Recorded();
    const fold = folded([
      log.live("TEXT_MESSAGE_CONTENT", { message_id: "a", offset: 0, delta: "It " }),
      log.live("TEXT_MESSAGE_CONTENT", { message_id: "a", offset: 3, delta: "is" }),
    ]);
    expect(one(fold, "text")).toMatchObject({ text: "It is", done: false, seq: null });
    fold.take(log.kept("TEXT_MESSAGE_END", { call_id: "c", message_id: "a", text: "It was.", stand_in: "other:model" }));
    expect(one(fold, "text")).toMatchObject({ text: "It was.", done: true, standIn: "other:model", seq: 1 });
  });

  it("is the same when its pieces come again from the beginning after a lost connection", () => {
    const log = new Recorded();
    const fold = folded([
      log.live("TEXT_MESSAGE_CONTENT", { message_id: "a", offset: 0, delta: "a🙂b" }),
      log.live("TEXT_MESSAGE_CONTENT", { message_id: "a", offset: 0, delta: "a🙂bc" }),
      log.live("TEXT_MESSAGE_CONTENT", { message_id: "a", offset: 1, delta: "🙂" }),
      log.live("TEXT_MESSAGE_CONTENT", { message_id: "a", offset: 4, delta: "d" }),
    ]);
    expect(one(fold, "text").text).toBe("a🙂bcd");
  });

  it("that came to nothing, is hidden or empty is not shown", () => {
    const log = new Recorded();
    for (const end of [
      log.kept("MODEL_ABANDONED", { message_id: "a" }),
      log.kept("TEXT_MESSAGE_END", { call_id: "c", message_id: "a", text: "x", hidden: true }),
      log.kept("TEXT_MESSAGE_END", { call_id: "c", message_id: "a", text: "" }),
    ]) {
      expect(folded([log.live("TEXT_MESSAGE_CONTENT", { message_id: "a", offset: 0, delta: "It" }), end]).view().items).toEqual([]);
    }
  });

  it("does not grow once its turn is over, and is over with it", () => {
    const log = new Recorded();
    const fold = folded([
      log.live("TEXT_MESSAGE_CONTENT", { message_id: "a", offset: 0, delta: "It" }),
      log.kept("RUN_ERROR", { run_id: "run_1", code: "x", message: "y" }),
      log.live("TEXT_MESSAGE_CONTENT", { message_id: "a", offset: 2, delta: " is" }),
    ]);
    expect(one(fold, "text")).toMatchObject({ text: "It", done: true });
  });

  it("has reasoning of its own beside it", () => {
    const log = new Recorded();
    const fold = folded([
      log.live("REASONING_MESSAGE_CONTENT", { message_id: "a", offset: 0, delta: "Hm" }),
      log.live("TEXT_MESSAGE_CONTENT", { message_id: "a", offset: 0, delta: "It" }),
      log.kept("TEXT_MESSAGE_END", { call_id: "c", message_id: "a", text: "It" }),
    ]);
    expect(one(fold, "reasoning")).toMatchObject({ text: "Hm", done: true });
  });
});

describe("pieces", () => {
  it("join without a hole or an overlap, counted in code points", () => {
    expect(joined("", 0, "ab")).toBe("ab");
    expect(joined("ab", 2, "c")).toBe("abc");
    expect(joined("🙂", 1, "c")).toBe("🙂c");
    expect(joined("🙂b", 1, "bc")).toBe("🙂bc");
    expect(joined("abc", 0, "ab")).toBe("abc");
  });
});

describe("a message", () => {
  it("is shown as it is sent, and becomes its record", () => {
    const fold = new ThreadFold("thr_a");
    fold.sending("m-1", "Hello", "2027-01-15T08:00:00.000Z");
    expect(one(fold, "input")).toMatchObject({ state: "sending", seq: null });
    fold.take(new Recorded().kept("INPUT", { message_id: "m-1", text: "Hello" }));
    expect(one(fold, "input")).toMatchObject({ state: "waits", seq: 1 });
  });

  it("stands where the log has it once it is written down, as on a page that has not sent it", () => {
    const log = new Recorded();
    const fold = new ThreadFold("thr_a");
    fold.sending("mine", "Mine", "2027-01-15T08:00:00.000Z");
    const events = [...log.turn(1, "Theirs", "Yes"), log.kept("INPUT", { message_id: "mine", text: "Mine" })];
    for (const event of events) fold.take(event);
    expect(fold.view().items.map((item) => item.key)).toEqual(folded(events).view().items.map((item) => item.key));
  });

  it("that was refused says why, and goes when it is given up", () => {
    const fold = new ThreadFold("thr_a");
    fold.sending("m-1", "Hello", "2027-01-15T08:00:00.000Z");
    fold.notSent("m-1", "too fast");
    expect(one(fold, "input")).toMatchObject({ state: "failed", why: "too fast" });
    fold.forget("m-1");
    expect(fold.view().items).toEqual([]);
  });

  it("that was taken after all is not shown as refused, and is not given up", () => {
    const fold = new ThreadFold("thr_a");
    fold.sending("m-1", "Hello", "2027-01-15T08:00:00.000Z");
    fold.take(new Recorded().kept("INPUT", { message_id: "m-1", text: "Hello" }));
    fold.notSent("m-1", "the answer was lost");
    fold.forget("m-1");
    expect(one(fold, "input")).toMatchObject({ state: "waits", why: "" });
  });

  it("says which words at its beginning are an application's, by characters as the daemon counts them", () => {
    const fold = new ThreadFold("thr_a");
    const log = new Recorded();
    fold.take(log.kept("INPUT", { message_id: "m-1", text: "Page 🙂: why 🙂?", said_chars: 6 }));
    expect(one(fold, "input")).toMatchObject({ text: "Page 🙂: why 🙂?", applications: "Page 🙂: " });
    fold.take(log.kept("INPUT", { message_id: "m-1", text: "why?" }));
    expect(one(fold, "input")).toMatchObject({ applications: "" });
  });

  it("is held behind a stop until somebody lets it go on", () => {
    const log = new Recorded();
    const [input, started] = log.turn(1, "a", "b");
    const fold = folded([input, started].filter((event) => event !== undefined));
    fold.take(log.kept("INPUT", { message_id: "m-2", text: "c" }, "run_2"));
    fold.take(log.kept("STOPPED", { input_seq: 4 }, "run_1"));
    fold.take(log.kept("RUN_FINISHED", { run_id: "run_1", outcome: { status: "cancelled" } }, "run_1"));
    expect(fold.view().held).toBe(1);
    fold.take(log.kept("CONTINUED", { input_seq: 5 }, null));
    expect(fold.view().held).toBe(0);
  });

  it("that a stop has dropped says so", () => {
    const log = new Recorded();
    const fold = folded([
      log.kept("INPUT", { message_id: "m-1", text: "a" }, "run_1"),
      log.kept("RUN_FINISHED", { run_id: "run_1", outcome: { status: "cancelled", reason: "dropped" } }, "run_1"),
    ]);
    expect(one(fold, "input").state).toBe("dropped");
  });
});

describe("a tool call", () => {
  it("says how it gets on, what came of it and where that is from", () => {
    const log = new Recorded();
    const fold = folded([
      log.kept("TOOL_CALL_START", { call_id: "t", name: "web_fetch", args: { url: "https://example.org" }, effect: "read" }),
      log.live("TOOL_CALL_PROGRESS", { call_id: "t", note: "half" }),
    ]);
    expect(one(fold, "tool")).toMatchObject({ result: null, progress: "half", effect: "read", endedAt: null });
    fold.take(log.kept("TOOL_CALL_RESULT", { call_id: "t", text: "page", origin: "web", tainted: true, held: "changes_1" }));
    expect(one(fold, "tool")).toMatchObject({ result: "page", origin: "web", tainted: true, held: "changes_1", isError: false });
    expect(fold.view().tainted).toBe(true);
  });
});

describe("a question", () => {
  const wait = { wait_id: "approval:t", prompt: "May it post?", tool: "post", target: "host:https://example.org", expires_ms: 5 };

  it("is open until its answer, and says who gave it", () => {
    const log = new Recorded();
    const fold = folded([log.kept("SUSPENDED", { waits: [wait] })]);
    expect(one(fold, "question")).toMatchObject({ waitId: "approval:t", tool: "post", expiresMs: 5, answer: null });
    expect(fold.view().suspended).toBe(true);
    fold.take(log.kept("ANSWER", { wait_id: "approval:t", text: "", verdict: "approve", by: "phone" }));
    fold.take(log.kept("RESUMED", { reason: "answered", wait_id: "approval:t" }));
    expect(one(fold, "question").answer).toMatchObject({ verdict: "approve", by: "phone" });
    expect(fold.view().suspended).toBe(false);
  });

  it("makes no call wait whose turn has ended", () => {
    const log = new Recorded();
    const fold = folded([
      log.kept("TOOL_CALL_START", { call_id: "t", name: "post", args: {} }), log.kept("SUSPENDED", { waits: [{ ...wait, wait_id: "approval:t:1" }] }),
    ]);
    expect(one(fold, "tool").asked).toBe("waits");
    fold.take(log.kept("RUN_FINISHED", { run_id: "run_1", outcome: { status: "cancelled" } }));
    expect(one(fold, "tool").asked).toBe("");
  });

  it("is asked once, though the turn rests twice upon it", () => {
    const log = new Recorded();
    one(folded([log.kept("SUSPENDED", { waits: [wait] }), log.kept("SUSPENDED", { waits: [wait] })]), "question");
  });

  it("is withdrawn with its turn", () => {
    const log = new Recorded();
    const fold = folded([log.kept("SUSPENDED", { waits: [wait] }), log.kept("RUN_FINISHED", { run_id: "run_1", outcome: { status: "cancelled" } })]);
    expect(one(fold, "question").answer?.verdict).toBe("withdrawn");
  });

  it("is not one where a time or a sub-agent is waited for", () => {
    const log = new Recorded();
    expect(folded([log.kept("SUSPENDED", { waits: [{ wait_id: "time:1" }, { wait_id: "ask:1" }] })]).view().items).toEqual([]);
  });
});

describe("a sub-agent", () => {
  const started = { id: "1", thread_id: "thr_b", agent: "cook", mode: "call", run_id: "run_9", task: "Cook" };

  it("has its own items, and says how it stands", () => {
    const above = new Recorded("thr_a");
    const below = new Recorded("thr_b", "cook");
    const fold = folded([above.kept("CHILD_STARTED", started)]);
    expect(one(fold, "child")).toMatchObject({ childThreadId: "thr_b", state: "works" });
    fold.take(above.kept("SUSPENDED", { waits: [{ wait_id: "child:1" }] }));
    expect(one(fold, "child").state).toBe("waits");
    for (const event of below.turn(9, "Cook", "Done")) fold.take(event);
    expect(fold.view().below.get("thr_b")?.map((item) => item.kind)).toEqual(["input", "text", "end"]);
    fold.take(above.kept("ANSWER", { wait_id: "child:1", text: "Done", report: { status: "done" } }));
    expect(one(fold, "child")).toMatchObject({ state: "done", status: "done" });
  });

  it("is stopped where it reports that it was cancelled", () => {
    const above = new Recorded("thr_a");
    const fold = folded([above.kept("CHILD_STARTED", started), above.kept("CHILD_CANCELLED", { id: "1" })]);
    expect(one(fold, "child").state).toBe("cancelled");
    fold.take(above.kept("ANSWER", { wait_id: "child:1", text: "", report: { status: "cancelled" } }));
    expect(one(fold, "child").state).toBe("stopped");
  });

  it("is stopped where its own run was, and nobody reports it", () => {
    const fold = folded([new Recorded("thr_a").kept("CHILD_STARTED", { ...started, mode: "spawn" })]);
    fold.take(new Recorded("thr_b", "cook").kept("RUN_FINISHED", { outcome: { status: "cancelled" } }, "run_9"));
    expect(one(fold, "child").state).toBe("stopped");
  });

  it("is stopped with the run that waits for it, while one that works beside that run goes on", () => {
    const ended = (mode: string): string => {
      const above = new Recorded("thr_a");
      const fold = folded([above.kept("CHILD_STARTED", { ...started, mode }), above.kept("RUN_FINISHED", { outcome: { status: "cancelled" } })]);
      return one(fold, "child").state;
    };
    expect([ended("call"), ended("spawn")]).toEqual(["stopped", "works"]);
  });

  it("does not change who speaks above, nor what is going on there", () => {
    const fold = folded(new Recorded("thr_b", "cook").turn(9, "Cook", "Done"));
    expect(fold.view()).toMatchObject({ items: [], agent: "", running: "", lastSeq: 0 });
  });
});

describe("notes", () => {
  it("are those that say something to people", () => {
    const log = new Recorded();
    const view = folded([
      log.kept("RESUMED", { reason: "answered" }),
      log.kept("RESUMED", { reason: "crashed", crashes: 1 }),
      log.kept("INPUT_HANDLED", { message_id: "m", diagnostics: {} }),
      log.kept("INPUT_HANDLED", { message_id: "m", diagnostics: { sanitized: 2 } }),
      log.kept("MODEL_STARTED", { call_id: "c", message_id: "a" }),
      log.kept("AGENT_ROUTED", { agent: "cook", by: "handoff", before: "sulla" }),
    ]).view();
    expect(view.items.map((item) => item.kind === "note" && item.what)).toEqual(["RESUMED", "INPUT_HANDLED", "AGENT_ROUTED"]);
    expect(view.agent).toBe("cook");
  });
});

describe("a view", () => {
  it("is the same value until something changes, and keeps the values of what did not", () => {
    const log = new Recorded();
    const fold = folded(log.turn(1, "a", "b"));
    const before = fold.view();
    expect(fold.view()).toBe(before);
    for (const event of log.turn(2, "c", "d")) fold.take(event);
    const after = fold.view();
    expect(after).not.toBe(before);
    for (const [index, item] of before.items.entries()) expect(after.items[index]).toBe(item);
  });

  it("keeps the lists of sub-agents in which nothing has changed", () => {
    const fold = folded([...new Recorded("thr_b").turn(1, "a", "b"), ...new Recorded("thr_c").turn(2, "a", "b")]);
    const before = fold.view();
    for (const event of new Recorded("thr_a").turn(1, "c", "d")) fold.take(event);
    expect(fold.view().below).toBe(before.below);
    fold.take({ ...new Recorded("thr_b").live("TEXT_MESSAGE_CONTENT", { message_id: "x", offset: 0, delta: "x" }) });
    expect(fold.view().below.get("thr_b")).not.toBe(before.below.get("thr_b"));
    expect(fold.view().below.get("thr_c")).toBe(before.below.get("thr_c"));
  });

  it("passes over kinds of records that it does not know", () => {
    expect(folded([{ ...new Recorded().kept("STOP", {}), type: "NEW_KIND" } as unknown as ThreadEvent]).view().items).toEqual([]);
  });

  it("takes as long for each of 10,000 records as for each of 1,000, by the processor's time", () => {
    const log = new Recorded();
    const events = Array.from({ length: 2500 }, (_, number) => log.turn(number, "said", "answered")).flat();
    const parts = Array.from({ length: 10 }, (_, part) => events.slice(part * 1000, (part + 1) * 1000));
    const took = (work: () => void): number => Math.min(...[1, 2, 3].map(() => {
      const began = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(began);
      return user + system;
    }));
    const short = took(() => parts.forEach((part) => folded(part)));
    const long = took(() => expect(folded(events).view().items).toHaveLength(7500));
    // Work that grows with what is there would make it ten times as long.
    expect(long / short).toBeLessThan(4);
  });
});

describe("the order of a conversation", () => {
  const told = (fold: ThreadFold): string[] =>
    fold.view().items.map((item) => (item.kind === "input" || item.kind === "text" ? item.text : item.kind === "note" ? item.what : item.kind));

  it("has a message where its turn began, and what waits at the end", () => {
    const log = new Recorded();
    const [q1, began1, a1, end1] = log.turn(1, "Q1", "A1");
    const [q2, began2, a2, end2] = log.turn(2, "Q2", "A2");
    if (!q1 || !began1 || !a1 || !end1 || !q2 || !began2 || !a2 || !end2) throw new Error("two turns");
    const fold = folded([q1, began1, q2, log.live("TEXT_MESSAGE_CONTENT", { message_id: "a-1", offset: 0, delta: "A" })]);
    expect(told(fold)).toEqual(["Q1", "A", "Q2"]);
    for (const event of [a1, end1, began2, a2, end2]) fold.take(event);
    const live = told(fold);
    expect(live).toEqual(["Q1", "A1", "end", "Q2", "A2", "end"]);
    expect(told(folded([q1, began1, q2, a1, end1, began2, a2, end2]))).toEqual(live);
  });

  it("has a message that joined where it joined, and what is not sent yet behind what waits", () => {
    const log = new Recorded();
    const fold = folded([
      ...log.turn(1, "Q1", "A1").slice(0, 3),
      log.kept("INPUT", { message_id: "m-2", text: "Q2" }, "run_2"),
    ]);
    fold.sending("m-4", "Q4", "");
    fold.take(log.kept("INPUT", { message_id: "m-3", text: "Q3" }, "run_3"));
    expect(told(fold)).toEqual(["Q1", "A1", "Q2", "Q3", "Q4"]);
    fold.take(log.kept("INPUTS_JOINED", { input_seqs: [6], run_ids: ["run_3"] }, "run_1"));
    fold.take(log.kept("TEXT_MESSAGE_END", { call_id: "c", message_id: "a", text: "A1b" }, "run_1"));
    expect(told(fold)).toEqual(["Q1", "A1", "Q3", "A1b", "Q2", "Q4"]);
    fold.take(log.kept("RUN_FINISHED", { run_id: "run_1", outcome: {} }, "run_1"));
    expect(told(fold)).toEqual(["Q1", "A1", "Q3", "A1b", "end", "Q2", "Q4"]);
  });

  it("has a turn's end and its notes with the turn, though the next one has begun", () => {
    const log = new Recorded();
    const one = log.turn(1, "Q1", "A1");
    const fold = folded([...one.slice(0, 3), ...log.turn(2, "Q2", "A2").slice(0, 3)]);
    fold.take(log.kept("RESUMED", { reason: "crashed" }, "run_1"));
    if (one[3]) fold.take(one[3]);
    expect(told(fold)).toEqual(["Q1", "A1", "RESUMED", "end", "Q2", "A2"]);
  });
});

describe("a call that a person is asked about", () => {
  it("waits, and is not allowed if they say no", () => {
    const log = new Recorded();
    const fold = folded([
      log.kept("TOOL_CALL_START", { call_id: "c1", name: "bash", args: {} }),
      log.kept("SUSPENDED", { waits: [{ wait_id: "approval:c1:3f2a:0", prompt: "?" }] }),
    ]);
    expect(one(fold, "tool").asked).toBe("waits");
    fold.take(log.kept("ANSWER", { wait_id: "approval:c1:3f2a:0", text: "", verdict: "reject" }));
    expect(one(fold, "tool").asked).toBe("rejected");
  });
});
