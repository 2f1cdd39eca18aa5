import { describe, expect, it } from "vitest";
import { isOurs, known, matching, type Row } from "./told";

const row = (more: Partial<Row>): Row => ({
  schedule: "morning", title: "", explain: "Every 30m", action: "message to its own thread: What is on today?", status: "active", why: "",
  by: "owner", next: [], notes: [], fired: 0, missed: 0, skipped: 0, failed: 0, ...more,
});

describe("what a schedule tells of itself", () => {
  it("a period, its jitter and its hours are read back", () => {
    expect(known(row({ explain: "Every 1h30m, up to 5m later; only mon-fri 09:00-18:00, Europe/Berlin" })).content).toMatchObject({
      every_s: 5400, jitter_s: 300, active_hours: "mon-fri 09:00-18:00", zone: "Europe/Berlin", message: "What is on today?",
    });
  });

  it("a single time is read back with its zone", () => {
    expect(known(row({ explain: "Once, at Wednesday 2027-12-01 09:00:00 Europe/Berlin" })).content).toMatchObject({
      at: "2027-12-01T09:00:00", zone: "Europe/Berlin",
    });
  });

  it("cron in words stays empty, so that it is given again and not guessed", () => {
    const { content, whole } = known(row({ explain: "At 09:00 on Monday through Friday, Europe/Berlin" }));
    expect([content.cron, content.zone, whole]).toEqual(["", "Europe/Berlin", false]);
  });

  it("whom a message goes to is told apart", () => {
    expect(known(row({ action: "message to thr_9b2d: a: b\nc" })).content).toMatchObject({ thread_id: "thr_9b2d", message: "a: b\nc" });
    expect(known(row({ action: "message to ada: a" })).content).toMatchObject({ agent: "ada" });
    expect(known(row({ action: "playbook triage" })).content).toMatchObject({ playbook: "triage" });
  });

  it("a daemon that tells the fields is believed", () => {
    const told = { ...row({ title: "T" }), fields: { cron: "@daily", message: "m" } };
    expect(known(told)).toEqual({ content: { cron: "@daily", message: "m", schedule: "morning", title: "T" }, whole: true });
  });

  it("what settings and playbooks make is not a person's to edit", () => {
    expect(["morning", "heartbeat_sulla", "heartbeat.garden", "playbook_triage_1"].map((schedule) => isOurs(row({ schedule })))).toEqual([
      true, false, false, false,
    ]);
  });

  it("all words have to be found, in any place", () => {
    const rows = [row({ schedule: "a", action: "playbook triage" }), row({ schedule: "b" })];
    expect(matching(rows, "TRIAGE a").map((one) => one.schedule)).toEqual(["a"]);
    expect(matching(rows, "  ")).toHaveLength(2);
  });
});
