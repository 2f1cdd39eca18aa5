import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { faultRange, readFault } from "./faults";
import { keyAt, placeAt } from "./place";
import { hoverAt, keysAt, valuesAt, type Schema } from "./schema";

const SCHEMA = JSON.parse(readFileSync(join(process.cwd(), "../sulla/playbooks/file/playbook.schema.json"), "utf8")) as Schema;

function keys(text: string): string[] {
  const at = text.indexOf("|");
  const place = placeAt(text.replace("|", ""), at);
  expect(place?.what).toBe("key");
  return keysAt(SCHEMA, place?.path ?? [], place?.value, place?.there).map((offer) => offer.key);
}

function values(text: string): string[] {
  const at = text.indexOf("|");
  const place = placeAt(text.replace("|", ""), at);
  expect(place?.what).toBe("value");
  return valuesAt(SCHEMA, place?.path ?? [], place?.value).map((offer) => offer.value);
}

test("at the top the keys of the file are offered, those that stand there left out", () => {
  const found = keys("name: a\n|\n");
  expect(found).toContain("steps");
  expect(found).not.toContain("name");
  expect(found[0]).toBe("steps");
});

test("a step that does nothing yet is offered every kind, and one that does something the keys of its kind", () => {
  expect(keys("steps:\n  - id: a\n    |\n")).toEqual(expect.arrayContaining(["agent", "tool", "router", "loop", "needs"]));
  const router = keys("steps:\n  - id: a\n    router: What?\n    |\n");
  expect(router).toContain("routes");
  expect(router).not.toContain("prompt");
  expect(router[0]).toBe("routes");
  expect(keys("steps:\n  - |\n")).toContain("id");
});

test("keys are found in one line, in loops and in branches, and with a half word before them", () => {
  expect(keys("steps:\n  - {id: a, tool: bash, wi|}\n")).toContain("with");
  expect(keys("steps:\n  - id: l\n    loop:\n      |\n")).toEqual(expect.arrayContaining(["for_each", "steps"]));
  expect(keys("steps:\n  - id: l\n    loop:\n      count: 2\n      steps:\n        - id: x\n          agent: sulla\n          pro|\n")).toContain("prompt");
  expect(keys("steps:\n  - id: p\n    parallel:\n      branches:\n        one:\n          - id: x\n            wait: 1s\n            ti|\n")).toContain("timeout");
  expect(keys("concurrency:\n  |\n")).toEqual(["key", "limit", "when_full"]);
});

test("values that the schema names are offered", () => {
  expect(values("concurrency:\n  when_full: |\n")).toEqual(["queue", "skip", "cancel_old"]);
  expect(values("concurrency: {when_full: s|}\n")).toContain("skip");
  expect(values("inputs:\n  a: {type: |}\n")).toContain("integer");
  expect(values("steps:\n  - id: a\n    tool: bash\n    on_failure: |\n")).toEqual(["fail", "go_on"]);
  expect(values("steps:\n  - id: m\n    merge: |\n")).toEqual(["all", "first"]);
});

test("in comments and expressions nothing is offered", () => {
  expect(placeAt("name: a # x", 10)).toBeNull();
  expect(placeAt("when: ${{ steps.", 16)).toBeNull();
});

test("a key says what it is for", () => {
  const text = "steps:\n  - id: a\n    router: What?\n    default: x\n";
  const found = keyAt(text, text.indexOf("default") + 2);
  expect(found).not.toBeNull();
  expect(hoverAt(SCHEMA, found?.path ?? [], found?.value)).toMatch(/without an answer/);
  expect(keyAt(text, text.indexOf("What"))).toBeNull();
});

test("a text that cannot be read, or refers in a circle, ends all the same", () => {
  for (const odd of ["a: [", "a: *b", "{{{", "- - - ", "a: !!x y", "\t:"]) for (let at = 0; at <= odd.length; at++) placeAt(odd, at);
  expect(keysAt({ $ref: "#" }, ["a"], {})).toEqual([]);
});

test("a fault is taken apart", () => {
  expect(readFault("workflows/a.yaml:3:5: error: expected text: a [value]")).toEqual({ line: 3, column: 5, severity: "error", cause: "expected text: a", rule: "value" });
  expect(readFault("a.yaml:1:1: `steps` is missing [missing-key]")).toMatchObject({ severity: "error", rule: "missing-key" });
  expect(readFault("a.yaml:9:1: warning: never used [secret-unused]").severity).toBe("warning");
  expect(readFault("something else")).toEqual({ line: 1, column: 1, severity: "error", cause: "something else", rule: "" });
});

test("a fault stands at its word, also behind letters of two units, and never outside of the text", () => {
  const text = "name: 😀 bad\nlast";
  expect(text.slice(...Object.values(faultRange(text, readFault("f:1:9: error: x [y]"))) as [number, number])).toBe("bad");
  for (const place of ["1:99", "99:1", "2:5", "1:1"]) {
    const { from, to } = faultRange(text, readFault(`f:${place}: error: x [y]`));
    expect(from).toBeGreaterThanOrEqual(0);
    expect(to).toBeLessThanOrEqual(text.length);
    expect(to).toBeGreaterThanOrEqual(from);
  }
  expect(faultRange("", readFault("f:1:1: error: x [y]"))).toEqual({ from: 0, to: 0 });
});
