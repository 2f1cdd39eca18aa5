import { expect, test } from "vitest";
import { asWritten, formSpecs, inputSpecs, readInputs, sends } from "./inputs";

const SPECS = inputSpecs({
  lead: { type: "string", required: true, default: null, description: "Who" },
  who: { type: "string", required: false, default: "somebody", description: "" },
  most: { type: "integer", required: false, default: 3, description: "" },
  rate: { type: "number", required: false, default: null, description: "" },
  rows: { type: "list", required: false, default: [1], description: "" },
  more: { type: "object", required: false, default: null, description: "" },
  loud: { type: "boolean", required: false, default: false, description: "" },
  level: { type: "integer", required: false, default: null, description: "", choices: [1, 2] },
});

function written(over: Record<string, string>): Map<string, string> {
  return new Map([...SPECS.map((spec) => [spec.name, asWritten(spec)] as const), ...Object.entries(over)]);
}

test("fields begin with the defaults, and what they say has its type", () => {
  const { values, faults } = readInputs(SPECS, written({ lead: "Ann", rate: "1.5", more: '{"a": 1}', level: "2" }));
  expect(faults.size).toBe(0);
  expect(values).toEqual({ lead: "Ann", who: "somebody", most: 3, rate: 1.5, rows: [1], more: { a: 1 }, loud: false, level: 2 });
});

test("what is required and empty, or of another type, is a fault of its field", () => {
  const { faults } = readInputs(SPECS, written({ most: "1.5", rate: "x", rows: "{}", more: "[", lead: "" }));
  expect(Object.fromEntries(faults)).toEqual({ lead: "missing", most: "integer", rate: "number", rows: "list", more: "json" });
});

test("what is left empty is left out, and an emptied text is an empty text", () => {
  const { values } = readInputs(SPECS, written({ lead: "x", most: "", who: "" }));
  expect("most" in values).toBe(false);
  expect(values.who).toBe("");
});

test("what a daemon tells in another form is taken as text", () => {
  expect(inputSpecs({ a: null, b: { type: "strange" } }).map((spec) => spec.type)).toEqual(["string", "string"]);
});

test("a question's form has a field for each property, and one that is none of named fields stays JSON", () => {
  const form = {
    type: "object", required: ["city"],
    properties: { city: { type: "string", description: "Where" }, days: { type: "integer" }, pace: { enum: ["slow", "fast"] }, tags: { type: "array" } },
  };
  const specs = formSpecs(form) ?? [];
  expect(specs.map((spec) => [spec.name, spec.type, spec.required])).toEqual([
    ["city", "string", true], ["days", "integer", false], ["pace", "string", false], ["tags", "list", false],
  ]);
  const { values, faults } = readInputs(specs, new Map([["days", "x"], ["pace", "fast"]]));
  expect([...faults]).toEqual([["city", "missing"], ["days", "number"]]);
  expect(values).toEqual({ pace: "fast" });
  expect(formSpecs({ type: "array", items: {} })).toBeNull();
  expect(formSpecs({ properties: { a: { anyOf: [] } } })).toBeNull();
  expect(formSpecs(null)).toBeNull();
});

test("Ctrl-Enter and Cmd-Enter send", () => {
  expect(sends({ key: "Enter", ctrlKey: true, metaKey: false })).toBe(true);
  expect(sends({ key: "Enter", ctrlKey: false, metaKey: true })).toBe(true);
  expect(sends({ key: "Enter", ctrlKey: false, metaKey: false })).toBe(false);
});
