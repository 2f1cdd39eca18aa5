import { expect, test } from "vitest";
import { faultRange, readFault, refusals, toCheck } from "./faults";

test("an empty text is checked too, and its fault stands at its beginning", () => {
  expect(toCheck("")).not.toBe("");
  expect(toCheck("name: a")).toBe("name: a");
  const fault = readFault("a.yaml:1:1: error: expected keys and values");
  expect(fault).toMatchObject({ line: 1, column: 1, severity: "error" });
  expect(faultRange("", fault)).toEqual({ from: 0, to: 0 });
});

test("a refusal for faults is told by its errors, and one for something else is told as it is", () => {
  const faults = ["a.yaml:2:1: error: no", "a.yaml:3:1: warning: hm"].map(readFault);
  expect(refusals("invalid_input", faults).map((fault) => fault.line)).toEqual([2]);
  expect(refusals("not_found", faults)).toEqual([]);
});
