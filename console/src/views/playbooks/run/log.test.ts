import { expect, test } from "vitest";
import type { ThreadEvent } from "../../../protocol/wire";
import { ThreadFold } from "../../../thread/fold";
import { answerOf, logLines, openQuestions } from "./log";

function event(seq: number, type: string, data: Record<string, unknown>): ThreadEvent {
  return { thread_id: "thr_1", seq, run_id: "run_1", parent_run_id: null, agent: "sulla", depth: 0, type, at: "2027-01-15T08:00:00.000Z", data } as unknown as ThreadEvent;
}

const RECORDS = [
  event(1, "PLAYBOOK", { what: "RUN_STARTED" }),
  event(2, "PLAYBOOK", { what: "STEP_STARTED", at: "a@0" }),
  event(3, "PLAYBOOK", { what: "STEP_FAILED", at: "a@0", detail: { failure: { kind: "transient", reason: "tool", message: "no" } } }),
  event(4, "PLAYBOOK", { what: "STEP_COMPLETED", at: "ab", detail: { route: "yes" } }),
  event(5, "TEXT_MESSAGE_END", { text: "x" }),
];

test("the log tells what happened to the run, the newest last, no more than is asked for", () => {
  expect(logLines(RECORDS, null, 10).map((line) => line.text)).toEqual(["run started", "a@0 · step started", "a@0 · step failed · tool: no", "ab · step completed · yes"]);
  expect(logLines(RECORDS, null, 1).map((line) => line.text)).toEqual(["ab · step completed · yes"]);
});

test("the log says that a step has not begun which only another's failure kept from it", () => {
  const kept = event(6, "PLAYBOOK", { what: "STEP_FAILED", at: "c", detail: { failure: { kind: "permanent", reason: "upstream", message: "a has failed" } } });
  expect(logLines([kept], null, 10).map((line) => line.text)).toEqual(["c · not begun · upstream: a has failed"]);
});

test("the log of a step is of that step alone, and of one pass where one is named", () => {
  expect(logLines(RECORDS, "a", 10)).toHaveLength(2);
  expect(logLines(RECORDS, "a@1", 10)).toHaveLength(0);
});

test("questions are open until they are answered", () => {
  const fold = new ThreadFold("thr_1");
  fold.take(event(1, "RUN_STARTED", { message_id: "m" }));
  fold.take(event(2, "SUSPENDED", { resting: false, waits: [{ wait_id: "human:x", prompt: "Good?" }, { wait_id: "time:y" }] }));
  expect(openQuestions(fold.view())).toMatchObject([{ waitId: "human:x", asks: "human", prompt: "Good?" }]);
  fold.take(event(3, "ANSWER", { wait_id: "human:x", verdict: "approve", text: "" }));
  expect(openQuestions(fold.view())).toEqual([]);
});

test("an answer says whose it is, and a run that the daemon's end cut off says that it went on", () => {
  const started = event(2, "PLAYBOOK", { what: "STEP_STARTED", at: "ask" });
  const child = event(3, "CHILD_STARTED", { id: "c1", thread_id: "thr_2", agent: "writer" });
  const answer = event(4, "ANSWER", { wait_id: "child:c1", text: "" });
  const told = (...records: ThreadEvent[]): string | undefined => logLines(records, null, 10).at(-1)?.text;
  expect(told(started, child, answer)).toBe("the answer of writer to the step ask has come");
  expect(told(started, event(2, "PLAYBOOK", { what: "STEP_STARTED", at: "b" }), child, answer)).toBe("the answer of writer has come");
  expect(told(event(5, "ANSWER", { wait_id: "human:x", verdict: "approve", by: "ann", text: "" }))).toBe("answered · approve · ann");
  expect(told(event(6, "RESUMED", { reason: "crashed" }))).toBe("went on after the daemon had ended");
  expect(logLines([event(7, "RESUMED", { reason: "answered" })], null, 10)).toEqual([]);
});

test("an answered question tells what was said to it, and one that was taken back tells nothing", () => {
  const fold = new ThreadFold("thr_1");
  fold.take(event(1, "RUN_STARTED", { message_id: "m" }));
  fold.take(event(2, "SUSPENDED", { resting: true, waits: [{ wait_id: "answer:a", prompt: "Which?", choices: ["red"] }, { wait_id: "human:b", prompt: "Good?" }] }));
  const [which, good] = openQuestions(fold.view());
  fold.take(event(3, "ANSWER", { wait_id: "answer:a", verdict: "result", text: "red" }));
  fold.take(event(4, "RUN_FINISHED", { outcome: { status: "done" } }));
  expect(which && answerOf(fold.view(), which)).toMatchObject({ verdict: "result", text: "red" });
  expect(good && answerOf(fold.view(), good)).toBeNull();
});

test("a question of a tool says where its call would go, by which it is known whether it can be allowed for a time", () => {
  const fold = new ThreadFold("thr_1");
  fold.take(event(1, "SUSPENDED", { resting: true, waits: [{ wait_id: "approval:c:d:0", prompt: "May it?", tool: "remind_user", target: "*" }] }));
  expect(openQuestions(fold.view())).toMatchObject([{ asks: "approval", tool: "remind_user", target: "*" }]);
});
