import type { Result } from "../../protocol/wire";
import { seconds, type Content } from "./draft";
import { zoneIn } from "./times";

export type Row = Result<"schedule.list">["schedules"][number];

/** What a schedule is, and whether that is all of it. */
export interface Known {
  readonly content: Content;
  readonly whole: boolean;
}

/**
 * What a schedule is made of, for a form that changes it: as far as its line for people says so, where the daemon does not tell it
 * by fields. Pure.
 */
export function known(row: Row): Known {
  const fields = (row as Row & { fields?: Content }).fields;
  if (fields !== undefined) return { content: { ...fields, schedule: row.schedule, title: row.title }, whole: true };
  const made: Content = { schedule: row.schedule, title: row.title };
  const [when = "", hours = ""] = row.explain.split("; only ");
  const zone = zoneIn(row.explain);
  if (zone !== "") made.zone = zone;
  if (hours !== "") made.active_hours = hours.slice(0, hours.lastIndexOf(","));
  const every = /^Every (\w+)(?:, up to (\w+) later)?$/.exec(when);
  const once = /^Once, at \w+ (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) /.exec(when);
  if (every !== null) {
    made.every_s = seconds(every[1] ?? "");
    const jitter = seconds(every[2] ?? "");
    if (jitter !== null) made.jitter_s = jitter;
  } else if (once !== null) made.at = `${once[1] ?? ""}T${once[2] ?? ""}`;
  else made.cron = "";
  const message = /^message to ([^:]+): (.*)$/s.exec(row.action);
  const named = /^(playbook|tool) (.+)$/.exec(row.action);
  if (message !== null) {
    made.message = message[2];
    const to = message[1] ?? "";
    if (to.startsWith("thr_")) made.thread_id = to;
    else if (to !== "its own thread") made.agent = to;
  } else if (named?.[1] === "playbook") made.playbook = named[2];
  else if (named?.[1] === "tool") made.tool = named[2];
  return { content: made, whole: false };
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
