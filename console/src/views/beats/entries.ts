import type { Result } from "../../protocol/wire";
import { reading, type Day } from "./days";

export type Entry = Result<"calendar.list">["rows"][number];

/** How something came out, by which its mark is coloured. Words stand beside it in any case. */
export type Tone = "plain" | "good" | "warn" | "bad" | "accent";

const TONES: Readonly<Record<string, Tone>> = {
  done: "good", fired: "good", begun: "accent", completed: "good", succeeded: "good", changed: "good",
  running: "accent",
  skipped: "plain", blocked: "warn", limited: "warn", missed: "warn", cancelled: "warn", paused: "warn", late: "warn",
  failed: "bad", error: "bad",
};

export function toneOf(outcome: string): Tone {
  return Object.hasOwn(TONES, outcome) ? (TONES[outcome] ?? "plain") : "plain";
}

/** Times of one thing that came out the same on one day. */
export interface Group {
  readonly key: string;
  readonly kind: string;
  readonly schedule: string;
  readonly agent: string;
  readonly title: string;
  readonly outcome: string;
  /** Whether they are still to come. */
  readonly ahead: boolean;
  readonly entries: readonly Entry[];
  /** `09:00`, of the first and of the last. */
  readonly first: string;
  readonly last: string;
}

/** What the daemon says of what will be. */
const DUE = "due";
/** What a firing becomes, in this order: it is one thing that was done, however often it is told of. */
const GOES_ON = new Set(["fired", "begun"]);
const FOLLOWS = new Set(["begun", "succeeded", "failed", "cancelled", "skipped"]);

/** Entries in the order of time, of each firing of a schedule only what it came to, at the time at which it was fired. */
export function settled(entries: readonly Entry[]): readonly Entry[] {
  const rows: Entry[] = [];
  const open = new Map<string, number>();
  for (const entry of [...entries].sort((one, other) => Date.parse(one.at) - Date.parse(other.at))) {
    const before = entry.kind === "schedule" && FOLLOWS.has(entry.what) ? open.get(entry.schedule) : undefined;
    const at = before ?? rows.length;
    const fired = before === undefined ? undefined : rows[before];
    rows[at] = fired === undefined ? entry : { ...entry, at: fired.at, title: entry.title === "" ? fired.title : entry.title };
    if (entry.kind !== "schedule") continue;
    if (GOES_ON.has(entry.what)) open.set(entry.schedule, at);
    else open.delete(entry.schedule);
  }
  return rows;
}

/** More than so many of one thing on one day are told in one line. */
const ALONE = 2;

/**
 * What a calendar shows, by day: in the order of time, with what comes often put together, so that a period of some minutes does
 * not hide everything else.
 */
export function byDay(entries: readonly Entry[], zone: string, nowMs: number): ReadonlyMap<Day, readonly Group[]> {
  const days = new Map<Day, Map<string, { entry: Entry; clock: string; ahead: boolean }[]>>();
  for (const entry of settled(entries)) {
    const ms = Date.parse(entry.at);
    const { day, clock } = reading(ms, zone);
    const ahead = entry.what === DUE && ms >= nowMs;
    const alike = days.get(day) ?? new Map<string, { entry: Entry; clock: string; ahead: boolean }[]>();
    days.set(day, alike);
    const key = [entry.kind, entry.schedule, entry.agent, entry.title, entry.what, String(ahead)].join("\n");
    alike.set(key, [...(alike.get(key) ?? []), { entry, clock, ahead }]);
  }
  return new Map(
    [...days].map(([day, alike]) => [
      day,
      [...alike.values()]
        .flatMap((times) => (times.length > ALONE ? [times] : times.map((time) => [time])))
        .map(group)
        .sort((one, other) => Date.parse(one.entries[0]?.at ?? "") - Date.parse(other.entries[0]?.at ?? "")),
    ]),
  );
}

function group(times: readonly { entry: Entry; clock: string; ahead: boolean }[]): Group {
  const [first] = times as [(typeof times)[number]];
  const { kind, schedule, agent, title, what } = first.entry;
  return {
    key: [kind, schedule, agent, title, what, first.entry.at].join("\n"), kind, schedule, agent, title, outcome: what === DUE ? "" : what, ahead: first.ahead,
    entries: times.map((time) => time.entry), first: first.clock, last: times.at(-1)?.clock ?? first.clock,
  };
}

/** Reasons that are told, each once, in the order in which they came. */
export function reasons(group: Group): string[] {
  return [...new Set(group.entries.map((entry) => entry.why).filter((reason) => reason !== ""))];
}

/** The conversations that they left behind, each once. */
export function threads(group: Group): string[] {
  return [...new Set(group.entries.map((entry) => entry.thread_id).filter((id) => id !== ""))];
}
