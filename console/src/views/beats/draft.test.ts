import { describe, expect, it } from "vitest";
import { content, draftOf, EMPTY, periodText, refused, seconds, timing, type Draft } from "./draft";

const draft = (more: Partial<Draft>): Draft => ({ ...EMPTY, message: "Is there anything new?", ...more });

describe("the draft of a schedule", () => {
  it("a period is read as the command line reads it", () => {
    expect(["45s", "30m", "2h", "1d", "1h30m", "1h 30M", "", "0m", "30", "m30", "-5m", "1.5h"].map(seconds)).toEqual([
      45, 1800, 7200, 86_400, 5400, 5400, null, null, null, null, null, null,
    ]);
  });

  it("a period is written as it is read", () => {
    for (const s of [1, 45, 1800, 5400, 86_400, 90_061]) expect(seconds(periodText(s))).toBe(s);
  });

  it("only what was chosen goes to the daemon", () => {
    expect(content(draft({ when: "every", every: "30m", zone: "Europe/Berlin" }))).toEqual({
      every_s: 1800, zone: "Europe/Berlin", message: "Is there anything new?",
    });
    expect(content(draft({ when: "cron", cron: " @daily ", missed: "once", hours: "mon-fri 09:00-18:00", id: "morning" }))).toEqual({
      cron: "@daily", missed: "once", active_hours: "mon-fri 09:00-18:00", schedule: "morning", message: "Is there anything new?",
    });
    expect(content(draft({ when: "at", at: "tomorrow 9:00", does: "playbook", playbook: "triage", inputs: '{"n": 1}', agent: "ada" }))).toEqual({
      at: "tomorrow 9:00", playbook: "triage", inputs: { n: 1 },
    });
    expect(content(draft({ does: "tool", tool: "read_file", args: '{"path": "."}', agent: "ada" }))).toEqual({
      every_s: 1800, tool: "read_file", args: { path: "." }, agent: "ada",
    });
  });

  it("each field says what is wrong with it", () => {
    const rows: [Partial<Draft>, keyof Draft][] = [
      [{ every: "often" }, "every"], [{ jitter: "some" }, "jitter"], [{ when: "cron", cron: " " }, "cron"], [{ when: "at", at: "" }, "at"],
      [{ zone: "Berlin" }, "zone"], [{ id: "no spaces" }, "id"], [{ message: " " }, "message"], [{ does: "playbook" }, "playbook"],
      [{ does: "playbook", playbook: "p", inputs: "[1]" }, "inputs"], [{ does: "tool", tool: "" }, "tool"],
      [{ does: "tool", tool: "t", args: "{" }, "args"],
    ];
    for (const [more, field] of rows) expect(content(draft(more)), JSON.stringify(more)).toMatchObject({ field });
  });

  it("an id that is taken is told at its field", () => {
    expect(refused("conflict", draft({ id: "morning" }))).toEqual({ field: "id", says: "faultTaken" });
    expect([refused("conflict", draft({})), refused("rate_limited", draft({ id: "a" })), refused(null, draft({ id: "a" }))]).toEqual([null, null, null]);
  });

  it("a preview needs no action", () => {
    expect(timing({ ...EMPTY, message: "" })).toEqual({ every_s: 1800 });
  });

  it("a schedule that there is comes back as it was", () => {
    const rows: Parameters<typeof draftOf>[0][] = [
      { schedule: "a", every_s: 5400, jitter_s: 300, message: "m", agent: "ada" },
      { schedule: "b", cron: "0 9 * * 1-5", zone: "Europe/Berlin", active_hours: "mon-fri 09:00-18:00", missed: "once", playbook: "p", inputs: { n: [1] } },
      { schedule: "c", at: "2027-12-01T09:00", title: "Passport", tool: "t", args: { path: "." } },
    ];
    for (const row of rows) expect(content(draftOf(row))).toEqual(row);
  });
});
