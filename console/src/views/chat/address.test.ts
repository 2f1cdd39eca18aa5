import { describe, expect, it } from "vitest";
import { address, pathOf } from "./address";

describe("an address", () => {
  it("is the list, a conversation, or a turn's timeline", () => {
    expect(address("")).toEqual({ threadId: "", timeline: false, runId: "" });
    expect(address("thr_9b2d")).toEqual({ threadId: "thr_9b2d", timeline: false, runId: "" });
    expect(address("thr_9b2d/timeline")).toEqual({ threadId: "thr_9b2d", timeline: true, runId: "" });
    expect(address("thr_9b2d/timeline/run_1")).toEqual({ threadId: "thr_9b2d", timeline: true, runId: "run_1" });
  });

  it("that names no thread is the list", () => {
    expect(address("../../x y")).toEqual({ threadId: "", timeline: false, runId: "" });
  });

  it("is what it was made of", () => {
    expect(address(pathOf("thr_a", "run_1").slice("/chat/".length))).toEqual({ threadId: "thr_a", timeline: true, runId: "run_1" });
    expect(pathOf("thr_a", "")).toBe("/chat/thr_a/timeline");
    expect(pathOf("thr_a")).toBe("/chat/thr_a");
  });
});
