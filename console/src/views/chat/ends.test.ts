import { describe, expect, it } from "vitest";
import type { EndItem } from "../../thread/items";
import { endWords } from "./ends";

const END: EndItem = {
  kind: "end", key: "end:run_1", threadId: "thr_a", runId: "run_1", at: "2027-01-15T08:00:10.000Z", seq: 9, outcome: { status: "done" }, error: null,
  usage: { input_tokens: 10, output_tokens: 5, cost_micro: 1_500 }, startedAt: "2027-01-15T08:00:02.000Z",
};

describe("the end of a turn", () => {
  it("says how, how long and for how much", () => {
    expect(endWords(END)).toMatchObject({ how: "Done", tone: "good", tookS: 8, costUsd: 0.0015, remedy: "" });
  });

  it("that is blocked says by what, and what it needs", () => {
    const outcome = { status: "blocked", blocker_reason: "no key", unblock_requirements: "a key" } as const;
    expect(endWords({ ...END, outcome })).toMatchObject({ how: "Blocked", tone: "warn", report: "no key", needs: "a key" });
  });

  it("in failure says the code, what happened and what to do", () => {
    const failed = endWords({ ...END, outcome: null, error: { code: "provider_unreachable", message: "no route" }, startedAt: null, usage: null });
    expect(failed).toMatchObject({ how: "Failed", tone: "bad", code: "provider_unreachable", message: "no route", tookS: null, costUsd: null });
    expect(failed.remedy).toContain("reaches the model's service");
  });

  it("at a limit says what to do about that one", () => {
    const outcome = { status: "failed", reason: "limit_day_tokens" } as const;
    expect(endWords({ ...END, outcome, error: { code: "limit_reached", message: "" } }).remedy).toContain("day_tokens");
  });

  it("says for people why, and nothing where that is the end itself", () => {
    expect(endWords({ ...END, outcome: { status: "done", reason: "no_wrapper" } }).why).toBe("");
    expect(endWords({ ...END, outcome: { status: "done", reason: "no_words" } })).toMatchObject({ how: "Done", why: "the agent has said nothing" });
    expect(endWords({ ...END, outcome: { status: "cancelled", reason: "stopped" } })).toMatchObject({ how: "Stopped", why: "" });
    expect(endWords({ ...END, error: { code: "provider_transient", message: "" } }).why).toBe("the model's service has trouble");
    expect(endWords({ ...END, error: { code: "new_code", message: "" } }).why).toBe("new_code");
  });

  it("with a code that is new says what helps in general", () => {
    expect(endWords({ ...END, error: { code: "new_code", message: "" } }).remedy).toContain("send the message again");
  });
});
