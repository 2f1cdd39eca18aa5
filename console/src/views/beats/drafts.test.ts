import { expect, it } from "vitest";
import { EMPTY } from "./draft";
import { Drafts, draftsOf } from "./drafts";

it("what was typed into a form that was closed is there again, and what is as it was is not", () => {
  const drafts = new Drafts();
  const typed = { ...EMPTY, message: "Water the plants" };
  drafts.keep("", typed, EMPTY);
  drafts.keep("morning", { ...EMPTY }, EMPTY);
  expect([drafts.of(""), drafts.of("morning")]).toEqual([typed, null]);
  drafts.keep("", { ...EMPTY }, EMPTY);
  expect(drafts.of("")).toBeNull();
  drafts.keep("", typed, EMPTY);
  drafts.forget("");
  expect(drafts.of("")).toBeNull();
});

it("each page has its own", () => {
  const [one, other] = [{}, {}];
  draftsOf(one).keep("", { ...EMPTY, title: "a" }, EMPTY);
  expect([draftsOf(one).of("")?.title, draftsOf(other).of("")]).toEqual(["a", null]);
});
