import { describe, expect, it } from "vitest";
import { linger, type Kept } from "./linger";

const step = (drawn: readonly Kept<string>[], list: string[], now: number | null): readonly Kept<string>[] => linger(drawn, list, (item) => item, now, 4000);
const keys = (drawn: readonly Kept<string>[]): string => drawn.map((one) => (one.leftMs === null ? one.key : `(${one.key})`)).join(" ");

describe("what leaves a list", () => {
  it("stays in its place for a while, so that nothing moves under a pointer", () => {
    let drawn = step([], ["a", "b", "c"], 0);
    drawn = step(drawn, ["b", "c"], 10);
    expect(keys(drawn)).toBe("(a) b c");
    drawn = step(drawn, ["c", "d"], 3000);
    expect(keys(drawn)).toBe("(a) (b) c d");
    expect(step(drawn, ["c", "d"], 3900)).toBe(drawn);
    drawn = step(drawn, ["c", "d"], 4010);
    expect(keys(drawn)).toBe("(b) c d");
    expect(keys(step(drawn, ["c", "d"], 7000))).toBe("c d");
  });

  it("is timed from when there is a clock", () => {
    let drawn = step(step([], ["a", "b"], 0), ["b"], null);
    expect(keys(drawn)).toBe("(a) b");
    drawn = step(drawn, ["b"], 90_000);
    expect(keys(step(drawn, ["b"], 93_000))).toBe("(a) b");
    expect(keys(step(drawn, ["b"], 94_000))).toBe("b");
  });

  it("is open again when it comes back", () => {
    const drawn = step(step([], ["a", "b"], 0), ["a"], 10);
    expect(keys(drawn)).toBe("a (b)");
    expect(keys(step(drawn, ["a", "b"], 20))).toBe("a b");
  });
});
