import { language } from "../../text/catalog";
import { differs, isZone, reading, type Day, type Span } from "./days";

/** A day in words; `day` has no zone, so it is written as one of UTC. */
function written(day: Day, options: Intl.DateTimeFormatOptions): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString(language(), { timeZone: "UTC", ...options });
}

export function longDay(day: Day): string {
  return written(day, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
}

export function shortDay(day: Day): string {
  return written(day, { weekday: "short", day: "numeric", month: "short" });
}

export function weekdayName(day: Day): string {
  return written(day, { weekday: "short" });
}

/** What a calendar shows, in words: `11 – 17 January 2027`, `January 2027`. */
export function heading(around: Day, days: readonly Day[], span: Span): string {
  if (span === "month") return written(around, { month: "long", year: "numeric" });
  const format = new Intl.DateTimeFormat(language(), { timeZone: "UTC", day: "numeric", month: "long", year: "numeric" });
  const [first, last] = [days[0] ?? around, days.at(-1) ?? around];
  return format.formatRange(new Date(`${first}T00:00:00Z`), new Date(`${last}T00:00:00Z`));
}

/** The zone by whose clocks a schedule goes, as `explain` ends with it; empty where it goes by none, or by one that is not known here. */
export function zoneIn(explain: string): string {
  const last = explain.split(/[\s,;]+/).at(-1) ?? "";
  return (last.includes("/") || last === "UTC") && isZone(last) ? last : "";
}

export interface TwoClocks {
  readonly here: string;
  /** What clocks of the schedule's zone show; empty where that is the same. */
  readonly there: string;
  readonly zone: string;
}

/** A time by the person's clocks, and by the schedule's where these differ then. */
export function clocks(at: string, own: string, zone: string): TwoClocks {
  const ms = Date.parse(at);
  const here = new Date(ms).toLocaleString(language(), {
    timeZone: own, weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23",
  });
  if (zone === "" || !isZone(zone) || !differs(ms, own, zone)) return { here, there: "", zone: "" };
  const [mine, other] = [reading(ms, own), reading(ms, zone)];
  return { here, there: mine.day === other.day ? other.clock : `${shortDay(other.day)}, ${other.clock}`, zone };
}
