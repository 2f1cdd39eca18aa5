import { expect, test } from "vitest";
import { faultRange, readFault, toCheck } from "./faults";

test("an empty text is checked too, and its fault stands at its beginning", () => {
  expect(toCheck("")).not.toBe("");
  expect(toCheck("name: a")).toBe("name: a");
  const fault = readFault("a.yaml:1:1: error: expected keys and values");
  expect(fault).toMatchObject({ line: 1, column: 1, severity: "error" });
  expect(faultRange("", fault)).toEqual({ from: 0, to: 0 });
});
