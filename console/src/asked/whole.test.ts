import { describe, expect, it } from "vitest";
import type { Connection } from "../protocol/connection";
import { argumentLines, isCut, Wholes, type Shown } from "./whole";

const LONG: Shown = {
  threadId: "thr_1", id: "approval:t1:0123:0", tool: "write_file", call: "",
  prompt: 'May write_file be called with {"content": "aaa [... 27549 characters are not shown here; `sulla approvals show` shows all ...] aaa"}? Asked because',
};
const SHORT: Shown = { ...LONG, call: "a", prompt: 'May write_file be called with {"content": "a"}? Asked because' };

/** A daemon whose history has these calls, one on each page. */
function history(calls: readonly { call_id: string; name: string; args: Record<string, unknown> }[]): Connection {
  const call = (_: string, { after }: { after: number }) => {
    const data = calls[after];
    return Promise.resolve({ events: data === undefined ? [] : [{ type: "TOOL_CALL_START", seq: after + 1, data }], more: after + 1 < calls.length });
  };
  return { call } as unknown as Connection;
}

describe("a call is cut", () => {
  it("where its question says so, also if there is something that looks like its arguments", () => {
    expect([LONG, { ...LONG, call: "told whole by mistake" }].map(isCut)).toEqual([true, true]);
  });

  it("not where its question has all of it, or no call is asked about", () => {
    expect([SHORT, { ...SHORT, call: "" }, { ...LONG, id: "answer:1", tool: "" }].map(isCut)).toEqual([false, false, false]);
  });

  it("of one that was broken off, where its question says so", () => {
    expect([{ ...LONG, id: "review:t1:1" }, { ...SHORT, id: "review:t1:1", call: "" }].map(isCut)).toEqual([true, false]);
  });
});

describe("a cut call", () => {
  it("is allowed by nothing until all of it was shown, and can always be rejected", async () => {
    const wholes = new Wholes();
    const may = () => (["approve", "always", "run_again", "reject", "give_up"] as const).filter((verdict) => wholes.allows(LONG, verdict));
    expect(may()).toEqual(["reject", "give_up"]);
    expect(await wholes.fetch(history([{ call_id: "t0", name: "bash", args: {} }, { call_id: "t1", name: "write_file", args: { content: "all" } }]), LONG)).toBe(true);
    expect(wholes.of(LONG)).toBe("all");
    expect(may()).toEqual(["approve", "always", "run_again", "reject", "give_up"]);
    expect(wholes.allows({ ...LONG, id: "approval:t1:4567:0" }, "approve")).toBe(false);
  });

  it("stays cut where the history has another call alone", async () => {
    const wholes = new Wholes();
    expect(await wholes.fetch(history([{ call_id: "t", name: "write_file", args: {} }, { call_id: "t1", name: "bash", args: {} }]), LONG)).toBe(false);
    expect(wholes.allows(LONG, "approve")).toBe(false);
  });
});

describe("arguments in lines", () => {
  it("are spelled as the daemon spells them", () => {
    expect(argumentLines({ url: "https://example.org", body: "a\\b é\nmethod: GET", deep: { x: "ü" } })).toBe(
      'body: a\\\\b \\u00e9\n      method: GET\ndeep: {"x":"\\u00fc"}\nurl: https://example.org',
    );
  });

  it("count empty lines that would push others out of sight", () => {
    expect(argumentLines({ text: `a${"\n".repeat(9)}b` })).toBe("a\n\\(8 empty lines)\nb");
  });
});
