import { describe, expect, it } from "vitest";
import { FamilyPlace } from "./place";

describe("FamilyPlace", () => {
  it("takes each kept event of the thread once", () => {
    const place = new FamilyPlace("t", 3);
    expect([3, 4, 4, 5].map((seq) => place.take("t", seq, "NOTICE", {}))).toEqual([false, true, false, true]);
    expect(place.after).toBe(5);
  });

  it("takes live events always, and moves on by none", () => {
    const place = new FamilyPlace("t", 3);
    expect(place.take("t", null, "TEXT_MESSAGE_CONTENT", {})).toBe(true);
    expect(place.after).toBe(3);
  });

  it("names a child from its CHILD_STARTED until its CHILD_REPORTED", () => {
    const place = new FamilyPlace("t", 0);
    expect(place.knows("c")).toBe(false);
    place.take("t", 1, "CHILD_STARTED", { thread_id: "c" });
    expect(place.afterChildren()).toEqual({ c: 0 });
    place.take("c", 1, "RUN_STARTED", {});
    place.take("c", 2, "RUN_FINISHED", {});
    expect(place.afterChildren()).toEqual({ c: 2 });
    expect(place.take("c", 2, "RUN_FINISHED", {})).toBe(false);
    place.take("c", 3, "CHILD_REPORTED", {});
    expect(place.afterChildren()).toEqual({});
    expect(place.knows("c")).toBe(true);
  });

  it("names grandchildren, and never more than 64", () => {
    const place = new FamilyPlace("t", 0);
    place.take("t", 1, "CHILD_STARTED", { thread_id: "c" });
    for (let number = 0; number < 70; number++) place.take("c", number + 1, "CHILD_STARTED", { thread_id: `g${number}` });
    const named = place.afterChildren();
    expect(Object.keys(named)).toHaveLength(64);
    expect(named.g69).toBe(0);
  });

  it("goes on behind a gap", () => {
    const place = new FamilyPlace("t", 7);
    place.skip("t", 12);
    expect(place.take("t", 12, "NOTICE", {})).toBe(true);
  });
});
