import { expect, test } from "vitest";
import { indentBehind } from "./indent";

test.each([
  ["name: a", 0],
  ["inputs:", 2],
  ["inputs:  # what it takes", 2],
  ["inputs:\n  who:", 4],
  ["steps:", 2],
  ["steps:\n  - id: x", 4],
  ["steps:\n  - id: x\n    routes:", 6],
  ["steps:\n  - - deep: 1", 6],
  ["steps:\n  - id: x\n    prompt: |", 6],
  ["steps:\n  - id: x\n    prompt: >-  # long", 6],
  ["steps:\n  - |", 6],
  ["  ", 2],
  ["a: 'not # a comment:'", 0],
])("behind %j a line begins at the column %i", (text, column) => {
  expect(indentBehind(text)).toBe(column);
});

test("within a text of several lines each line begins where the one above it does", () => {
  const head = "steps:\n  - id: x\n    prompt: |\n      You answer:";
  expect(indentBehind(head)).toBe(6);
  expect(indentBehind(`${head}\n        - nested:`)).toBe(8);
  expect(indentBehind(`${head}\n\n    tools:`)).toBe(6);
});

test("between brackets the editor's own rule holds", () => {
  for (const text of ["steps: [", "with: {a: 1,"]) expect(indentBehind(text)).toBeNull();
});
