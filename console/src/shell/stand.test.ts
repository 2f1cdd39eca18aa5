import { expect, it } from "vitest";
import { asksIn, standOf } from "./stand";

function rows(...all: [id: string, parent: string | null, asks: boolean][]) {
  return new Map(all.map(([thread_id, parent_thread_id, asks]) => [thread_id, { thread_id, parent_thread_id, question: asks ? { id: "q", prompt: "?" } : null }]));
}

it("a question stands before a pause, and a pause before what goes on", () => {
  expect(standOf({ asks: true, rests: true, paused: true })).toBe("asks");
  expect([standOf({ asks: false, rests: true, paused: true }), standOf({ asks: false, rests: false, paused: true })]).toEqual(["paused", "paused"]);
  expect([standOf({ asks: false, rests: true, paused: false }), standOf({ asks: false, rests: false, paused: false })]).toEqual(["waits", "works"]);
});

it("a conversation asks what one of its sub-agents asks, and no other conversation does", () => {
  const live = rows(["a", null, false], ["b", "a", false], ["c", "b", true], ["d", null, false]);
  expect(["a", "b", "c", "d"].map((id) => asksIn(live, id))).toEqual([true, true, true, false]);
});

it("threads that stand below each other in a circle come to an end", () => {
  expect(asksIn(rows(["a", "b", true], ["b", "a", false]), "x")).toBe(false);
});
