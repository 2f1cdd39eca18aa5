import { useEffect, useMemo, type ReactNode } from "react";
import { useSyncExternalStore } from "react";
import { Link } from "wouter";
import type { LiveRow } from "../../protocol/generated";
import { Meter } from "../../kit/Meter";
import { questionCount } from "../../shell/inbox";
import { useCall, useNow, usePage } from "../../shell/page";
import { count, dayAndClock, dollars, duration, shortCount } from "../../text/figures";
import { shareUsed, todayOf, toneOf, type Today } from "../use/today";
import css from "./live.module.css";
import { counts } from "./tree";
import { t } from "./words";

const AGAIN_MS = 15_000;

/** The line above: how many work and wait, what today came to, and what comes next. */
export function Summary({ rows, paused: pausedRuns }: { rows: ReadonlyMap<string, LiveRow> | null; paused: ReadonlySet<string> }) {
  const { inbox } = usePage();
  const waits = useSyncExternalStore(inbox.subscribe, inbox.view);
  const { notices, known } = waits;
  // As the inbox has them: rows tell of one question of a thread, and of some hundred threads.
  const asking = questionCount(waits);
  const { working, paused, waiting } = useMemo(() => counts(rows?.values() ?? [], pausedRuns), [rows, pausedRuns]);
  const status = useCall("system.status", {});
  const beats = useCall("heartbeat.status", {});
  const { reload: statusAgain } = status;
  const { reload: beatsAgain } = beats;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "hidden") return;
      statusAgain();
      beatsAgain();
    }, AGAIN_MS);
    return () => clearInterval(timer);
  }, [statusAgain, beatsAgain]);
  const today = status.value === null ? null : todayOf(status.value as Record<string, unknown>);
  const next = beats.value?.heartbeats.map((beat) => beat.next).filter((at) => at !== null).sort()[0];
  return (
    <>
      <dl className={css.summary}>
        <Figure name={t("working")}>{rows === null ? t("notYet") : count(working)}</Figure>
        <Figure name={t("asking")}>{waits.questions.length > 0 ? <Link href="/inbox">{asking}</Link> : asking}</Figure>
        <Figure name={t("waiting")}>{rows === null ? t("notYet") : count(waiting)}</Figure>
        {paused > 0 && <Figure name={t("pausedRuns")}>{count(paused)}</Figure>}
        <Figure name={t("today")}>{today === null ? t(status.loading ? "notYet" : "unknown") : <Used today={today} />}</Figure>
        <Figure name={t("nextBeat")}>
          {beats.value === null ? t(beats.loading ? "notYet" : "unknown") : next === undefined ? <Link href="/beats">{t("noBeat")}</Link> : <Until at={next} />}
        </Figure>
        <Figure name={t("notices")}>{notices.length > 0 ? <Link href="/inbox">{count(notices.length)}</Link> : known ? "0" : t("notYet")}</Figure>
      </dl>
      <p role="status" className="visually-hidden">
        {waits.questions.length === 0 ? "" : asking === "1" ? t("askedOne") : t("asked", { count: asking })}
      </p>
    </>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Used({ today }: { today: Today }) {
  const share = shareUsed(today);
  const tokens =
    today.tokensLimit === null
      ? t("todayTokens", { used: shortCount(today.tokens) })
      : t("todayTokensOf", { used: shortCount(today.tokens), limit: shortCount(today.tokensLimit) });
  const money = today.cost === null ? "" : today.costLimit === null ? dollars(today.cost) : t("todayMoneyOf", { used: dollars(today.cost), limit: dollars(today.costLimit) });
  return (
    <Link href="/use" className={css.plain}>
      {money !== "" && <span>{money} </span>}
      {share === null ? (
        <span className={money === "" ? undefined : css.small}>{tokens}</span>
      ) : (
        <Meter share={share} tone={toneOf(share)}>
          {tokens}
        </Meter>
      )}
    </Link>
  );
}

function Until({ at }: { at: string }) {
  const now = useNow(5);
  const left = (Date.parse(at) - now) / 1000;
  return (
    <time dateTime={at} title={dayAndClock(at)}>
      {left > 0 ? t("in", { time: duration(left) }) : t("now")}
    </time>
  );
}
