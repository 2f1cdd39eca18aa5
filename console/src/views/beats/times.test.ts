import { describe, expect, it } from "vitest";
import { daysShown } from "./days";
import { clocks, heading, longDay, zoneIn } from "./times";

describe("times of schedules", () => {
  it("the zone of a schedule is read off what it says of itself", () => {
    expect(zoneIn("At 09:00 on Monday through Friday, Europe/Berlin")).toBe("Europe/Berlin");
    expect(zoneIn("Once, at Wednesday 2027-12-01 09:00:00 UTC")).toBe("UTC");
    expect(zoneIn("Every 30m; only mon-fri 09:00-18:00, America/New_York")).toBe("America/New_York");
    expect(zoneIn("Every 30m")).toBe("");
    expect(zoneIn("At 09:00, No/Such")).toBe("");
  });

  it("clocks of another zone stand beside one's own only where they differ at that time", () => {
    expect(clocks("2027-01-15T08:00:00Z", "Europe/Berlin", "Europe/Paris").there).toBe("");
    expect(clocks("2027-01-15T08:00:00Z", "Europe/Berlin", "America/New_York")).toMatchObject({ there: "03:00", zone: "America/New_York" });
    expect(clocks("2027-01-15T08:00:00Z", "Europe/Berlin", "").there).toBe("");
  });

  it("where zones change their clocks on other days, the distance is that of the day", () => {
    // New York is on summer time from 14 March 2027, Berlin from the 28th.
    expect(clocks("2027-03-13T08:00:00Z", "Europe/Berlin", "America/New_York").there).toBe("03:00");
    expect(clocks("2027-03-20T08:00:00Z", "Europe/Berlin", "America/New_York").there).toBe("04:00");
    expect(clocks("2027-03-30T08:00:00Z", "Europe/Berlin", "America/New_York").there).toBe("04:00");
  });

  it("another day there is said", () => {
    expect(clocks("2027-01-15T23:30:00Z", "UTC", "Asia/Tokyo").there).toBe("Sat, Jan 16, 08:30");
  });

  it("what is shown is said in words", () => {
    expect(heading("2027-01-15", daysShown("2027-01-15", "month"), "month")).toBe("January 2027");
    expect(heading("2027-01-15", daysShown("2027-01-15", "week"), "week")).toMatch(/January 11\s–\s17, 2027/);
    expect(longDay("2027-01-15")).toBe("Friday, January 15, 2027");
  });
});
