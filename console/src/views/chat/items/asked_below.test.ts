import { expect, it } from "vitest";
import { Recorded } from "../../../thread/doubles";
import { ThreadFold } from "../../../thread/fold";
import { askedBelow } from "./asked_below";

it("a sub-agent's question leads to its thread until it is answered", () => {
  const child = new Recorded("thr_b", "cook");
  const fold = new ThreadFold("thr_a");
  fold.take(child.kept("SUSPENDED", { waits: [{ wait_id: "approval:c:d:0", prompt: "May it?" }] }));
  expect(askedBelow(fold.view().below, [], "approval:c:d:0")).toEqual({ threadId: "thr_b", prompt: "May it?" });
  fold.take(child.kept("ANSWER", { wait_id: "approval:c:d:0", verdict: "approve", text: "" }));
  expect(askedBelow(fold.view().below, [], "approval:c:d:0")).toBeNull();
});

it("a question of a sub-agent that the page has nothing of is known from what people are asked now", () => {
  const row = { thread_id: "thr_c", run_id: "run_1", id: "approval:c:d:0", prompt: "May it?" };
  expect(askedBelow(new Map(), [row], row.id)).toEqual({ threadId: "thr_c", prompt: "May it?" });
  expect(askedBelow(new Map(), [row], "approval:other:d:0")).toBeNull();
});
