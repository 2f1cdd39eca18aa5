import { useId, useState } from "react";
import { Link } from "wouter";
import { Ago } from "../../kit/Ago";
import { Button } from "../../kit/Button";
import { Badge, Empty, Panel } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import { Trouble } from "../../kit/Trouble";
import type { Result } from "../../protocol/wire";
import { useAct, useCall, useMay, usePage } from "../../shell/page";
import { dayAndClock, dollars, shortCount, spent } from "../../text/figures";
import css from "./beats.module.css";
import { toneOf } from "./entries";
import { Ledger } from "./Ledger";
import { useFresh } from "./useFresh";
import { outcomeWord, reasonWord, t } from "./words";

type Row = Result<"heartbeat.status">["heartbeats"][number];

/** Each agent's own time: how it stands, what it may still use, and what became of each wake. */
export function Heartbeats() {
  const loaded = useCall("heartbeat.status", {});
  useFresh(loaded.reload, ["beat"]);
  return (
    <>
      <Trouble of={loaded} what={t("theStatus")} />
      {loaded.value === null && loaded.loading && <Empty>{t("loading")}</Empty>}
      {loaded.value?.heartbeats.length === 0 && <Empty>{t("noHeartbeat")}</Empty>}
      {loaded.value?.heartbeats.map((row) => (
        <Heartbeat key={row.agent} row={row} onChanged={loaded.reload} />
      ))}
    </>
  );
}

function Heartbeat({ row, onChanged }: { row: Row; onChanged: () => void }) {
  const paused = row.schedules.length > 0 && row.schedules.every((schedule) => schedule.paused);
  return (
    <section className={css.heartbeat}>
      <header className={css.bar}>
        <div className={css.row}>
          <h2>
            <Said>{row.agent}</Said>
          </h2>
          <Badge tone={row.running !== null ? "accent" : paused ? "warn" : row.enabled ? "good" : "plain"}>
            {row.running !== null ? t("running") : paused ? t("pausedState") : row.enabled ? t("on") : t("off")}
          </Badge>
          {row.thread_id !== "" && <Link href={`/chat/${row.thread_id}`}>{row.running === null ? t("thread") : t("watch")}</Link>}
        </div>
        <Acts row={row} paused={paused} onChanged={onChanged} />
      </header>
      <div className={css.cards}>
        <Panel title={t("next")}>
          <p>{row.next === null ? t("never") : dayAndClock(row.next)}</p>
          {!row.enabled && row.schedules.length === 0 && <p className={css.quiet}>{t("howOn")}</p>}
          {row.quiet_until !== null && <p>{t("quietUntil", { at: dayAndClock(row.quiet_until) })}</p>}
          {row.failures > 0 && <p className={css.bad}>{t("failures", { count: row.failures })}</p>}
          {row.standing > 0 && <p>{t("standing", { count: row.standing })}</p>}
          {row.schedules.map((schedule) => (
            <p key={schedule.schedule} className={css.quiet}>
              <Said>{`${schedule.explain}${schedule.project === "" ? "" : `: ${schedule.project}`}`}</Said>
              {schedule.why !== "" && <Said>{` (${schedule.why})`}</Said>}
            </p>
          ))}
        </Panel>
        <Panel title={t("budget")}>
          {row.budgets.map((budget) => (
            <Budget key={budget.span} budget={budget} />
          ))}
        </Panel>
        {row.last !== null && (
          <Panel title={t("last")}>
            <p className={css.row}>
              <Badge tone={toneOf(row.last.status)}>{outcomeWord(row.last.status)}</Badge>
              <Ago at={row.last.at} />
            </p>
            {row.last.reason !== "" && (
              <p>
                <Said>{reasonWord(row.last.reason)}</Said>
              </p>
            )}
            {row.beat !== null && row.beat.run_id !== row.last.run_id && (
              <p className={css.quiet}>
                {t("lastBeat")}: <Ago at={row.beat.at} />, {outcomeWord(row.beat.status)}
              </p>
            )}
          </Panel>
        )}
      </div>
      <Ledger agent={row.agent} />
    </section>
  );
}

function Acts({ row, paused, onChanged }: { row: Row; paused: boolean; onChanged: () => void }) {
  const { connection, tell } = usePage();
  const [busy, act] = useAct();
  const [project, setProject] = useState("");
  const may = useMay("write");
  const projects = useCall("project.list", {}, may);
  const field = useId();
  if (!may) return null;
  return (
    <div className={css.row}>
      <label htmlFor={field}>{t("project")}</label>
      <select id={field} value={project} onChange={(event) => setProject(event.target.value)}>
        <option value="">{t("anyProject")}</option>
        {projects.value?.projects.map((one) => (
          <option key={one.project} value={one.project}>
            {one.project}
          </option>
        ))}
      </select>
      <Button
        tone="main"
        busy={busy}
        disabled={row.running !== null}
        onClick={() =>
          void act(async () => {
            await connection.call("heartbeat.trigger", { agent: row.agent, project: project === "" ? null : project, request_id: crypto.randomUUID() });
            tell(t("begun", { agent: row.agent }));
            onChanged();
          })
        }
      >
        {t("beatNow")}
      </Button>
      {row.schedules.length > 0 && (
        <Button
          busy={busy}
          onClick={() => void act(() => connection.call(paused ? "heartbeat.resume" : "heartbeat.pause", { agent: row.agent }).then(onChanged))}
        >
          {paused ? t("resume") : t("pause")}
        </Button>
      )}
    </div>
  );
}

function Budget({ budget }: { budget: Row["budgets"][number] }) {
  const name = useId();
  return (
    <div className={css.budget}>
      <span id={name}>{budget.span === "day" ? t("span_day") : t("span_month")}</span>
      {budget.tokens_limit > 0 ? (
        <>
          <progress aria-labelledby={name} max={budget.tokens_limit} value={Math.min(budget.tokens, budget.tokens_limit)} />
          <span>{t("tokensOf", { used: shortCount(budget.tokens), limit: shortCount(budget.tokens_limit) })}</span>
        </>
      ) : (
        <span>{t("tokensUsed", { used: shortCount(budget.tokens) })}</span>
      )}
      <span>{budget.cost_limit === null ? spent(budget.cost, budget.tokens) : t("moneyOf", { used: spent(budget.cost, budget.tokens), limit: dollars(budget.cost_limit) })}</span>
    </div>
  );
}
