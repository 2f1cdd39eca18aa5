import { useState } from "react";
import { Link } from "wouter";
import { Button } from "../../kit/Button";
import { Badge, Empty, Panel } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import { Trouble } from "../../kit/Trouble";
import type { Result } from "../../protocol/wire";
import { useCall } from "../../shell/page";
import { count, dayAndClock, dollars, duration } from "../../text/figures";
import css from "./beats.module.css";
import { toneOf } from "./entries";
import { useFresh } from "./useFresh";
import { outcomeWord, reasonWord, t } from "./words";

type Tick = Result<"heartbeat.log">["ticks"][number];

const PAGE = 30;

/** What became of each wake of an agent, newest first, a page at a time. */
export function Ledger({ agent }: { agent: string }) {
  const [before, setBefore] = useState<number | null>(null);
  const loaded = useCall("heartbeat.log", { agent, limit: PAGE, before });
  useFresh(loaded.reload, ["beat"]);
  const next = loaded.value?.next ?? null;
  return (
    <Panel
      title={t("ledger")}
      actions={
        <>
          <Button disabled={before === null} onClick={() => setBefore(null)}>
            {t("newest")}
          </Button>
          <Button disabled={next === null} onClick={() => setBefore(next)}>
            {t("older")}
          </Button>
        </>
      }
    >
      <Trouble of={loaded} what={t("theLedger")} />
      {loaded.value?.ticks.length === 0 && <Empty>{t("noTicks")}</Empty>}
      {loaded.value !== null && loaded.value.ticks.length > 0 && (
        <div className={css.wide} tabIndex={0} role="group" aria-label={t("ledger")}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t("when")}</th>
                <th scope="col">{t("outcome")}</th>
                <th scope="col">{t("work")}</th>
                <th scope="col" className={css.figure}>
                  {t("took")}
                </th>
                <th scope="col" className={css.figure}>
                  {t("tokens")}
                </th>
                <th scope="col" className={css.figure}>
                  {t("cost")}
                </th>
              </tr>
            </thead>
            <tbody>
              {loaded.value.ticks.map((tick) => (
                <TickRow key={tick.run_id} tick={tick} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function TickRow({ tick }: { tick: Tick }) {
  return (
    <tr>
      <td className={css.whenCell}>
        <time dateTime={tick.at}>{dayAndClock(tick.at)}</time>
        <div className={css.quiet}>
          <Said>{tick.by}</Said>
        </div>
      </td>
      <td>
        <Badge tone={toneOf(tick.status)}>{outcomeWord(tick.status)}</Badge>
        {tick.reason !== "" && (
          <div className={css.quiet}>
            <Said>{reasonWord(tick.reason)}</Said>
          </div>
        )}
      </td>
      <td className={css.workCell}>
        {tick.focus !== "" && (
          <div>
            <Said>{t("focus", { project: tick.focus })}</Said>
          </div>
        )}
        {tick.changed !== "" && (
          <div>
            <Said>{t("changed", { what: tick.changed })}</Said>
          </div>
        )}
        {(tick.summary !== "" || tick.why !== "") && (
          <div className={css.quiet}>
            <Said>{tick.summary === "" ? tick.why : tick.summary}</Said>
          </div>
        )}
        {tick.cycles.length > 0 && (
          <div className={css.row}>
            {tick.cycles.map((cycle) => (
              <Link key={cycle.number} href={`/chat/${cycle.thread_id}`}>
                {t("cycleOf", { number: cycle.number, status: outcomeWord(cycle.status) })}
              </Link>
            ))}
          </div>
        )}
      </td>
      <td className={css.figure}>{tick.duration_s === null ? "" : duration(tick.duration_s)}</td>
      <td className={css.figure}>{tick.tokens === 0 ? "" : count(tick.tokens)}</td>
      <td className={css.figure}>{tick.cost === 0 || tick.cost === null ? "" : dollars(tick.cost)}</td>
    </tr>
  );
}
