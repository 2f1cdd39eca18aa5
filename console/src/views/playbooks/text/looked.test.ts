import { expect, test } from "vitest";
import { looked } from "./looked";

const SAVED = { text: "a", digest: "1" };

test("a file that another program has changed is taken where nothing was written, and is a conflict where something was", () => {
  expect(looked(SAVED, "a", { text: "a", digest: "1" })).toBe("same");
  expect(looked(SAVED, "a", { text: "b", digest: "2" })).toBe("take");
  expect(looked(SAVED, "c", { text: "b", digest: "2" })).toBe("conflict");
  expect(looked(SAVED, "b", { text: "b", digest: "2" })).toBe("adopt");
});

test("a file that is gone is told, and one that there never was is not", () => {
  expect(looked(SAVED, "a", null)).toBe("gone");
  expect(looked({ text: "", digest: null }, "a", null)).toBe("same");
});
