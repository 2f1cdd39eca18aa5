import { describe, expect, it } from "vitest";
import { BLOCK_CHARS, blocks, readUpTo, split, TEXT_CHARS } from "./blocks";

describe("the pieces of a text", () => {
  it("make up the text", () => {
    for (const text of ["", "a", "a\n", "a\n\nb\n\n\nc", "- a\n\n- b\n\nc", "```\na\n\nb\n```\n\nc", "# a\nb\n".repeat(900)]) {
      expect(blocks(text).map((block) => block.text).join("")).toBe(text);
    }
  });

  it("do not cut a code fence, a list's entry or a quote", () => {
    expect(split("```\na\n\nb\n```\n\nc")).toEqual(["```\na\n\nb\n```\n\n", "c"]);
    expect(split("- a\n\n  b\n\nc")).toEqual(["- a\n\n  b\n\n", "c"]);
    expect(split("> a\n\n> b")).toEqual(["> a\n\n> b"]);
  });

  it("of a long list are short", () => {
    for (const block of blocks("- an entry with **bold** words\n".repeat(500))) {
      expect(block.text.length).toBeLessThan(2_000);
      expect(block.plain).toBe("");
    }
  });

  it("stay as they are while the text grows, but for the last one", () => {
    const text = "One paragraph with some words.\n\n".repeat(200);
    const before = blocks(text);
    expect(blocks(`${text}More`).slice(0, before.length - 1)).toEqual(before.slice(0, -1));
  });

  it("are plain text where reading them would hold up the page", () => {
    expect(blocks("x".repeat(BLOCK_CHARS + 1))[0]?.plain).toBe("long");
    expect(blocks("> ".repeat(1000) + "x")[0]?.plain).toBe("deep");
    expect(blocks(Array.from({ length: 100 }, (_, depth) => `${"  ".repeat(depth)}- x`).join("\n"))[0]?.plain).not.toBe("");
    expect(blocks(`|${"a|".repeat(500)}\n|${"-|".repeat(500)}`)[0]?.plain).toBe("wide");
    expect(blocks("[".repeat(2000))[0]?.plain).toBe("dense");
  });

  it("of an ordinary answer are Markdown", () => {
    const text = "# Rome\n\nIt is **warm**, see [here](https://example.org).\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n> so\n\n1. one\n   - two\n";
    expect(blocks(text).every((block) => block.plain === "")).toBe(true);
  });
});

describe("the part that is read as Markdown", () => {
  it("is the whole of a short text", () => {
    for (const text of ["", "abc", "a\nb\n"]) expect(readUpTo(text, 1)).toBe(text.length);
  });

  it("ends at a line's end, and is more when more is asked for", () => {
    const text = `${"x".repeat(99)}\n`.repeat(400);
    expect(readUpTo(text, 1)).toBe(TEXT_CHARS);
    expect(readUpTo(`x${text}`, 1)).toBe(TEXT_CHARS - 99);
    expect(readUpTo(text, 2)).toBe(text.length);
    expect(readUpTo("x".repeat(TEXT_CHARS + 1), 1)).toBe(TEXT_CHARS);
  });

  it("has a bounded number of lines", () => {
    expect(readUpTo("a\n".repeat(5000), 1)).toBe(1000);
  });
});
