import { parseDocument } from "yaml";
import { expect, test } from "vitest";
import { applied, CannotEdit, connect, deleteStep, difference, disconnect, insertStep } from "./edit";
import { KINDS, outline } from "./outline";

const TEXT = `# What it is for stands here.
name: triage
steps:
  # It sorts.
  - id: kind   # by a model
    router: What is it?
    routes:
      sales: buys   # the good case
      other: else

  # It looks things up.
  - id: research
    needs: [kind.sales]
    agent: sulla
    prompt: |
      Find facts.
      Two of them.

  - {id: keep, tool: write_file, with: {path: a.md}}
  - id: after
    needs:
      - research   # for its facts
      - {keep: always}
    respond: Done.
# The end.
`;

function js(text: string): { steps: Record<string, unknown>[] } {
  const document = parseDocument(text);
  expect(document.errors).toEqual([]);
  return document.toJS() as { steps: Record<string, unknown>[] };
}

function ids(text: string): unknown[] {
  return js(text).steps.map((step) => step.id);
}

test("each kind of step can be put behind each step, and the rest stays to the letter", () => {
  for (const kind of KINDS) {
    for (const after of ["kind", "research", "keep", "after"]) {
      const edit = insertStep(TEXT, kind, { after });
      const now = applied(TEXT, edit.changes);
      const found = ids(now);
      expect(found[found.indexOf(after) + 1]).toBe(kind === "tool" ? "tool" : edit.select);
      for (const line of TEXT.split("\n")) expect(now.split("\n")).toContain(line);
      expect(outline(now).steps.find((step) => step.id === edit.select)?.kind).toBe(kind);
    }
  }
});

test("a step goes to the end of a list, also of one in a loop, in a branch, in one line, or not there yet", () => {
  expect(ids(applied(TEXT, insertStep(TEXT, "wait", { list: "steps" }).changes)).at(-1)).toBe("wait");
  for (const empty of ["", "name: a\n", "name: a\nsteps:\n", "name: a\nsteps: []\n", "name: a"]) {
    expect(ids(applied(empty, insertStep(empty, "wait", { list: "steps" }).changes))).toEqual(["wait"]);
  }
  const flow = "name: a\nsteps: [{id: x, wait: 1s}]  # one\n";
  const now = applied(flow, insertStep(flow, "tool", { after: "x" }).changes);
  expect(ids(now)).toEqual(["x", "tool"]);
  expect(now).toContain("# one");
  const nested = applied(TEXT, insertStep(TEXT, "parallel", { after: "kind" }).changes);
  const inBranch = applied(nested, insertStep(nested, "wait", { list: "parallel/two" }).changes);
  expect(outline(inBranch).lists.get("parallel/two")?.keys).toEqual(["parallel_two", "wait"]);
  const loop = applied(TEXT, insertStep(TEXT, "loop", { after: "kind" }).changes);
  expect(outline(applied(loop, insertStep(loop, "break", { list: "loop" }).changes)).lists.get("loop")?.keys).toEqual(["loop_pass", "break"]);
  const late = applied(TEXT, insertStep(TEXT, "respond", { list: "on_error" }).changes);
  expect(outline(late).lists.get("on_error")?.keys).toEqual(["respond"]);
});

function between(text: string, before: string, need: string): string {
  return applied(text, insertStep(text, "wait", { before, need }).changes);
}

test("a step between two others needs what the second one needed, which needs it now; comments stay", () => {
  const behindWay = between(TEXT, "research", "kind.sales");
  expect(js(behindWay).steps.slice(0, 3)).toMatchObject([{ id: "kind" }, { id: "wait", needs: ["kind.sales"] }, { id: "research", needs: ["wait"] }]);
  const always = between(TEXT, "after", "{keep: always}");
  expect(js(always).steps.slice(3)).toMatchObject([{ id: "wait", needs: [{ keep: "always" }] }, { id: "after", needs: ["research", "wait"] }]);
  const block = between(TEXT, "after", "research");
  expect(js(block).steps[4]?.needs).toEqual(["wait", { keep: "always" }]);
  for (const now of [behindWay, always, block]) for (const comment of TEXT.match(/#.*/g) ?? []) expect(now).toContain(comment);
  expect(behindWay.indexOf("- id: wait")).toBeLessThan(behindWay.indexOf("# It looks things up."));
});

test("a step between two that follow each other by their order says no needs", () => {
  const now = between(TEXT, "keep", "research");
  expect(js(now).steps.map((step) => [step.id, step.needs])).toEqual([
    ["kind", undefined], ["research", ["kind.sales"]], ["wait", undefined], ["keep", undefined], ["after", ["research", { keep: "always" }]],
  ]);
  expect(outline(now).steps.find((step) => step.id === "keep")?.needs).toMatchObject([{ id: "wait", said: false }]);
});

test("a need that is one of several of one entry is replaced, too", () => {
  const text = "steps:\n  - {id: a, wait: 1s}\n  - {id: b, wait: 1s}\n  - id: c\n    needs: {a: always, b: failure}\n    wait: 1s\n";
  expect(js(between(text, "c", "{a: always}")).steps.slice(2)).toMatchObject([{ id: "wait", needs: [{ a: "always" }] }, { id: "c", needs: ["wait", { b: "failure" }] }]);
});

test("ids of new steps are free", () => {
  let text = "name: a\n";
  for (let time = 0; time < 3; time++) text = applied(text, insertStep(text, "loop", { list: "steps" }).changes);
  const all = outline(text).steps.map((step) => step.id);
  expect(new Set(all).size).toBe(all.length);
});

test("a step that goes takes its comment along, and what needed it needs what that had needed", () => {
  const now = applied(TEXT, deleteStep(TEXT, "research").changes);
  expect(ids(now)).toEqual(["kind", "keep", "after"]);
  expect(now).not.toContain("It looks things up");
  expect(js(now).steps[2]?.needs).toEqual(["kind.sales", { keep: "always" }]);
  for (const comment of ["# What it is for", "# It sorts.", "# by a model", "# the good case", "# The end."]) expect(now).toContain(comment);
  expect(now).not.toMatch(/\n\n\n/);
});

test("what hung on a way of a step that goes does not name it any more", () => {
  const now = applied(TEXT, deleteStep(TEXT, "kind").changes);
  expect(js(now).steps[0]).toMatchObject({ id: "research", needs: [] });
});

test("the only step leaves an empty list, in which another one can be put", () => {
  for (const text of ["name: a\nsteps:\n- id: x\n  wait: 1s\n", "name: a\nsteps: [{id: x, wait: 1s}]\n", "name: a\nsteps:\n  - id: x\n    wait: 1s\n# end\n"]) {
    const empty = applied(text, deleteStep(text, "x").changes);
    expect(js(empty).steps).toEqual([]);
    expect(ids(applied(empty, insertStep(empty, "fail", { list: "steps" }).changes))).toEqual(["fail"]);
  }
});

test("an arrow is one need more, beside the one that the order of steps gave", () => {
  const needs = (text: string, id: string): unknown => js(text).steps.find((step) => step.id === id)?.needs;
  const first = applied(TEXT, connect(TEXT, "kind", "keep").changes);
  expect(needs(first, "keep")).toEqual(["research", "kind"]);
  const block = applied(TEXT, connect(TEXT, "kind", "after").changes);
  expect(needs(block, "after")).toEqual(["research", { keep: "always" }, "kind"]);
  expect(block).toContain("# for its facts");
  const way = applied(TEXT, connect(TEXT, "kind", "after", "other").changes);
  expect(needs(way, "after")).toContain("kind.other");
  expect(connect(TEXT, "research", "after").changes).toEqual([]);
});

test("an arrow that goes is one need less, and with none left a step begins at once", () => {
  const now = applied(TEXT, disconnect(TEXT, "keep", "after").changes);
  expect(js(now).steps[3]?.needs).toEqual(["research"]);
  expect(now).toContain("# for its facts");
  expect(js(applied(TEXT, disconnect(TEXT, "kind", "research").changes)).steps[1]?.needs).toEqual([]);
  expect(js(applied(TEXT, disconnect(TEXT, "research", "keep").changes)).steps[2]?.needs).toEqual([]);
});

test("what cannot be connected says why", () => {
  const why = (run: () => unknown): string => {
    try {
      run();
    } catch (error) {
      if (error instanceof CannotEdit) return error.why;
    }
    return "";
  };
  expect(why(() => connect(TEXT, "after", "kind"))).toBe("circle");
  expect(why(() => connect(TEXT, "kind", "kind"))).toBe("itself");
  const loop = applied(TEXT, insertStep(TEXT, "loop", { after: "kind" }).changes);
  expect(why(() => connect(loop, "kind", "loop_pass"))).toBe("otherList");
  expect(why(() => insertStep(TEXT, "wait", { before: "after", need: "kind" }))).toBe("noStep");
  expect(why(() => insertStep("a: [\n", "wait", { list: "steps" }))).toBe("unreadable");
  expect(why(() => deleteStep(TEXT, "nobody"))).toBe("noStep");
});

test("a difference is one change, and makes the one text of the other", () => {
  for (const [one, other] of [["abc", "abXc"], ["aaa", "aa"], ["", "x"], ["same", "same"], ["abab", "ab"]] as const) {
    expect(applied(one, [difference(one, other)])).toBe(other);
  }
});
