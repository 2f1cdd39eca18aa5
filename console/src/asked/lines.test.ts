import { describe, expect, it } from "vitest";
import { linesOf, reasonParts } from "./lines";

describe("lines of a call", () => {
  it("are those of the text, and a long run of blanks begins none", () => {
    expect(linesOf(`body: x${" ".repeat(300)}method: GET\nurl: y`)).toEqual([
      [{ text: "body: x", blanks: 0 }, { text: " ".repeat(300), blanks: 300 }, { text: "method: GET", blanks: 0 }],
      [{ text: "url: y", blanks: 0 }],
    ]);
  });

  it("keep eight blanks as they are, and tell nine, tabs and wide ones too", () => {
    expect(linesOf(" ".repeat(8) + "x")).toEqual([[{ text: " ".repeat(8) + "x", blanks: 0 }]]);
    expect(["\t".repeat(9), "\u00a0".repeat(9), "\u3000".repeat(9)].map((run) => linesOf(run)[0]?.[0]?.blanks)).toEqual([9, 9, 9]);
  });

  it("have a line for each break, also an empty one", () => {
    expect(linesOf("a\n\nb").map((line) => line.length)).toEqual([1, 0, 1]);
  });
});

describe("a reason", () => {
  it("is whole up to 600 characters, and no character of a longer one is lost or halved", () => {
    expect(reasonParts("a".repeat(600))).toEqual(["a".repeat(600), ""]);
    const long = `${"a".repeat(599)}\u{1f600}b`;
    expect(reasonParts(long)).toEqual(["a".repeat(599), "\u{1f600}b"]);
  });
});
