import { describe, expect, it } from "vitest";
import { Recorded } from "../../thread/doubles";
import { ThreadFold } from "../../thread/fold";
import { working } from "./working";

describe("what a turn does", () => {
  it("is told while it writes nothing, and since when it does it", () => {
    const log = new Recorded();
    const [input, began, , end] = log.turn(1, "Q", "A");
    if (!input || !began || !end) throw new Error("a turn");
    const fold = new ThreadFold("thr_a");
    const now = () => working(fold.view(), false);
    fold.take(input);
    expect(now()).toBeNull();
    fold.take(began);
    expect(now()).toEqual({ since: began.at, what: "waits for the model" });
    fold.take(log.live("REASONING_MESSAGE_CONTENT", { message_id: "a", offset: 0, delta: "Hm" }));
    expect(now()?.what).toBe("thinks");
    fold.take(log.live("TEXT_MESSAGE_CONTENT", { message_id: "a", offset: 0, delta: "So" }));
    expect(now()).toBeNull();
    fold.take(log.kept("TEXT_MESSAGE_END", { call_id: "c", message_id: "a", text: "So" }));
    fold.take(log.kept("TOOL_CALL_START", { call_id: "c1", name: "bash", args: {} }));
    expect(now()?.what).toBe("runs bash");
    fold.take(end);
    expect(now()).toBeNull();
  });

  it("is what a person is asked, as long as a second question of the same reply waits", () => {
    const log = new Recorded();
    const fold = new ThreadFold("thr_a");
    for (const event of log.turn(1, "Q", "A").slice(0, 2)) fold.take(event);
    for (const call_id of ["c1", "c2"]) fold.take(log.kept("TOOL_CALL_START", { call_id, name: `tool_${call_id}`, args: {} }));
    fold.take(log.kept("SUSPENDED", { resting: true, waits: ["c1", "c2"].map((id) => ({ wait_id: `approval:${id}:d:0`, prompt: "May it?" })) }));
    fold.take(log.kept("ANSWER", { wait_id: "approval:c1:d:0", verdict: "approve", text: "" }));
    fold.take(log.kept("RESUMED", { reason: "answered" }));
    expect(working(fold.view(), false)?.what).toBe("runs tool_c1");
    fold.take(log.kept("TOOL_CALL_RESULT", { call_id: "c1", text: "ok" }));
    expect(fold.view()).toMatchObject({ suspended: false, asks: true });
    expect(working(fold.view(), false)?.what).toBe("asks you about tool_c2");
    fold.take(log.kept("ANSWER", { wait_id: "approval:c2:d:0", verdict: "reject", text: "" }));
    expect(fold.view().asks).toBe(false);
  });

  it("is nothing while all work is paused", () => {
    const fold = new ThreadFold("thr_a");
    for (const event of new Recorded().turn(1, "Q", "A").slice(0, 2)) fold.take(event);
    expect(working(fold.view(), true)).toBeNull();
  });
});
