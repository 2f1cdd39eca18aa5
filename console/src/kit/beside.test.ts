import { expect, it } from "vitest";
import { Beside, type Thread } from "./beside";

class Hands implements Thread {
  onmessage: Thread["onmessage"] = null;
  onerror: Thread["onerror"] = null;
  readonly asked: unknown[] = [];
  ended = false;

  postMessage(asked: unknown): void {
    this.asked.push(asked);
  }

  terminate(): void {
    this.ended = true;
  }

  answer(done: string): void {
    this.onmessage?.call(this as unknown as Worker, new MessageEvent("message", { data: done }));
  }

  fail(message: string): void {
    this.onerror?.call(this as unknown as Worker, { message } as ErrorEvent);
  }
}

function begun() {
  const [hands, told, failed]: [Hands, [string, string][], string[]] = [new Hands(), [], []];
  const beside = new Beside<string, string>(hands, (asked, done) => told.push([asked, done]), (why) => failed.push(why.message));
  return { hands, told, failed, beside };
}

it("tells what came of what was asked", () => {
  const { hands, told, beside } = begun();
  beside.ask("a");
  hands.answer("A");
  beside.ask("b");
  hands.answer("B");
  expect(told).toEqual([["a", "A"], ["b", "B"]]);
});

it("does the newest alone of what is asked while it works, and tells of that alone", () => {
  const { hands, told, beside } = begun();
  for (const asked of ["a", "b", "c"]) beside.ask(asked);
  expect(hands.asked).toEqual(["a"]);
  hands.answer("A");
  expect([hands.asked, told]).toEqual([["a", "c"], []]);
  hands.answer("C");
  expect(told).toEqual([["c", "C"]]);
});

it("says why work failed, also where the script was not there", () => {
  const { hands, failed } = begun();
  hands.fail("no boxes");
  hands.fail("");
  expect(failed).toEqual(["no boxes", "a script of the page could not be loaded"]);
});

it("ends its thread", () => {
  const { hands, beside } = begun();
  beside.end();
  expect(hands.ended).toBe(true);
});
