import { describe, expect, it } from "vitest";
import { cards, columns, elsewhere, isActive, page, planOf, progressText, runsOf, sameCard, STATES, wantsWhy, type Task } from "./cards";

const task = (text: string, more: Partial<Task> = {}): Task => ({
  text, done: false, blocked: "", depth: 0, state: "pending", id: "", depends_on: [], ...more,
});

describe("a project's board", () => {
  it("how far it is stands in words, with what is in the way if anything is", () => {
    expect(progressText({ tasks: 5, done: 3, blocked: 1 })).toBe("3 of 5 done, 1 blocked");
    expect(progressText({ tasks: 1, done: 0, blocked: 0 })).toBe("0 of 1 done");
  });

  it("parts of a task stand below it, however deep", () => {
    const all = cards([task("Dig"), task("Buy a spade", { depth: 1 }), task("Ask Ana", { depth: 3 }), task("Pay", { depth: 1 }), task("Sow")]);
    expect(all.map((card) => card.text)).toEqual(["Dig", "Sow"]);
    expect(all[0]?.below.map((card) => [card.text, card.below.map((below) => below.text)])).toEqual([["Buy a spade", ["Ask Ana"]], ["Pay", []]]);
  });

  it("each card is in the column of its state, in the order of the file", () => {
    const all = cards([task("a", { state: "completed" }), task("b"), task("c", { state: "failed" }), task("d")]);
    expect(columns(all).map(({ state, cards: held }) => [state, held.map((card) => card.text)])).toEqual([
      ["pending", ["b", "d"]], ["in_progress", []], ["blocked", []], ["failed", ["c"]], ["completed", ["a"]],
    ]);
  });

  it("parts of tasks count where they stand, so that the columns come to the project's own figures", () => {
    const all = cards([task("a"), task("b", { depth: 1, state: "completed" }), task("c", { depth: 2, state: "blocked" }), task("d", { state: "completed" })]);
    expect(columns(all).map(({ state, tasks }) => [state, tasks])).toEqual([
      ["pending", 1], ["in_progress", 0], ["blocked", 1], ["failed", 0], ["completed", 2],
    ]);
  });

  it("a state that this page does not know is shown as one whose turn has not come", () => {
    expect(cards([task("a", { state: "dreaming" })])[0]?.state).toBe("pending");
  });

  it("dependencies are told by the words of their tasks, and whether they are done", () => {
    const all = cards([task("Dig", { id: "dig", done: true, state: "completed" }), task("Sow", { id: "sow", depends_on: ["dig", "gone"] })]);
    expect(all[1]?.after).toEqual([{ text: "Dig", done: true }, { text: "gone", done: false }]);
  });

  it("a card keeps its key when it moves, and two of the same words have two keys", () => {
    const before = cards([task("a"), task("a"), task("b", { id: "bee" })]);
    const after = cards([task("a", { state: "completed" }), task("a"), task("b", { id: "bee", state: "blocked" })]);
    expect(before.map((card) => card.key)).toEqual(after.map((card) => card.key));
    expect(new Set(before.map((card) => card.key)).size).toBe(3);
  });

  it("a card can go to every state but its own; only tasks of a plan are worked on and fail", () => {
    const targets = cards([task("a", { state: "failed", id: "a" }), task("b")]).map(elsewhere);
    expect(targets).toEqual([["pending", "in_progress", "blocked", "completed"], ["blocked", "completed"]]);
  });

  it("is known by its place in the file, and tells what is in its way", () => {
    const all = cards([task("a", { number: 1, blocked: "frost" }), task("b", { number: 2, failed: "no wood" })]);
    expect(all.map(({ number, why }) => [number, why])).toEqual([[1, "frost"], [2, "no wood"]]);
    expect(STATES.filter(wantsWhy)).toEqual(["blocked", "failed"]);
  });
});

describe("a project's file", () => {
  it("is told apart into front matter and text", () => {
    expect(page('---\ntitle: "Garden"\nplan: thr_1\nlist:\n  - x\n---\n# Garden\n\n---\n')).toEqual({
      front: { title: "Garden", plan: "thr_1", list: "" }, body: "# Garden\n\n---\n",
    });
  });

  it("without front matter, or with one that has no end, is text", () => {
    for (const text of ["# Garden\n---\na: b\n---\n", "---\ntitle: x\n# Garden\n", "", "--- x\n---\n"]) {
      expect(page(text)).toEqual({ front: {}, body: text });
    }
  });

  it("with lines as another system ends them is read the same", () => {
    expect(page("---\r\nrun: thr_2\r\n---\r\ntext")).toEqual({ front: { run: "thr_2" }, body: "text" });
  });

  it("names its runs, one that did both once", () => {
    expect(runsOf({ plan: "a", run: "b" })).toEqual([{ run: "b", what: "work" }, { run: "a", what: "plan" }]);
    expect(runsOf({ plan: "a", run: "a" })).toEqual([{ run: "a", what: "both" }]);
    expect(runsOf({})).toEqual([]);
  });
});

describe("a run and its plan", () => {
  it("a run that waits or is paused may still go on", () => {
    expect(["queued", "running", "waiting", "paused", "completed", "failed", "cancelled", "transferred"].filter(isActive)).toEqual([
      "queued", "running", "waiting", "paused",
    ]);
  });

  it("a plan of another form is shown as far as it can be", () => {
    expect(planOf({ goal: 3, tasks: [null, "x", { id: "dig", title: "Dig", depends_on: ["a", 1] }] })).toEqual({
      goal: "", strategy: "", tasks: [{ id: "dig", title: "Dig", description: "", after: ["a", ""], agent: "", success: "" }],
    });
    expect(planOf({ tasks: "none" }).tasks).toEqual([]);
  });
});

describe("a card in a file that somebody else has changed", () => {
  const task = (text: string, more = {}) => ({ text, state: "pending", done: false, id: "", depth: 0, depends_on: [], blocked: "", failed: "", number: 0, ...more }) as Parameters<typeof cards>[0][number];
  const before = cards([task("Dig"), task("Sow", { number: 1, depth: 1 })]);
  const sow = before[0]?.below[0];

  it("is found at its new place while its words and state are the same", () => {
    const now = cards([task("Buy"), task("Dig", { number: 1 }), task("Sow", { number: 2, depth: 1 })]);
    expect(sow === undefined ? null : sameCard(now, sow)?.number).toBe(2);
  });

  it("is not found where it is another, or gone", () => {
    if (sow === undefined) throw new Error("no card");
    expect(sameCard(cards([task("Sow", { state: "completed", done: true })]), sow)).toBeNull();
    expect(sameCard(cards([task("Reap")]), sow)).toBeNull();
  });
});
