import { useId, useState } from "react";
import { Ago } from "../../kit/Ago";
import { Button } from "../../kit/Button";
import { Badge, Problem } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import type { StepRow } from "../../protocol/generated";
import type { ThreadEvent } from "../../protocol/wire";
import { useCall, useMay, useNow } from "../../shell/page";
import { clock, count, dayAndClock, spent } from "../../text/figures";
import { Heading } from "./Heading";
import css from "./playbooks.module.css";
import { logLines } from "./run/log";
import { neverBegan, passOf, statusWord, stepState, tookS } from "./run/states";
import { t } from "./words";

interface RunStepProps {
  run: string;
  id: string;
  title: string;
  /** Its passes, the newest last; none where it has not begun. */
  rows: readonly StepRow[];
  records: readonly ThreadEvent[];
  busy: boolean;
  onClose: () => void;
  /** Left out where it may not be done. */
  onFrom?: (at: string) => void;
  onFork?: (at: string) => void;
}

const SHOWN_CHARS = 20_000;

/** A step of a run: how it stands, what it was given and came to, and what is written down of it. */
export function RunStep({ run, id, title, rows, records, busy, onClose, onFrom, onFork }: RunStepProps) {
  const approve = useMay("approve");
  const field = useId();
  const now = useNow(1);
  const [chosen, setChosen] = useState("");
  const row = rows.find((one) => one.at === chosen) ?? rows.find((one) => one.status === "running" || one.status === "waiting") ?? rows[rows.length - 1];
  return (
    <section
      className={css.side}
      aria-label={t("step")}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <div className={css.between}>
        <Heading of={id}>
          <Said>{title}</Said>
        </Heading>
        <Button tone="ghost" onClick={onClose}>
          {t("closeStep")}
        </Button>
      </div>
      {row === undefined && <p className={css.quiet}>{t("panelNone")}</p>}
      {rows.length > 1 && row !== undefined && (
        <p className={css.row}>
          <label htmlFor={field}>{t("pass")}</label>
          <select id={field} value={row.at} onChange={(event) => setChosen(event.target.value)}>
            {rows.map((one) => (
              <option key={one.at} value={one.at}>
                {passOf(one.at) || one.at} · {neverBegan(one) ? t("notBegun") : statusWord(one.status)}
              </option>
            ))}
          </select>
        </p>
      )}
      {row !== undefined && (
        <>
          <Badge tone={stepState(row).tone}>{stepState(row).word}</Badge>
          <dl className={css.facts}>
            <dt>{t("kind")}</dt>
            <dd>
              <Said>{row.kind}</Said>
            </dd>
            <dt>{t("attempts")}</dt>
            <dd>{row.tries}</dd>
            {row.started_at !== null && (
              <>
                <dt>{t("began")}</dt>
                <dd>{dayAndClock(row.started_at)}</dd>
                <dt>{t("took")}</dt>
                <dd>{row.ended_at === null ? <Ago at={row.started_at} /> : tookS(row, now)}</dd>
              </>
            )}
            <dt>{t("tokens")}</dt>
            <dd>{count(row.tokens)}</dd>
            <dt>{t("cost")}</dt>
            <dd>{spent(row.cost, row.tokens)}</dd>
            {row.route !== "" && (
              <>
                <dt>{t("route")}</dt>
                <dd>
                  <Said>{row.route}</Said>
                </dd>
              </>
            )}
            {row.note !== "" && (
              <>
                <dt>{t("note")}</dt>
                <dd>
                  <Said>{row.note}</Said>
                </dd>
              </>
            )}
          </dl>
          {neverBegan(row) ? (
            <p className={css.quiet}>
              <Said>{row.error}</Said>
            </p>
          ) : (
            row.error !== "" && (
              <Problem>
                <Said>{row.error}</Said>
              </Problem>
            )
          )}
          <div className={css.row}>
            {onFrom !== undefined && approve && (
              <Button busy={busy} onClick={() => onFrom(row.at)}>
                {t("fromStep")}
              </Button>
            )}
            {onFork !== undefined && approve && (
              <Button busy={busy} onClick={() => onFork(row.at)}>
                {t("fork")}
              </Button>
            )}
          </div>
          {!approve && (onFrom !== undefined || onFork !== undefined) && <p className={css.quiet}>{t("fromNeeds")}</p>}
          <Whole key={`${row.at} ${row.status} ${row.tries}`} run={run} row={row} />
          <h3>{t("panelLog")}</h3>
          <Log records={records} step={row.at} />
        </>
      )}
    </section>
  );
}

/** All that a step was given and gave, asked for when it is looked at. */
function Whole({ run, row }: { run: string; row: StepRow }) {
  const { value } = useCall("workflow.status", { run, step: row.at });
  const whole = value?.steps.find((one) => one.at === row.at) ?? row;
  return (
    <>
      <Value run={run} step={row.at} title={t("panelGiven")} value={whole.given} />
      <Value run={run} step={row.at} title={t("panelOutput")} value={whole.output} />
      <Value run={run} step={row.at} title={t("panelResult")} value={whole.result} />
    </>
  );
}

export function Value({ run, step, title, value }: { run: string; step: string; title: string; value: unknown }) {
  if (value === null || value === undefined) return null;
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const left = text.length - SHOWN_CHARS;
  return (
    <>
      <h3>{title}</h3>
      <pre className={css.value} tabIndex={0} aria-label={title}>
        <Said>{text.slice(0, SHOWN_CHARS)}</Said>
      </pre>
      {left > 0 && <p className={css.quiet}>{t("whole", { count: count(left), run, step: visible(step) })}</p>}
    </>
  );
}

const SHOWN_LINES = 100;

export function Log({ records, step }: { records: readonly ThreadEvent[]; step: string | null }) {
  const lines = logLines(records, step, SHOWN_LINES);
  if (lines.length === 0) return <p className={css.quiet}>{t("logEmpty")}</p>;
  return (
    <ol className={css.log} tabIndex={0} aria-label={t("panelLog")}>
      {lines.map((line) => (
        <li key={line.key}>
          <time dateTime={line.at} className={css.quiet}>
            {clock(line.at)}
          </time>{" "}
          <Said>{line.text}</Said>
        </li>
      ))}
    </ol>
  );
}
