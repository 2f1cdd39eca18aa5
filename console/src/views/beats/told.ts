import type { Result } from "../../protocol/wire";
import type { Content } from "./draft";

export type Row = Result<"schedule.list">["schedules"][number];

/** What a schedule is, for a form that changes it; null where it is not made in a form. */
export function contentOf(row: Row): Content | null {
  return row.fields == null ? null : { ...row.fields, schedule: row.schedule, title: row.title };
}

/** Whether people may change it: what settings and playbooks make is changed where it is written. */
export function isOurs(row: Row): boolean {
  return !/^(heartbeat[._]|playbook_)/.test(row.schedule);
}

/** Schedules in which all of the words stand somewhere. */
export function matching(rows: readonly Row[], words: string): readonly Row[] {
  const wanted = words.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (wanted.length === 0) return rows;
  return rows.filter((row) => {
    const text = [row.schedule, row.title, row.explain, row.action, row.by, row.status].join(" ").toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}
