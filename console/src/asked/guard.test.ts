import { describe, expect, it } from "vitest";
import { Guard, type Placed } from "./guard";

const at = (id: string, top: number): Placed => ({ id, left: 0, top });
const column = [at("a", 0), at("b", 100), at("c", 200), at("d", 300)];

function rested(): Guard {
  const guard = new Guard();
  guard.seen(0, column);
  guard.seen(2000, column);
  return guard;
}
const click = (guard: Guard, id: string, now: number, later = now + 50): boolean => {
  guard.down(id, now);
  return guard.clicks(id, later);
};

describe("a press", () => {
  it("is taken once the question has been in its place for a second, and not before", () => {
    const guard = new Guard();
    guard.seen(0, column);
    expect(click(guard, "a", 900, 1100)).toBe(false);
    expect(click(guard, "a", 1000)).toBe(true);
  });

  it("is not taken by another question than the one on which the pointer went down", () => {
    const guard = rested();
    guard.down("a", 2000);
    expect(guard.clicks("b", 2100)).toBe(false);
    expect(guard.clicks("b", 2100)).toBe(false);
  });

  it.each([150, 300, 450, 950])("is not taken by any question %i ms after an answer", (gap) => {
    const guard = rested();
    expect(click(guard, "a", 2000)).toBe(true);
    guard.answers("a", "approve", 2050);
    // The next one moves up under the pointer.
    guard.seen(2060, [at("b", 0), at("c", 100), at("d", 200)]);
    for (const id of ["a", "b", "c", "d"]) expect(click(guard, id, 2050 + gap)).toBe(false);
    expect(click(guard, "b", 3060)).toBe(true);
  });

  it("is not taken twice by a question that stays in its place as answered", () => {
    const guard = rested();
    guard.answers("a", "approve", 2000);
    expect(click(guard, "a", 3500)).toBe(false);
    expect(guard.verdict("a", 3500)).toBe("approve");
    // If it is still asked long after, or was refused, it can be answered again.
    expect(guard.verdict("a", 7000)).toBe("");
    guard.answers("a", "approve", 8000);
    guard.refused("a");
    expect(click(guard, "a", 9000)).toBe(true);
  });

  it("is not taken after a neighbour came, moved or went, and is by those further off", () => {
    const came = rested();
    came.seen(2000, [...column, at("e", 400)]);
    expect(["a", "b", "c", "d", "e"].map((id) => came.isReady(id, 2500))).toEqual([true, true, true, false, false]);
    const went = rested();
    went.seen(2000, column.filter((place) => place.id !== "d"));
    expect(["a", "b", "c"].map((id) => went.isReady(id, 2500))).toEqual([true, true, false]);
  });

  it("is not taken while its place drifts slowly", () => {
    const guard = rested();
    for (let now = 2000; now <= 3000; now += 100) guard.seen(now, column.map((place) => at(place.id, place.top + (now - 2000) / 50)));
    expect(guard.isReady("a", 3000)).toBe(false);
  });

  it("is taken at once after the person has scrolled, unless something moved beside that", () => {
    const guard = rested();
    guard.scrolls(2000);
    guard.seen(2010, column.map((place) => at(place.id, place.top - 80)));
    expect(guard.isReady("a", 2100)).toBe(true);
    guard.scrolls(2200);
    guard.seen(2210, [at("a", -80), at("b", 70), at("c", 170), at("d", 270)]);
    expect(guard.isReady("b", 2300)).toBe(false);
  });

  it("is taken by what the person has opened after less than half a second, and by nothing else so soon", () => {
    const guard = rested();
    guard.opens("dialog");
    guard.seen(2000, [...column, at("dialog", 400)]);
    expect(click(guard, "dialog", 2390)).toBe(false);
    expect(click(guard, "dialog", 2400)).toBe(true);
    expect(click(guard, "d", 2400)).toBe(false);
    // Gone and come back by itself, it is like all others.
    guard.seen(3000, column);
    guard.seen(4000, [...column, at("dialog", 400)]);
    expect(click(guard, "dialog", 4500)).toBe(false);
  });

  it("is not taken by a question that nobody has seen", () => {
    expect(click(rested(), "x", 2000)).toBe(false);
  });
});

describe("a key", () => {
  it("answers only what has been selected for a while, and is to be seen whole", () => {
    const guard = rested();
    guard.select("a", 2000);
    expect(guard.keys("a", 2600, true)).toBe(false);
    guard.select("a", 2650);
    expect(guard.keys("a", 2700, true)).toBe(true);
    expect(guard.keys("a", 2700, false)).toBe(false);
    expect(guard.keys("b", 2700, true)).toBe(false);
  });

  it("answers the selected question while text grows around it, but not one that has just come", () => {
    const guard = rested();
    guard.select("b", 2000);
    for (let now = 2000; now <= 3000; now += 100) guard.seen(now, [...column.map((place) => at(place.id, place.top + now)), at("e", 9000)]);
    expect(guard.isReady("b", 3000)).toBe(false);
    expect(guard.keys("b", 3000, true)).toBe(true);
    guard.seen(3050, [at("f", 0)]);
    guard.select("f", 3050);
    expect(guard.keys("f", 4000, true)).toBe(false);
    expect(guard.keys("f", 4050, true)).toBe(true);
    expect(guard.keys("b", 4050, true)).toBe(false);
  });

  it("answers what the person has gone to sooner than what was selected by itself", () => {
    const guard = rested();
    guard.steps(2000);
    guard.select("a", 2010);
    expect(guard.keys("a", 2300, true)).toBe(false);
    expect(guard.keys("a", 2310, true)).toBe(true);
    guard.select("b", 2400);
    expect(guard.keys("b", 3000, true)).toBe(false);
    // The selected one is gone to: that is enough, and it is not begun anew.
    guard.steps(3000);
    guard.select("b", 3010);
    expect(guard.keys("b", 3020, true)).toBe(true);
  });

  it("that came too soon after the focus alone is told from one on what has only just come", () => {
    const guard = rested();
    guard.select("a", 2000);
    expect(guard.isJustSelected("a", 2600)).toBe(true);
    expect(guard.isJustSelected("a", 2700)).toBe(false);
    guard.seen(2700, [...column, at("e", 400)]);
    guard.select("e", 2700);
    expect(guard.isJustSelected("e", 2800)).toBe(false);
    guard.answers("a", "approve", 4000);
    expect(guard.isJustSelected("b", 4500)).toBe(false);
  });

  it("pressed twice answers one question", () => {
    const guard = rested();
    guard.select("a", 0);
    expect(guard.keys("a", 2000, true)).toBe(true);
    guard.answers("a", "approve", 2000);
    guard.select("b", 2010);
    expect(guard.keys("a", 2300, true) || guard.keys("b", 2300, true) || guard.keys("b", 2900, true)).toBe(false);
    expect(guard.keys("b", 3010, true)).toBe(true);
  });
});
