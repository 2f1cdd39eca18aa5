import { describe, expect, it } from "vitest";
import { compared, type Piece } from "./lines";

const told = (pieces: readonly Piece[]): string[] =>
  pieces.map((piece) => (piece.same ? `= ${piece.lines.join("|")}` : `${piece.theirsFrom} ${piece.theirs.join("|")} ~ ${piece.mineFrom} ${piece.mine.join("|")}`));

describe("two texts", () => {
  it("are one piece where they are the same", () => {
    expect(told(compared("a\nb", "a\nb"))).toEqual(["= a|b"]);
  });

  it("are told line by line where they differ, with the lines that only one has", () => {
    expect(told(compared("a\nb\nc\nd", "a\nB\nc\nd\ne"))).toEqual(["= a", "2 b ~ 2 B", "= c|d", "5  ~ 5 e"]);
    expect(told(compared("new\na\nb", "a\nb"))).toEqual(["1 new ~ 1 ", "= a|b"]);
    expect(told(compared("a\nb\na\nb", "b\na\nb\nc"))).toEqual(["1 a ~ 1 ", "= b|a|b", "5  ~ 4 c"]);
  });

  it("differ by a line's end", () => {
    expect(told(compared("a\n", "a"))).toEqual(["= a", "2  ~ 2 "]);
  });

  it("differ as a whole in the middle where they are too long to be compared", () => {
    const long = (mark: string): string => ["head", ...Array.from({ length: 3_000 }, (_, at) => `${mark}${at}`), "tail"].join("\n");
    const pieces = compared(long("a"), long("b"));
    expect(pieces.map(({ same }) => same)).toEqual([true, false, true]);
  });
});
