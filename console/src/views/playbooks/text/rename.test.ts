import { expect, test } from "vitest";
import { applied, CannotEdit } from "./edit";
import { renameStep } from "./rename";

const TEXT = `steps:
  - id: read   # a page
    tool: read_file
  - id: reader
    when: \${{ steps.read.output != steps['read'].error }}
    needs: [read, {read.x: always}, "read"]
    respond: steps.read stays, and \${{ steps.reader.output }} too
  - loop: {count: 2, steps: [{set: {a: "\${{ steps.read.output }}"}}]}
`;

function renamed(text: string, key: string, id: string): string {
  return applied(text, renameStep(text, key, id).changes);
}

test("what needs a step and expressions that name it name it by its new id, and nothing else changes", () => {
  expect(renamed(TEXT, "read", "page")).toBe(`steps:
  - id: page   # a page
    tool: read_file
  - id: reader
    when: \${{ steps.page.output != steps['page'].error }}
    needs: [page, {page.x: always}, "page"]
    respond: steps.read stays, and \${{ steps.reader.output }} too
  - loop: {count: 2, steps: [{set: {a: "\${{ steps.page.output }}"}}]}
`);
});

test("a step without an id gets one, in one line and in several", () => {
  expect(renamed(TEXT, "#steps.2", "again")).toContain("  - id: again\n    loop: {");
  expect(renamed(TEXT, "#steps.2.loop.steps.0", "one")).toContain("[{id: one, set: {");
  expect(renamed("steps:\n  - id:\n    wait: 1s\n", "#steps.0", "rest")).toBe("steps:\n  - id: rest\n    wait: 1s\n");
});

test("of two steps with one id only the one that was meant changes", () => {
  const text = "steps:\n  - {id: a, wait: 1s}\n  - {id: a, wait: 2s}\n  - {id: b, needs: a, wait: 3s}\n";
  expect(renamed(text, "a#2", "c")).toBe(text.replace("{id: a, wait: 2s}", "{id: c, wait: 2s}"));
});

test.each([["1st", "badId"], ["a-b", "badId"], ["reader", "taken"]])("%s cannot be the new id: %s", (id, why) => {
  expect(() => renameStep(TEXT, "read", id)).toThrow(new CannotEdit(why as "taken", id));
});

test("the same id changes nothing", () => {
  expect(renameStep(TEXT, "read", "read").changes).toEqual([]);
});
