import { describe, expect, it } from "vitest";
import { byDay, reasons, settled, threads, toneOf, type Entry } from "./entries";

const NOW = Date.parse("2027-01-15T12:00:00Z");
const entry = (at: string, more: Partial<Entry> = {}): Entry => ({
  at, kind: "schedule", schedule: "morning", agent: "", title: "", what: "due", why: "", thread_id: "", ...more,
});

describe("calendar entries", () => {
  it("stand on the day that clocks of the person's zone show", () => {
    const days = byDay([entry("2027-01-15T23:30:00Z")], "Europe/Berlin", NOW);
    expect([...days.keys()]).toEqual(["2027-01-16"]);
    expect(days.get("2027-01-16")?.[0]?.first).toBe("00:30");
  });

  it("are in the order of time, however they came", () => {
    const days = byDay([entry("2027-01-15T15:00:00Z", { schedule: "b" }), entry("2027-01-15T09:00:00Z", { schedule: "a" })], "UTC", NOW);
    expect(days.get("2027-01-15")?.map((group) => group.schedule)).toEqual(["a", "b"]);
  });

  it("of what comes often are one line, those of other outcomes apart", () => {
    const often = Array.from({ length: 6 }, (_, hour) =>
      entry(`2027-01-15T0${hour}:00:00Z`, { what: hour === 3 ? "failed" : "done" }));
    const groups = byDay(often, "UTC", NOW).get("2027-01-15") ?? [];
    expect(groups.map(({ outcome, entries, first, last }) => [outcome, entries.length, first, last])).toEqual([
      ["done", 5, "00:00", "05:00"], ["failed", 1, "03:00", "03:00"],
    ]);
  });

  it("two of one thing stay two lines", () => {
    expect(byDay([entry("2027-01-15T09:00:00Z"), entry("2027-01-15T10:00:00Z")], "UTC", NOW).get("2027-01-15")).toHaveLength(2);
  });

  it("what was due and is over is not told as something to come", () => {
    const groups = byDay([entry("2027-01-15T11:59:00Z"), entry("2027-01-15T12:01:00Z")], "UTC", NOW).get("2027-01-15") ?? [];
    expect(groups.map((group) => group.ahead)).toEqual([false, true]);
  });

  it("an hour that comes twice holds both, in their order", () => {
    const groups = byDay([entry("2027-10-31T01:30:00Z"), entry("2027-10-31T00:30:00Z")], "Europe/Berlin", NOW).get("2027-10-31") ?? [];
    expect(groups.map((group) => [group.first, group.entries[0]?.at])).toEqual([
      ["02:30", "2027-10-31T00:30:00Z"], ["02:30", "2027-10-31T01:30:00Z"],
    ]);
  });

  it("reasons and conversations are told once each", () => {
    const groups = byDay(
      Array.from({ length: 3 }, (_, hour) => entry(`2027-01-15T0${hour}:00:00Z`, { what: "skipped", why: "idle", thread_id: "thr_1" })), "UTC", NOW,
    ).get("2027-01-15") ?? [];
    expect(groups.map((group) => [reasons(group), threads(group)])).toEqual([[["idle"], ["thr_1"]]]);
  });

  it("an outcome that this page does not know has a plain mark", () => {
    expect([toneOf("failed"), toneOf("something new"), toneOf("constructor")]).toEqual(["bad", "plain", "plain"]);
  });

  it("a firing is one line with what it came to, at the time at which it was fired", () => {
    const told = (rows: Entry[]): unknown => settled(rows).map(({ at, what, why }) => [at.slice(11, 16), what, why]);
    expect(told([
      entry("2027-01-15T09:00:00Z", { what: "fired" }), entry("2027-01-15T09:00:01Z", { what: "begun" }),
      entry("2027-01-15T09:02:00Z", { what: "failed", why: "no model" }), entry("2027-01-15T10:00:00Z", { what: "fired" }),
    ])).toEqual([["09:00", "failed", "no model"], ["10:00", "fired", ""]]);
    expect(told([
      entry("2027-01-15T09:00:00Z", { what: "fired", schedule: "a" }), entry("2027-01-15T09:00:01Z", { what: "fired", schedule: "b" }),
      entry("2027-01-15T09:00:02Z", { what: "succeeded", schedule: "a" }), entry("2027-01-15T09:00:03Z", { what: "missed", schedule: "b" }),
    ])).toEqual([["09:00", "succeeded", ""], ["09:00", "fired", ""], ["09:00", "missed", ""]]);
  });
});
