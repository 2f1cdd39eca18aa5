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
    const now = () => working(fold.view());
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
});
