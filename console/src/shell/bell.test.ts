import { beforeEach, describe, expect, it } from "vitest";
import type { QuestionRow } from "../protocol/wire";
import { Bell } from "./bell";

function question(id: string): QuestionRow {
  return { thread_id: "t", run_id: "r", id, prompt: `May ${id}?`, expires_at: null };
}

describe("the bell", () => {
  let rung: string[] = [];
  const state = { allowed: true, looking: false };
  const bell = (): Bell => new Bell({ allowed: () => state.allowed, looking: () => state.looking, show: ({ id }) => rung.push(id) });

  beforeEach(() => {
    rung = [];
    Object.assign(state, { allowed: true, looking: false });
  });

  const take = (one: Bell, ...ids: string[]): void => one.take({ questions: ids.map(question), notices: [] });

  it("does not ring for what waited before the page was there", () => {
    const one = bell();
    take(one, "a", "b");
    expect(rung).toEqual([]);
  });

  it("rings once for each that comes", () => {
    const one = bell();
    take(one);
    take(one, "a");
    take(one, "a", "b");
    take(one, "b");
    expect(rung).toEqual(["a", "b"]);
  });

  it("does not ring while somebody looks, nor afterwards for what they saw", () => {
    const one = bell();
    take(one);
    state.looking = true;
    take(one, "a");
    state.looking = false;
    take(one, "a");
    expect(rung).toEqual([]);
  });

  it("does not ring where nobody wants it", () => {
    const one = bell();
    take(one);
    state.allowed = false;
    take(one, "a");
    expect(rung).toEqual([]);
  });
});
