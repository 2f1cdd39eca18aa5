import { describe, expect, it } from "vitest";
import { marked, telling } from "./marked";

const told = (text: string, question: string, begins = false): string =>
  marked(text, question, begins)
    .map(({ text: part, hit }) => (hit ? `[${part}]` : part))
    .join("");

describe("words that were looked for", () => {
  it("are marked in any case, with accents and plurals", () => {
    expect(told("Two Otters at the CAFÉ, one otter.", "otter cafe")).toBe("Two [Otters] at the [CAFÉ], one [otter].");
    expect(told("Cafe\u0301 cities", "café city")).toBe("[Cafe\u0301] [cities]");
    expect(told("the 19:04", "19")).toBe("the [19]:04");
  });

  it("are whole words, and in titles beginnings", () => {
    expect(told("a trainer trains", "train")).toBe("a trainer [trains]");
    expect(told("Otters of Ayrshire", "ott ayr", true)).toBe("[Otters] of [Ayrshire]");
  });

  it("are found within what is written without spaces", () => {
    expect(told("明日は東京都へ", "東京")).toBe("明日は[東京]都へ");
  });

  it("leave the text as it is", () => {
    const text = "İstanbul ＡＢＣ <b>otter</b> 👩‍👩‍👧 otters";
    expect(marked(text, "otter abc", false).map((part) => part.text).join("")).toBe(text);
    expect(told(text, "…")).toBe(text);
  });

  it("decide whether the answer or the message is shown", () => {
    expect(telling("Is there an otter?", "Yes.", "otter")).toBe("Is there an otter?");
    expect(telling("Is there an otter?", "The otter is there.", "otter")).toBe("The otter is there.");
    expect(telling("Hello", "Good day", "otter")).toBe("Good day");
    expect(telling("Hello", "", "otter")).toBe("Hello");
  });
});
