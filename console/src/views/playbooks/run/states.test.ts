import { expect, test } from "vitest";
import type { StepRow } from "../../../protocol/generated";
import { acts, againWord, idOf, nodeStates, passOf, runState, stepAtWork, stepState, wouldStand, wouldWord } from "./states";

function row(at: string, status: string, more: Partial<StepRow> = {}): StepRow {
  return {
    at, kind: "tool", status, tries: 1, started_at: "2027-01-15T08:00:00.000Z", ended_at: null, output: null, route: "", error: "", tokens: 0, cost: 0,
    note: "", given: null, result: null, ...more,
  };
}

test("an address tells its step and its pass, counted from 1", () => {
  expect([idOf("think@2.0"), passOf("think@2.0"), passOf("think")]).toEqual(["think", "3.1", ""]);
});

test("a step is shown as what works in it, else as its newest pass", () => {
  const states = nodeStates(["a", "b", "c", "d"], [
    row("a@0", "completed"), row("a@1", "running"), row("b@0", "failed"), row("b@1", "completed"), row("c", "completed", { route: "yes", tries: 2 }),
  ]);
  expect(states.get("a")?.tone).toBe("accent");
  expect(states.get("b")).toEqual({ tone: "good", word: "done · 2 passes · 1 failed" });
  expect(states.get("c")?.word).toBe("done · 2 tries · → yes");
  expect(states.get("d")?.word).toBe("not begun");
});

test("what only another step's failure kept from beginning has not begun", () => {
  const states = nodeStates(["a", "b", "c"], [
    row("a", "failed", { error: "tool: no such file" }), row("b", "failed", { tries: 0, error: "upstream: a has failed" }), row("c", "failed", { tries: 0, error: "deadline: too late" }),
  ]);
  expect(["a", "b", "c"].map((id) => states.get(id))).toEqual([{ tone: "bad", word: "failed" }, { tone: "plain", word: "not begun" }, { tone: "bad", word: "failed" }]);
});

test("a word that is not known is shown as it is", () => {
  expect(nodeStates(["a"], [row("a", "strange")]).get("a")).toEqual({ tone: "plain", word: "strange" });
});

test("what may be done hangs on how the run stands", () => {
  const of = (status: string): string[] => Object.entries(acts({ status } as never)).flatMap(([name, may]) => (may ? [name] : []));
  expect(of("running")).toEqual(["pause", "cancel"]);
  expect(of("paused")).toEqual(["resume", "step", "cancel"]);
  expect(of("failed")).toEqual(["again", "from"]);
  expect(of("completed")).toEqual(["from"]);
});

test("what a step waits for is said, and an agent that works is at work", () => {
  const at = new Date(new Date().setHours(12, 4, 5, 0)).toISOString();
  expect(stepState(row("a", "waiting", { kind: "agent" }))).toEqual({ tone: "accent", word: "at work" });
  expect(stepState(row("a", "waiting", { note: `tries again at ${at}` })).word).toMatch(/^tries again at 12:04:05/);
  expect(stepState(row("a", "waiting", { kind: "wait", note: `until ${at}` })).word).toMatch(/^waits until 12:04:05/);
  expect(stepState(row("a", "waiting", { kind: "human", note: "a person: Good?" })).word).toBe("asks a person");
  expect(stepState(row("a", "completed")).word).toBe("done");
});

test("a run that waits says for what", () => {
  const rows = [row("a", "completed"), row("b", "waiting", { kind: "agent" })];
  expect(runState("waiting", rows, false).word).toBe("at work");
  expect(runState("waiting", rows, true).word).toBe("asks a person");
  expect(runState("waiting", [], false).word).toBe("waiting");
  expect(runState("paused", rows, true).word).toBe("paused");
});

test("a run that was cancelled goes on from where it was cut off", () => {
  expect(againWord("cancelled")).toMatch(/cut off/);
  expect(againWord("failed")).toMatch(/failed/);
});

test("what a dry run has gone through is told as what would be, and is drawn unlike what was done", () => {
  expect([wouldWord("completed"), wouldWord("failed"), wouldWord("skipped")]).toEqual(["would be done", "would fail", "skipped"]);
  expect(wouldStand("completed", "Hello")).toEqual({ tone: "good", word: "would be done · Hello", supposed: true });
  expect(stepState(row("a", "completed")).supposed).toBeUndefined();
});

test("the step at work is the one that began last of those that work, else one that waits", () => {
  expect(stepAtWork([row("loop", "running"), row("think@0", "completed"), row("think@1", "running"), row("ask", "waiting")])).toBe("think");
  expect(stepAtWork([row("a", "completed"), row("ask", "waiting", { kind: "human" })])).toBe("ask");
  expect(stepAtWork([row("a", "completed")])).toBe("");
});
