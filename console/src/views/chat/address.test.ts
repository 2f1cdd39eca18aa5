import { describe, expect, it } from "vitest";
import { address, pathAt, pathOf } from "./address";

describe("an address", () => {
  it("is the list, a conversation, or a turn's timeline", () => {
    expect(address("")).toEqual({ threadId: "", timeline: false, runId: "", at: 0 });
    expect(address("thr_9b2d")).toEqual({ threadId: "thr_9b2d", timeline: false, runId: "", at: 0 });
    expect(address("thr_9b2d/timeline")).toEqual({ threadId: "thr_9b2d", timeline: true, runId: "", at: 0 });
    expect(address("thr_9b2d/timeline/run_1")).toEqual({ threadId: "thr_9b2d", timeline: true, runId: "run_1", at: 0 });
  });

  it("that names no thread is the list", () => {
    expect(address("../../x y")).toEqual({ threadId: "", timeline: false, runId: "", at: 0 });
  });

  it("is what it was made of", () => {
    expect(address(pathOf("thr_a", "run_1").slice("/chat/".length))).toEqual({ threadId: "thr_a", timeline: true, runId: "run_1", at: 0 });
    expect(pathOf("thr_a", "")).toBe("/chat/thr_a/timeline");
    expect(pathOf("thr_a")).toBe("/chat/thr_a");
  });

  it("leads to a message, or to the end where that has no number", () => {
    expect(address(pathAt("thr_a", 12).slice("/chat/".length))).toEqual({ threadId: "thr_a", timeline: false, runId: "", at: 12 });
    expect(pathAt("thr_a", 0)).toBe("/chat/thr_a");
    expect(["0", "-1", "1e3", "x", "9".repeat(16)].map((which) => address(`thr_a/at/${which}`).at)).toEqual([0, 0, 0, 0, 0]);
  });
});
