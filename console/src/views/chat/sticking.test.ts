import { describe, expect, it } from "vitest";
import { moves, MOVED_MS, sticks } from "./sticking";

describe("a view at the bottom", () => {
  it("stays there when something grows or comes", () => {
    expect(sticks(true, false, MOVED_MS + 1)).toBe(true);
  });

  it("is left by a person, and found again", () => {
    expect(sticks(true, false, 10)).toBe(false);
    expect(sticks(false, false, 99_999)).toBe(false);
    expect(sticks(false, true, 10)).toBe(true);
  });

  it("is moved by a wheel and by keys that scroll, and not by other keys", () => {
    expect(moves({ type: "wheel", target: null })).toBe(true);
    expect(moves({ type: "touchmove", target: null })).toBe(true);
    expect(moves({ type: "keydown", target: null, key: "PageUp" })).toBe(true);
    expect(moves({ type: "keydown", target: null, key: "a" })).toBe(false);
  });
});
