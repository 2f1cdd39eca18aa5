import { expect, test } from "vitest";
import { readCases, readWays } from "./rehearsal";

test("tests are read with what they missed, and where in their file", () => {
  const row = {
    playbook: "lead", test: "silence", ok: false, file: "workflows/lead.test.yaml", line: 1, took_ms: null,
    misses: [{ line: 3, column: 1, message: "expected failed" }],
  };
  const read = readCases({ cases: [row], faults: [], cut: true });
  expect(read).toEqual({ cases: [{ name: "silence", ok: false, misses: ["3: expected failed"] }], faults: [], cut: true });
  expect(readCases({ faults: ["a.test.yaml:1:1: error: x [y]"], cases: [], cut: false }).faults).toEqual(["a.test.yaml:1:1: error: x [y]"]);
});

test("ways are read with what each step would come to and call, and what would be refused", () => {
  const { ways } = readWays({
    ways: [{
      chosen: { kind: "sales" }, status: "completed", failure: null, assumed: ["one entry"], told: ["Done."], outputs: {},
      asked: ["a person is asked at 'put'"], model_calls: 1, tokens: 12, cost: null,
      steps: [
        { at: "kind", kind: "router", status: "completed", route: "sales", why: "" },
        { at: "help", kind: "tool", status: "skipped", route: "", why: "kind went sales" },
      ],
      calls: [{ at: "send", tool: "http", effect: "once", args: { url: "a" }, refused: "no address" }],
    }],
    cut: false,
  });
  expect(ways[0]).toMatchObject({ chosen: "kind → sales", failure: "", asked: ["a person is asked at 'put'"], calls: [{ at: "send", text: 'http {"url":"a"}', refused: "no address" }] });
  expect(ways[0]?.steps.map((step) => step.what)).toEqual(["sales", "kind went sales"]);
});
