import { describe, expect, it } from "vitest";
import { KINDS, noteWords } from "./notes";

const says = (what: string, data: Record<string, unknown> = {}) => noteWords({ what, data }).sentence;

describe("a note", () => {
  it.each(KINDS)("%s has words, and leaves nothing to be filled in", (what) => {
    const { sentence } = noteWords({ what, data: {} });
    expect(sentence).not.toBe("");
    expect(sentence).not.toMatch(/[{}]/);
  });

  it("says why a turn waits", () => {
    expect(says("RUN_WAITING", { reason: "tool_failed", wait_s: 4 })).toBe("Waits 4 s before another attempt (a tool failed and is tried again).");
    expect(says("RUN_WAITING", { reason: "new_reason", wait_s: 4 })).toContain("new reason");
  });

  it("says who speaks from here on", () => {
    expect(says("AGENT_ROUTED", { agent: "cook", before: "sulla", by: "handoff" })).toBe("sulla has handed over to cook.");
  });

  it("says what was found in a message", () => {
    expect(noteWords({ what: "INPUT_HANDLED", data: { diagnostics: { injection: [], sanitized: 1 } } })).toMatchObject({
      tone: "warn",
      sentence: "The message was looked through: hidden characters were taken out; it looks as if it wants to steer the model.",
    });
  });

  it("of a playbook leads to its thread", () => {
    expect(noteWords({ what: "PLAYBOOK_BEGAN", data: { name: "tidy", thread_id: "thr_p" } }).threadId).toBe("thr_p");
  });

  it("of a kind or reason that is new says its name", () => {
    expect(says("NEW_KIND")).toBe("new kind");
    expect(says("RESUMED", { reason: "called_back" })).toBe("resumed: called back");
  });

  it("is not led astray by data of another shape", () => {
    for (const what of KINDS) {
      for (const data of [{ part: null, plan: 5, diagnostics: "x", reason: {} }, { part: [], plan: [], diagnostics: null }]) {
        expect(() => noteWords({ what, data })).not.toThrow();
      }
    }
  });
});
