import { expect, test } from "vitest";
import { toFit, toShow } from "./fit";

test("a graph is fitted when its nodes come and when their count changes, and stays where somebody has moved it", () => {
  expect(toFit(0, 2, false)).toBe(true);
  expect(toFit(2, 3, false)).toBe(true);
  expect(toFit(3, 3, false)).toBe(false);
  expect(toFit(2, 3, true)).toBe(false);
  expect(toFit(2, 0, false)).toBe(false);
});

test("a box whose beginning is not seen comes into the middle, large enough to be read, and one that is seen stays where it is", () => {
  const frame = { width: 400, height: 300 };
  const box = { x: 0, y: 1_000, width: 200, height: 60 };
  expect(toShow(box, { x: 100, y: -900, zoom: 1 }, frame)).toBeNull();
  expect(toShow(box, { x: 0, y: 0, zoom: 1 }, frame)).toEqual({ x: 100, y: -880, zoom: 1 });
  expect(toShow(box, { x: 0, y: 0, zoom: 0.35 }, frame)).toEqual({ x: 150, y: -365, zoom: 0.5 });
  expect(toShow({ ...box, height: 5_000 }, { x: 0, y: 0, zoom: 1 }, frame)).toEqual({ x: 100, y: -950, zoom: 1 });
});
