import { expect, test } from "vitest";
import { NO_CONNECTION } from "../protocol/errors";
import { afterStep, connected, inTime, waitMs, withLine, type Line } from "./lines";

const line = (text: string, at = 0, tone: Line["tone"] = "plain"): Line => ({ id: `${text} ${at}`, text, tone, at });
const texts = (lines: readonly Line[]): string[] => lines.map((one) => one.text);

test("no more than two lines are shown, the newest ones", () => {
  expect(texts(["a", "b", "c"].reduce<readonly Line[]>((lines, text) => withLine(lines, line(text)), []))).toEqual(["b", "c"]);
});

test("what is told again is shown once, with its time begun anew", () => {
  expect(withLine([line("a"), line("b")], line("a", 50))).toEqual([line("b"), line("a", 50)]);
});

test("a line is shown for five seconds, and what went wrong for ten", () => {
  const lines = [line("good"), line("bad", 0, "bad")];
  expect(waitMs(lines, 1000)).toBe(4000);
  expect(texts(inTime(lines, 4999))).toEqual(["good", "bad"]);
  expect(texts(inTime(lines, 5000))).toEqual(["bad"]);
  expect(inTime(lines, 10_000)).toEqual([]);
  expect(waitMs([], 0)).toBeNull();
});

test("on another view there are errors, and what was told as it was gone to", () => {
  expect(texts(afterStep([line("old"), line("bad", 0, "bad"), line("deleted", 4900)], 5000))).toEqual(["bad", "deleted"]);
});

test("that there is no connection is told no longer when it is back", () => {
  expect(texts(connected([line(`${NO_CONNECTION} Try again.`, 0, "bad"), line("bad", 0, "bad")]))).toEqual(["bad"]);
});
