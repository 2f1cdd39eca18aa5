// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import type { NoticeRow, QuestionRow } from "../../protocol/wire";
import { entriesOf, keyAct, meantElsewhere, stays, takes, type Entry } from "./entries";

const question = (id: string, since: string): QuestionRow => ({ thread_id: "thr_a", run_id: "run_1", id, prompt: "May it?", tool: "post", target: "host:https://example.org", since });
const notice = (id: string, at: string): NoticeRow => ({ id, thread_id: "thr_a", run_id: "", agent: "", text: "", urgency: "normal", tainted: false, at, seen: [] });
const entry = (id: string): Entry => ({ kind: "question", key: id, at: "", question: question(id, "") });

describe("the inbox", () => {
  it("has questions first, the oldest on top, and then notices, the newest on top", () => {
    const entries = entriesOf({ questions: [question("approval:b", "2"), question("approval:a", "1")], notices: [notice("c", "3"), notice("d", "4")] });
    expect(entries.map((one) => one.key)).toEqual(["q thr_a approval:a", "q thr_a approval:b", "n d", "n c"]);
  });
});

describe("the focus", () => {
  it("stays where it is while its entry is there", () => {
    expect(stays(["a", "b"], ["x", "a", "b"], "b")).toBe("b");
  });

  it("goes to the next one when its entry leaves, and to the last one at the end", () => {
    expect(stays(["a", "b", "c"], ["a", "c"], "b")).toBe("c");
    expect(stays(["a", "b", "c"], ["a", "b"], "c")).toBe("b");
    expect(stays(["a"], [], "a")).toBe("");
  });

  it("passes over neighbours that left at the same time", () => {
    expect(stays(["a", "b", "c", "d"], ["a", "d"], "b")).toBe("d");
  });
});

describe("a key", () => {
  it("does what the legend says", () => {
    expect(["j", "ArrowDown", "k", "ArrowUp", "a", "r", "A", "Enter", "s", "x"].map(keyAct)).toEqual([
      "down", "down", "up", "up", "approve", "reject", "always", "open", "seen", null,
    ]);
  });

  it("does only what its entry takes", () => {
    expect(takes(entry("approval:t:1:0"), "always")).toBe(true);
    expect(takes(entry("review:t:1"), "approve")).toBe(false);
    expect(takes(entry("human:t"), "always")).toBe(false);
    expect(takes(entry("human:t"), "seen")).toBe(false);
    expect(takes({ kind: "notice", key: "n", at: "", notice: notice("n", "") }, "approve")).toBe(false);
    expect(takes({ kind: "notice", key: "n", at: "", notice: notice("n", "") }, "seen")).toBe(true);
  });

  it("is left alone while somebody types, in a dialog, at a button, and with Ctrl", () => {
    const press = (tag: string, key: string, ctrlKey = false, inside = "") => {
      const element = document.createElement(tag);
      if (inside !== "") document.body.appendChild(document.createElement(inside)).append(element);
      return meantElsewhere({ target: element, ctrlKey, metaKey: false, altKey: false, key });
    };
    expect(press("textarea", "a")).toBe(true);
    expect(press("button", "Enter")).toBe(true);
    expect(press("button", "a")).toBe(false);
    expect(press("button", "a", false, "dialog")).toBe(true);
    expect(press("article", "a")).toBe(false);
    expect(press("article", "a", true)).toBe(true);
  });
});
