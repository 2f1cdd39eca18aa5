import { describe, expect, it } from "vitest";
import { argsText, beginning, brief } from "./toolText";

describe("arguments", () => {
  it("stand one below the other, texts as they are", () => {
    expect(argsText({ path: "a.md", text: "one\ntwo", deep: { a: 1 }, on: true })).toBe('path: a.md\ntext:\n  one\n  two\ndeep:\n  {\n    "a": 1\n  }\non: true');
    expect(argsText({})).toBe("");
    expect(argsText({ a: null })).toBe("a: null");
  });

  it("are told in short by the one that matters", () => {
    expect(brief({ mode: "w", path: "notes/rome.md" })).toBe("notes/rome.md");
    expect(brief({ n: 1 })).toBe('{"n":1}');
    expect(brief({})).toBe("");
    expect(brief({ text: "x".repeat(500) })).toHaveLength(120);
  });
});

describe("the beginning of a text", () => {
  it("does not end within a character", () => {
    expect(beginning("ab", 5)).toBe("ab");
    expect(beginning("a🙂b", 2)).toBe("a");
    expect(beginning("a🙂b", 3)).toBe("a🙂");
  });
});
