import { expect, test } from "vitest";
import { toFit } from "./fit";

test("a graph is fitted when its nodes come and when their count changes, and stays where somebody has moved it", () => {
  expect(toFit(0, 2, false)).toBe(true);
  expect(toFit(2, 3, false)).toBe(true);
  expect(toFit(3, 3, false)).toBe(false);
  expect(toFit(2, 3, true)).toBe(false);
  expect(toFit(2, 0, false)).toBe(false);
});
