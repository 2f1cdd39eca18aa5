import { useMemo, useState } from "react";
import { Link } from "wouter";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { Badge, Empty } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import { Trouble } from "../../kit/Trouble";
import { useNarrow } from "../../kit/useNarrow";
import { useCall, useNow } from "../../shell/page";
import css from "./beats.module.css";
import { bounds, dayOf, daysShown, moved, ownZone, reading, type Day, type Span } from "./days";
import { byDay, reasons, threads, toneOf, type Group } from "./entries";
import { heading, longDay, shortDay, weekdayName } from "./times";
import { useFresh } from "./useFresh";
import { outcomeWord, reasonWord, t } from "./words";

/** In a month, so many lines of a day are shown in its cell. */
const IN_MONTH = 4;

/** What was and what will be, by day: a table of weeks, and on a phone a list. */
export function Calendar() {
  const zone = ownZone();
  const now = useNow(30);
  const today = dayOf(now, zone);
  const narrow = useNarrow();
  const [span, setSpan] = useState<Span>("week");
  const [around, setAround] = useState(today);
  const [opened, setOpened] = useState<Day | null>(null);
  const days = useMemo(() => daysShown(around, span), [around, span]);
  const loaded = useCall("calendar.list", useMemo(() => bounds(days, zone), [days, zone]));
  useFresh(loaded.reload, ["beat", "schedule"]);
  const groups = useMemo(() => byDay(loaded.value?.rows ?? [], zone, now), [loaded.value, zone, now]);
  const shown = { days, groups, today, month: span === "month" ? around.slice(0, 7) : null, most: span === "month" ? IN_MONTH : Infinity, onOpen: setOpened };
  return (
    <section aria-label={t("calendar")}>
      <div className={css.bar}>
        <h2 aria-live="polite">{heading(around, days, span)}</h2>
        <div className={css.row}>
          <div role="group" aria-label={t("span")} className={css.row}>
            <Button aria-pressed={span === "week"} tone={span === "week" ? "main" : "plain"} onClick={() => setSpan("week")}>
              {t("week")}
            </Button>
            <Button aria-pressed={span === "month"} tone={span === "month" ? "main" : "plain"} onClick={() => setSpan("month")}>
              {t("month")}
            </Button>
          </div>
          <Button onClick={() => setAround(moved(around, span, -1))}>{t("earlier")}</Button>
          <Button onClick={() => setAround(today)}>{t("today")}</Button>
          <Button onClick={() => setAround(moved(around, span, 1))}>{t("later")}</Button>
        </div>
      </div>
      <Trouble of={loaded} what={t("theCalendar")} />
      {loaded.value === null && loaded.loading && <Empty>{t("loading")}</Empty>}
      {loaded.value !== null && (
        <>
          {narrow ? <List {...shown} /> : <Weeks {...shown} />}
          {loaded.value.rows.length === 0 && <Empty>{t("nothingOn")}</Empty>}
          {loaded.value.more && <p className={css.quiet}>{t("truncated")}</p>}
          <p className={css.quiet}>{t("zoneIs", { zone })}</p>
        </>
      )}
      {opened !== null && <DayDialog day={opened} zone={zone} groups={groups.get(opened) ?? []} onClose={() => setOpened(null)} />}
    </section>
  );
}

interface Shown {
  days: readonly Day[];
  groups: ReadonlyMap<Day, readonly Group[]>;
  today: Day;
  /** `2027-01`; null where no month is shown. */
  month: string | null;
  most: number;
  onOpen: (day: Day) => void;
}

function Weeks({ days, groups, today, month, most, onOpen }: Shown) {
  const weeks = Array.from({ length: days.length / 7 }, (_, week) => days.slice(week * 7, week * 7 + 7));
  return (
    <table className={css.calendar} data-span={month === null ? "week" : "month"}>
      <thead>
        <tr>
          {(weeks[0] ?? []).map((day) => (
            <th key={day} scope="col">
              {weekdayName(day)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((day) => {
              const found = groups.get(day) ?? [];
              return (
                <td key={day} data-today={day === today} data-outside={month !== null && !day.startsWith(month)}>
                  <DayButton day={day} groups={found} today={day === today} onOpen={onOpen}>
                    {String(Number(day.slice(8)))}
                  </DayButton>
                  <Lines groups={found.slice(0, most)} />
                  {found.length > most && <span className={css.quiet}>{t("moreOn", { count: found.length - most })}</span>}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Days that have something, one below the other. */
function List({ days, groups, today, most, onOpen, month }: Shown) {
  return (
    <ul className={css.plainList}>
      {days
        .filter((day) => (month === null || day.startsWith(month)) && (groups.has(day) || day === today))
        .map((day) => {
          const found = groups.get(day) ?? [];
          return (
            <li key={day} className={css.dayRow} data-today={day === today}>
              <DayButton day={day} groups={found} today={day === today} onOpen={onOpen}>
                {shortDay(day)}
              </DayButton>
              <Lines groups={found.slice(0, most)} />
              {found.length > most && <span className={css.quiet}>{t("moreOn", { count: found.length - most })}</span>}
              {found.length === 0 && <span className={css.quiet}>{t("noEntries")}</span>}
            </li>
          );
        })}
    </ul>
  );
}

function DayButton({ day, groups, today, onOpen, children }: { day: Day; groups: readonly Group[]; today: boolean; onOpen: (day: Day) => void; children: string }) {
  const entries = groups.reduce((sum, group) => sum + group.entries.length, 0);
  const count = entries === 0 ? t("noEntries") : entries === 1 ? t("entriesOne") : t("entriesMany", { count: entries });
  if (entries === 0) {
    return (
      <span className={css.dayNumber} aria-current={today ? "date" : undefined}>
        {children}
      </span>
    );
  }
  return (
    <button
      type="button"
      className={css.dayNumber}
      aria-current={today ? "date" : undefined}
      aria-label={t("openDay", { day: shortDay(day), count })}
      onClick={() => onOpen(day)}
    >
      {children}
    </button>
  );
}

function Lines({ groups }: { groups: readonly Group[] }) {
  return (
    <ul className={css.plainList}>
      {groups.map((group) => (
        <li key={group.key} className={css.line} data-tone={toneOf(group.outcome)} data-ahead={group.ahead}>
          <span className={css.clock}>{group.entries.length > 1 ? `${group.first}–${group.last}` : group.first}</span>{" "}
          <Said>{nameOf(group)}</Said>{" "}
          <span className={css.outcome}>
            {group.entries.length > 1 && `${t("times", { count: group.entries.length })}, `}
            <Outcome group={group} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** What it is called where it has no title: the agent of a beat, or the schedule. */
function nameOf(group: Group): string {
  if (group.kind !== "beat") return group.title === "" ? group.schedule : group.title;
  if (group.title === "") return t("beatOf", { agent: group.agent });
  return group.ahead ? group.title : t("beatOn", { agent: group.agent, project: group.title });
}

function Outcome({ group }: { group: Group }) {
  if (group.ahead) return <>{t("ahead")}</>;
  return group.outcome === "" ? <>{t("noOutcome")}</> : <Said>{outcomeWord(group.outcome)}</Said>;
}

function DayDialog({ day, zone, groups, onClose }: { day: Day; zone: string; groups: readonly Group[]; onClose: () => void }) {
  return (
    <Dialog title={longDay(day)} onClose={onClose}>
      <ul className={css.plainList}>
        {groups.map((group) => (
          <li key={group.key} className={css.dayEntry}>
            <div className={css.row}>
              <strong>
                <Said>{nameOf(group)}</Said>
              </strong>
              <Badge tone={toneOf(group.outcome)}>
                <Outcome group={group} />
              </Badge>
              <Link href={group.kind === "beat" ? "/beats/heartbeat" : "/beats/schedules"}>
                {group.kind === "beat" ? t("toHeartbeat") : t("toSchedule")}
              </Link>
            </div>
            <p className={css.clocks}>{group.entries.map((entry) => reading(Date.parse(entry.at), zone).clock).join(", ")}</p>
            {threads(group).map((id, index) => (
              <Link key={id} href={`/chat/${id}`} className={css.threadLink}>
                {index === 0 ? t("itsThread") : String(index + 1)}
              </Link>
            ))}
            {reasons(group).map((reason) => (
              <p key={reason} className={css.quiet}>
                <Said>{t("reason", { reason: reasonWord(reason) })}</Said>
              </p>
            ))}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
