import { Link } from "wouter";
import type { ViewProps } from "../table";
import css from "./beats.module.css";
import { Calendar } from "./Calendar";
import { Heartbeats } from "./Heartbeats";
import { Schedules } from "./Schedules";
import { t } from "./words";

const PARTS = ["calendar", "heartbeat", "schedules"] as const;

/** What happens by itself: the calendar of it, agents' own time, and schedules. */
export default function BeatsView({ rest }: ViewProps) {
  const at = PARTS.find((part) => part === rest) ?? "calendar";
  return (
    <>
      <div className={css.head}>
        <h1>{t("title")}</h1>
        <nav aria-label={t("parts")} className={css.tabs}>
          {PARTS.map((part) => (
            <Link key={part} href={`/beats/${part}`} aria-current={part === at ? "page" : undefined}>
              {t(part)}
            </Link>
          ))}
        </nav>
      </div>
      {at === "calendar" && <Calendar />}
      {at === "heartbeat" && <Heartbeats />}
      {at === "schedules" && <Schedules />}
    </>
  );
}
