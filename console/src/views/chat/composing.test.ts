// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from "vitest";
import { behind, codePoints, countsAs, Drafts, keyDoes, leadsToField, NOTHING, sayingAgain, sendable, shownLeft, takenUp } from "./composing";

describe("a message", () => {
  it("is counted in code points", () => {
    expect(codePoints("")).toBe(0);
    expect(codePoints("a🙂b")).toBe(3);
    expect(codePoints("\ud83d")).toBe(1);
    expect(codePoints("e\u0301")).toBe(2);
  });

  it("can be sent if it says something and is not too long", () => {
    expect(sendable(" \n", 10)).toBe("empty");
    expect(sendable("🙂".repeat(10), 10)).toBe("yes");
    expect(sendable("🙂".repeat(11), 10)).toBe("long");
  });

  it("says how much is left when that is little", () => {
    expect(shownLeft("a", 100)).toBeNull();
    expect(shownLeft("a".repeat(95), 100)).toBe(5);
    expect(shownLeft("a".repeat(105), 100)).toBe(-5);
  });
});

describe("Enter", () => {
  const enter = { key: "Enter", shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, composing: false };

  it("sends", () => {
    expect(keyDoes(enter)).toBe("send");
    expect(keyDoes({ ...enter, ctrlKey: true })).toBe("send");
  });

  it("with Shift begins a line, and takes a word while one is put together", () => {
    expect(keyDoes({ ...enter, shiftKey: true })).toBe("nothing");
    expect(keyDoes({ ...enter, composing: true })).toBe("nothing");
  });
});

describe("a draft", () => {
  beforeEach(() => sessionStorage.clear());

  it("is kept for its thread until it is empty", () => {
    const drafts = new Drafts(sessionStorage);
    const again = sayingAgain("thr_0", { text: "Hello", origin: "user", tainted: true, quoted: "a mail", applications: "" }, 2);
    drafts.set("thr_a", again);
    expect(new Drafts(sessionStorage).get("thr_a")).toEqual({ text: "Hello", again: { thread_id: "thr_0", seq: 2 }, marks: { outside: true, quoted: "a mail", applications: "" }, copyBefore: 2, instead: "" });
    expect(drafts.get("thr_b")).toBe(NOTHING);
    // What is emptied can be written or undone again: only who leaves it begins anew.
    drafts.set("thr_a", { ...again, text: "" });
    expect(drafts.get("thr_a").again).toEqual(again.again);
    drafts.set("thr_a", behind(again));
    expect(sessionStorage.length).toBe(0);
  });

  it("stands in the field again once the message was sent or left that was taken up", () => {
    const first = sayingAgain("thr_0", { text: "Hello", origin: "user", tainted: false, quoted: "", applications: "" }, 2);
    const second = { ...first, text: "Bye", copyBefore: 9 };
    const up = takenUp({ ...NOTHING, text: "half written" }, first);
    expect(up).toMatchObject({ text: "Hello", copyBefore: 2 });
    expect(behind(up)).toEqual({ ...NOTHING, text: "half written" });
    expect(behind(takenUp(up, second))).toEqual({ ...NOTHING, text: "half written" });
  });

  it("counts as from outside only where its words do", () => {
    const outside = (origin: string, tainted: boolean): boolean | undefined => sayingAgain("thr_0", { text: "Hello", origin, tainted, quoted: "", applications: "" }, 2).marks?.outside;
    expect([outside("operator", false), outside("user", false)]).toEqual([false, false]);
    expect([outside("operator", true), outside("user", true), outside("web", false), outside("agent", false)]).toEqual([true, true, true, true]);
  });

  it("keeps an application's words apart from the person's as long as it begins with them", () => {
    const marks = { outside: false, quoted: "", applications: "Page: " };
    expect(countsAs("Page: what is this?", marks)).toBe("applications");
    expect(countsAs("Page: and that?", marks)).toBe("applications");
    for (const text of ["Page: ", "page: what is this?", "what is this?", ""]) expect(countsAs(text, marks)).toBe("outside");
    expect(countsAs("Page: what is this?", { ...marks, outside: true })).toBe("outside");
    expect(countsAs("what is this?", { ...marks, applications: "" })).toBe("own");
  });

  it("is one of at most 50", () => {
    const drafts = new Drafts(sessionStorage);
    for (let number = 0; number < 60; number++) drafts.set(`thr_${number}`, { ...NOTHING, text: "x" });
    expect(sessionStorage.length).toBeLessThanOrEqual(50);
    expect(drafts.get("thr_59").text).toBe("x");
  });
});

describe("the key that leads to the field", () => {
  const key = { key: "c", ctrlKey: false, metaKey: false, altKey: false, defaultPrevented: false };
  it("is c, where nobody is writing", () => {
    expect(leadsToField(key, { closest: () => null })).toBe(true);
    expect(leadsToField(key, { closest: () => ({}) as Element })).toBe(false);
    expect(leadsToField({ ...key, ctrlKey: true }, { closest: () => null })).toBe(false);
    expect(leadsToField({ ...key, key: "d" }, { closest: () => null })).toBe(false);
  });
});
