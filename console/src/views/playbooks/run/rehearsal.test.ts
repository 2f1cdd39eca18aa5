import { expect, test } from "vitest";
import { readCases, readWays } from "./rehearsal";

test("tests are read with what they missed, in a list or in a field", () => {
  const row = { test: "silence", ok: false, misses: [{ line: 3, column: 1, message: "expected failed" }] };
  for (const answer of [[row], { cases: [row] }, { tests: [row] }]) {
    expect(readCases(answer).cases).toEqual([{ name: "silence", ok: false, misses: ["3: expected failed"] }]);
  }
  expect(readCases({ faults: ["a.test.yaml:1:1: error: x [y]"], cases: [] })).toEqual({ cases: [], faults: ["a.test.yaml:1:1: error: x [y]"] });
});

test("ways are read with what each step would come to and call", () => {
  const { ways } = readWays({
    ways: [{
      chosen: { kind: "sales" }, status: "completed", failure: null, assumed: ["one entry"], told: ["Done."],
      steps: [{ at: "kind", status: "completed", route: "sales", why: "" }, { at: "help", status: "skipped", route: "", why: "kind went sales" }],
      calls: [{ at: "send", tool: "write_file", args: { path: "a" } }],
    }],
  });
  expect(ways[0]).toMatchObject({ chosen: "kind → sales", calls: [{ at: "send", text: 'write_file {"path":"a"}' }] });
  expect(ways[0]?.steps.map((step) => step.what)).toEqual(["sales", "kind went sales"]);
});

test("an answer of another form gives nothing, and no error", () => {
  for (const odd of [null, 1, "x", {}, [null], { cases: "x" }, { ways: [1] }]) {
    readCases(odd);
    readWays(odd);
  }
});
