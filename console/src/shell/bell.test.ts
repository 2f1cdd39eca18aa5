import { beforeEach, describe, expect, it } from "vitest";
import type { QuestionRow } from "../protocol/wire";
import { Bell } from "./bell";

function question(id: string): QuestionRow {
  return { thread_id: "t", run_id: "r", id, prompt: `May ${id}?`, expires_at: null };
}

const WAITS = { questions: [], notices: [], known: true, more: false, trouble: "" };

describe("the bell", () => {
  let rung: string[] = [];
  const state = { allowed: true, looking: false };
  const bell = (): Bell => new Bell({ allowed: () => state.allowed, looking: () => state.looking, show: ({ id }) => rung.push(id) });

  beforeEach(() => {
    rung = [];
    Object.assign(state, { allowed: true, looking: false });
  });

  const take = (one: Bell, ...ids: string[]): void => one.take({ ...WAITS, questions: ids.map(question) });

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

  it("does not ring for what had waited and was read later, and does for new ones meanwhile", () => {
    const one = bell();
    one.take({ ...WAITS, known: false });
    one.take({ ...WAITS, questions: [question("a")], more: true });
    one.take({ ...WAITS, questions: [question("a"), question("new")], more: true });
    one.take({ ...WAITS, questions: ["a", "new", "old"].map(question) });
    expect(rung).toEqual(["new"]);
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
