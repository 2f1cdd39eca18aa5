import { expect, test } from "vitest";
import { draftNames, draftOf, keepDraft } from "./draft";

test("drafts are known by the names that they were begun under, saved ones and new ones", () => {
  sessionStorage.setItem("another", "x");
  keepDraft("b", "name: b");
  keepDraft("a", "name: a");
  expect(draftNames()).toEqual(["a", "b"]);
  keepDraft("a", null);
  expect(draftNames()).toEqual(["b"]);
  expect(draftOf("b")).toBe("name: b");
});
