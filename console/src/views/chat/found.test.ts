import { describe, expect, it } from "vitest";
import type { Item } from "../../thread/items";
import { foundAt } from "./found";

const item = (kind: "input" | "end", seq: number | null): Item => ({ kind, seq }) as unknown as Item;
const ITEMS = [item("input", 2), item("end", 7), item("input", null), item("input", 9), item("end", 12)];

describe("a message that was looked for", () => {
  it("stands where its number is", () => {
    expect([2, 9].map((seq) => foundAt(ITEMS, seq))).toEqual([0, 3]);
  });

  it("that is not shown itself stands where the next record is", () => {
    expect([5, 10].map((seq) => foundAt(ITEMS, seq))).toEqual([1, 4]);
  });

  it("is nowhere while what is shown begins behind it, where it ends before it, and where none was looked for", () => {
    expect([1, 13, 0].map((seq) => foundAt(ITEMS, seq))).toEqual([-1, -1, -1]);
    expect(foundAt([], 2)).toBe(-1);
  });
});
