/**
 * Days as the clocks of a zone have them: `2027-03-28`. A day is no number of hours, so what is counted is counted in days, and
 * instants are made of them only at the end. Pure.
 */
export type Day = string;

const MS_PER_HOUR = 3_600_000;
/** No zone is farther from UTC than this. */
const FARTHEST_MS = 26 * MS_PER_HOUR;

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string): Intl.DateTimeFormat {
  let known = formats.get(zone);
  if (known === undefined) {
    known = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone, hourCycle: "h23", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit",
    });
    formats.set(zone, known);
  }
  return known;
}

interface Reading {
  readonly day: Day;
  /** `09:05`. */
  readonly clock: string;
}

/** What calendars and clocks in a zone show at an instant. */
export function reading(ms: number, zone: string): Reading {
  const parts = Object.fromEntries(format(zone).formatToParts(ms).map(({ type, value }) => [type, value]));
  return { day: `${parts.year}-${parts.month}-${parts.day}`, clock: `${parts.hour}:${parts.minute}` };
}

export function dayOf(ms: number, zone: string): Day {
  return reading(ms, zone).day;
}

/** The first instant of a day, also where clocks leave midnight out. */
export function startOf(day: Day, zone: string): number {
  let low = Date.parse(`${day}T00:00:00Z`) - FARTHEST_MS;
  let high = low + 2 * FARTHEST_MS;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (dayOf(middle, zone) < day) low = middle;
    else high = middle;
  }
  return high;
}

export function plusDays(day: Day, days: number): Day {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** 0 for Monday to 6 for Sunday. */
export function weekday(day: Day): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
}

export function monday(day: Day): Day {
  return plusDays(day, -weekday(day));
}

export type Span = "week" | "month";

/** The days that a calendar shows around one: its week, or all weeks that its month has a part in. */
export function daysShown(around: Day, span: Span): Day[] {
  if (span === "week") return Array.from({ length: 7 }, (_, index) => plusDays(monday(around), index));
  const first = monday(`${around.slice(0, 8)}01`);
  const days: Day[] = [];
  for (let day = first; days.length === 0 || day.slice(0, 7) <= around.slice(0, 7); day = plusDays(day, 7)) {
    for (let index = 0; index < 7; index++) days.push(plusDays(day, index));
  }
  return days;
}

/** The day to go to from one: a week or a month on or back, on the same day of the month where there is one. */
export function moved(from: Day, span: Span, by: -1 | 1): Day {
  if (span === "week") return plusDays(from, 7 * by);
  const [year = 0, month = 1, date = 1] = from.split("-").map(Number);
  const last = new Date(Date.UTC(year, month - 1 + by + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + by, Math.min(date, last))).toISOString().slice(0, 10);
}

/** The span that a calendar has to ask for, as the protocol wants it: from the first day until before the day behind the last. */
export function bounds(days: readonly Day[], zone: string): { since_ms: number; until_ms: number } {
  const last = days.at(-1) ?? "1970-01-01";
  return { since_ms: startOf(days[0] ?? last, zone), until_ms: startOf(plusDays(last, 1), zone) };
}

/** Whether clocks in two zones show another time at an instant. */
export function differs(ms: number, zone: string, other: string): boolean {
  const [here, there] = [reading(ms, zone), reading(ms, other)];
  return here.day !== there.day || here.clock !== there.clock;
}

/** Whether the browser knows a zone by this name. */
export function isZone(zone: string): boolean {
  try {
    format(zone);
    return true;
  } catch {
    return false;
  }
}

/** The zone of the person at this page. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
