import { describe, expect, it } from "vitest";
import { draftOf } from "./draft";
import { contentOf, isOurs, matching, type Row } from "./told";

const row = (more: Partial<Row>): Row => ({
  schedule: "morning", title: "", explain: "Every 30m", action: "message to its own thread: What is on today?", status: "active", why: "",
  by: "owner", next: [], notes: [], fired: 0, missed: 0, skipped: 0, failed: 0, ...more,
});

describe("what a schedule tells of itself", () => {
  it("a form gets the fields, inputs and arguments with them", () => {
    const fields = {
      every_s: null, jitter_s: 0, cron: "@daily", at: null, zone: "UTC", active_hours: "", missed: "skip" as const, message: null,
      thread_id: null, agent: null, tool: "t", args: { n: [1] }, playbook: null, inputs: {},
    };
    const content = contentOf(row({ title: "T", fields }));
    expect(content).toEqual({ ...fields, schedule: "morning", title: "T" });
    expect(draftOf(content ?? {})).toMatchObject({ id: "morning", when: "cron", cron: "@daily", does: "tool", args: JSON.stringify({ n: [1] }, null, 2) });
  });

  it("what no form makes has no form", () => {
    expect(contentOf(row({ action: "remind people: Tea", fields: null }))).toBeNull();
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
