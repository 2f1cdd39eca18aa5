import { expect, it } from "vitest";
import { pausedWords } from "./paused";

it("the bar says who has paused all work, and why if they said so", () => {
  expect(pausedWords({ by: "ann", reason: "it orders pizza" })).toBe("All work is paused, by ann: it orders pizza");
  expect([pausedWords({ by: "ann", reason: " " }), pausedWords({ by: "ann" })]).toEqual(["All work is paused, by ann.", "All work is paused, by ann."]);
});
