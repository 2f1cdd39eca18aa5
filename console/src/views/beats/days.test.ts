import { describe, expect, it } from "vitest";
import { bounds, dayOf, daysShown, differs, isZone, moved, monday, plusDays, reading, startOf, weekday } from "./days";

const HOUR = 3_600_000;
const at = (text: string): number => Date.parse(text);

describe("days", () => {
  it("an instant belongs to the day that clocks in the zone show", () => {
    expect(dayOf(at("2027-01-15T23:30:00Z"), "Europe/Berlin")).toBe("2027-01-16");
    expect(dayOf(at("2027-01-15T02:30:00Z"), "America/New_York")).toBe("2027-01-14");
  });

  it("a day begins at midnight of its zone", () => {
    expect(startOf("2027-01-15", "Europe/Berlin")).toBe(at("2027-01-14T23:00:00Z"));
    expect(startOf("2027-01-15", "UTC")).toBe(at("2027-01-15T00:00:00Z"));
    expect(startOf("2027-01-15", "Pacific/Kiritimati")).toBe(at("2027-01-14T10:00:00Z"));
  });

  it("the day on which clocks are put forward has 23 hours, the one on which they are put back 25", () => {
    expect(startOf("2027-03-29", "Europe/Berlin") - startOf("2027-03-28", "Europe/Berlin")).toBe(23 * HOUR);
    expect(startOf("2027-11-01", "Europe/Berlin") - startOf("2027-10-31", "Europe/Berlin")).toBe(25 * HOUR);
  });

  it("where midnight is left out, a day begins behind the gap", () => {
    // Lebanon puts clocks forward at midnight.
    const start = startOf("2027-03-28", "Asia/Beirut");
    expect(reading(start, "Asia/Beirut")).toEqual({ day: "2027-03-28", clock: "01:00" });
    expect(dayOf(start - 1, "Asia/Beirut")).toBe("2027-03-27");
  });

  it("days are counted by the calendar, over months, years and changed clocks", () => {
    expect(plusDays("2027-03-27", 2)).toBe("2027-03-29");
    expect(plusDays("2026-12-31", 1)).toBe("2027-01-01");
    expect(plusDays("2028-02-28", 1)).toBe("2028-02-29");
    expect(weekday("2027-01-15")).toBe(4);
    expect(monday("2027-01-17")).toBe("2027-01-11");
  });

  it("a week is shown from Monday to Sunday", () => {
    expect(daysShown("2027-01-15", "week")).toEqual([
      "2027-01-11", "2027-01-12", "2027-01-13", "2027-01-14", "2027-01-15", "2027-01-16", "2027-01-17",
    ]);
  });

  it("a month is shown in whole weeks, and in none that have nothing of it", () => {
    const january = daysShown("2027-01-15", "month");
    expect([january[0], january.at(-1), january.length]).toEqual(["2026-12-28", "2027-01-31", 35]);
    const february = daysShown("2027-02-10", "month");
    expect([february[0], february.at(-1), february.length]).toEqual(["2027-02-01", "2027-02-28", 28]);
    const may = daysShown("2027-05-31", "month");
    expect([may[0], may.at(-1), may.length]).toEqual(["2027-04-26", "2027-06-06", 42]);
  });

  it("a month on from the 31st is the last day of the next month, not a day of the one behind it", () => {
    expect(moved("2027-01-31", "month", 1)).toBe("2027-02-28");
    expect(moved("2027-03-31", "month", -1)).toBe("2027-02-28");
    expect(moved("2026-12-15", "month", 1)).toBe("2027-01-15");
    expect(moved("2027-03-28", "week", 1)).toBe("2027-04-04");
  });

  it("what a calendar asks for reaches over exactly its days", () => {
    expect(bounds(daysShown("2027-03-28", "week"), "Europe/Berlin")).toEqual({
      since_ms: at("2027-03-21T23:00:00Z"), until_ms: at("2027-03-28T22:00:00Z"),
    });
  });

  it("zones differ by what their clocks show at that moment", () => {
    expect(differs(at("2027-01-15T12:00:00Z"), "Europe/Berlin", "Europe/Paris")).toBe(false);
    expect(differs(at("2027-01-15T12:00:00Z"), "Europe/London", "UTC")).toBe(false);
    expect(differs(at("2027-07-15T12:00:00Z"), "Europe/London", "UTC")).toBe(true);
  });

  it("a name that is no zone is known as such", () => {
    expect(isZone("Europe/Berlin")).toBe(true);
    expect(isZone("Berlin/Europe")).toBe(false);
  });
});
