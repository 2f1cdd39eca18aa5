import { expect, test } from "vitest";
import type { StepRow } from "../../../protocol/generated";
import { stepsTold, waitedS } from "./spent";

const NOW = Date.parse("2027-01-15T12:00:00.000Z");

/** A step from one hour of the day to another; null while it goes on. */
function row(kind: string, from: number | null, to: number | null, status = "completed"): StepRow {
  const at = (hour: number | null): string | null => (hour === null ? null : new Date(Date.UTC(2027, 0, 15, 0, hour * 60)).toISOString());
  return {
    at: `${kind}_${from}`, kind, status, tries: 1, started_at: at(from), ended_at: at(to), output: null, route: "", error: "", tokens: 0, cost: 0, note: "",
    given: null, result: null,
  };
}

test("what has failed, was skipped or has not begun is not done, as the daemon counts it", () => {
  expect(stepsTold({ done: 1, failed: 1, skipped: 0, cancelled: 0, not_begun: 2 })).toBe("steps done: 1, failed: 1, not begun: 2");
  expect(stepsTold({ done: 5 })).toBe("steps done: 5");
});

test.each([
  ["nothing was asked", [row("tool", 8, 9)], 0],
  ["a person answered", [row("tool", 8, 9), row("human", 9, 11), row("tool", 11, 12)], 2],
  ["a person is asked still", [row("human", 9, null, "waiting")], 3],
  ["others worked beside the question", [row("human", 8, 12), row("agent", 9, 10)], 3],
  ["two are asked at once", [row("human", 8, 10), row("human", 9, 11)], 3],
  ["the question stands in a loop", [row("loop", 8, 12), row("human", 9, 11)], 2],
  ["a step never began", [row("human", null, null, "skipped")], 0],
])("a run merely waited for a person, where %s", (_, rows, hours) => {
  expect(waitedS(rows, NOW) / 3600).toBe(hours);
});
