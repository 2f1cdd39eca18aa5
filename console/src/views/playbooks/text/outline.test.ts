import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { outline, stepAt } from "./outline";
import { needOf, stepsGraph } from "./steps_graph";

const TEXT = `name: a
steps:
  - id: kind
    router: What?
    routes: {sales: x, other: y}
  - {id: help, needs: [kind.other, {kind: failure}], tool: bash}
  - id: each
    title: Every one
    loop:
      for_each: \${{ inputs.rows }}
      steps:
        - {id: one, set: {a: 1}}
        - {id: two, break: true}
  - id: both
    parallel:
      branches:
        left: [{id: l, wait: 1s}]
        right: [{id: r, playbook: other}]
on_error:
  - {id: alarm, respond: No.}
finally:
  - {id: clean, tool: bash}
`;

test("steps are told with their kinds, lists and needs", () => {
  const of = outline(TEXT);
  expect(of.steps.map((step) => [step.key, step.kind, step.list])).toEqual([
    ["kind", "router", "steps"], ["help", "tool", "steps"], ["each", "loop", "steps"], ["one", "set", "each"], ["two", "break", "each"],
    ["both", "parallel", "steps"], ["l", "wait", "both/left"], ["r", "playbook", "both/right"], ["alarm", "respond", "on_error"],
    ["clean", "tool", "finally"],
  ]);
  expect(of.steps[1]?.needs).toEqual([
    { id: "kind", way: "other", how: "success", said: true }, { id: "kind", way: "", how: "failure", said: true },
  ]);
  expect(of.steps[4]?.needs).toEqual([{ id: "one", way: "", how: "success", said: false }]);
});

test("a place in the text is within the innermost step", () => {
  const of = outline(TEXT);
  expect(stepAt(of, TEXT.indexOf("break"), TEXT)?.key).toBe("two");
  expect(stepAt(of, TEXT.indexOf("for_each"), TEXT)?.key).toBe("each");
  expect(stepAt(of, TEXT.indexOf("name:"), TEXT)).toBeNull();
});

test("the graph has boxes in boxes, ways as words, and what follows a failure", () => {
  const graph = stepsGraph(outline(TEXT));
  const within = Object.fromEntries(graph.nodes.map((node) => [node.id, node.within]));
  expect(within).toMatchObject({ one: "each", l: "branch:both/left", "branch:both/left": "both", alarm: "section:on_error", kind: null });
  const edges = graph.edges.map((edge) => `${edge.from}>${edge.to} ${edge.tone} ${edge.label}`.trim());
  expect(edges).toContain("kind>help way other");
  expect(edges.some((edge) => edge.startsWith("kind>help failure"))).toBe(true);
  expect(edges).toContain("help>each plain");
  expect(edges).toContain("both>section:on_error failure");
  expect(edges).toContain("section:on_error>section:finally always");
});

test("an arrow tells the need that it stands for, and one to a section none", () => {
  const of = outline(TEXT.replace("  - id: each\n", "  - id: each\n    needs: [help, kind]\n"));
  const needs = stepsGraph(of).edges.map((edge) => [edge.from, needOf(of, edge)]);
  expect(needs).toContainEqual(["kind", { before: "help", need: "kind.other" }]);
  expect(needs).toContainEqual(["kind", { before: "help", need: "{kind: failure}" }]);
  expect(needs).toContainEqual(["kind", { before: "each", need: "kind" }]);
  expect(needs).toContainEqual(["help", { before: "each", need: "help" }]);
  expect(needs).toContainEqual(["both", null]);
});

test("a text that is half written gives what can be read, and never an error", () => {
  for (let end = 0; end < TEXT.length; end += 3) {
    const of = outline(TEXT.slice(0, end));
    const keys = of.steps.map((step) => step.key);
    expect(new Set(keys).size).toBe(keys.length);
    stepsGraph(of);
  }
  for (const odd of ["- a", "steps: text", "steps: [1, null, [x]]", "steps:\n  - id: a\n  - id: a\n", "a: &x [*x]", "\t"]) stepsGraph(outline(odd));
});

test("every playbook that comes with the home has a graph of all of its steps", () => {
  const folder = join(process.cwd(), "../workflows");
  const files = readdirSync(folder).filter((name) => name.endsWith(".yaml") && !name.endsWith(".test.yaml"));
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const of = outline(readFileSync(join(folder, file), "utf8"));
    const graph = stepsGraph(of);
    expect(of.readable).toBe(true);
    expect(of.steps.every((step) => step.kind !== "" && step.id !== "")).toBe(true);
    expect(graph.nodes.length).toBeGreaterThanOrEqual(of.steps.length);
  }
});
