import { useMemo, useState } from "react";
import { Answer } from "../../kit/Answer";
import { Button } from "../../kit/Button";
import { Meter } from "../../kit/Meter";
import { Empty, Panel } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import type { UsageDay } from "../../protocol/generated";
import { useCall } from "../../shell/page";
import { count, dollars, shortCount } from "../../text/figures";
import { Chart, line } from "./Chart";
import { bars, limitOf, shares, sum, valueOf, type Bar, type Measure, type Share } from "./days";
import { todayOf, toneOf, type Today } from "./today";
import css from "./use.module.css";
import { t } from "./words";

const SPANS = [7, 30, 60] as const;

/** What was used: today against its limits, and per day, agent and playbook. */
export default function UseView() {
  const status = useCall("system.status", {});
  const [span, setSpan] = useState<number>(30);
  const [measure, setMeasure] = useState<Measure>("tokens");
  const usage = useCall("usage.days", { days: span });
  return (
    <>
      <h1 className="visually-hidden">{t("title")}</h1>
      <Panel title={t("today")}>
        <Answer call={status} what={t("whatToday")}>
          {(value) => <OfToday today={todayOf(value as Record<string, unknown>)} />}
        </Answer>
      </Panel>
      <Panel
        title={t("perDay")}
        actions={
          <>
            <div role="group" aria-label={t("measure")} className={css.choice}>
              {(["tokens", "money"] as const).map((one) => (
                <Button key={one} tone="ghost" aria-pressed={measure === one} onClick={() => setMeasure(one)}>
                  {t(one)}
                </Button>
              ))}
            </div>
            <div role="group" aria-label={t("span")} className={css.choice}>
              {SPANS.map((one) => (
                <Button key={one} tone="ghost" aria-pressed={span === one} onClick={() => setSpan(one)}>
                  {t("days", { count: one })}
                </Button>
              ))}
            </div>
          </>
        }
      >
        <Answer call={usage} what={t("what")}>
          {({ days }) => <PerDay days={days} span={span} measure={measure} />}
        </Answer>
      </Panel>
      {usage.value !== null && (
        <div className={css.beside}>
          <Panel title={t("byAgent")}>
            <Shares rows={shares(usage.value.days, "agent")} heading={t("agent")} />
          </Panel>
          <Panel title={t("byPlaybook")}>
            <Shares rows={shares(usage.value.days, "playbook")} heading={t("playbook")} />
          </Panel>
        </div>
      )}
    </>
  );
}

function OfToday({ today }: { today: Today | null }) {
  if (today === null) return <Empty>{t("unknown")}</Empty>;
  const { tokens, tokensLimit, cost, costLimit } = today;
  return (
    <div className={css.today}>
      {tokensLimit === null ? (
        <p>{t("tokensNoLimit", { used: count(tokens) })}</p>
      ) : (
        <Meter share={tokens / tokensLimit} tone={toneOf(tokens / tokensLimit)}>
          {t("tokensUsed", { used: count(tokens), limit: count(tokensLimit), left: count(Math.max(0, tokensLimit - tokens)) })}
        </Meter>
      )}
      <p className={css.quiet}>{t("counted")}</p>
      {cost === null ? (
        <p className={css.quiet}>{t("unpriced")}</p>
      ) : costLimit === null ? (
        <p>{t("moneyNoLimit", { used: dollars(cost) })}</p>
      ) : (
        <Meter share={cost / costLimit} tone={toneOf(cost / costLimit)}>
          {t("moneyUsed", { used: dollars(cost), limit: dollars(costLimit), left: dollars(Math.max(0, costLimit - cost)) })}
        </Meter>
      )}
    </div>
  );
}

function PerDay({ days, span, measure }: { days: readonly UsageDay[]; span: number; measure: Measure }) {
  const [table, setTable] = useState(false);
  const today = new Date().toISOString().slice(0, 10);
  const row = useMemo(() => bars(days, span, today), [days, span, today]);
  const all = sum(row);
  if (all.tokens === 0) return <Empty>{t("nothing")}</Empty>;
  return (
    <>
      <p className={css.total}>{line(all)}</p>
      <Chart bars={row} measure={measure} limit={limitOf(days, measure)} />
      <Button tone="ghost" aria-expanded={table} onClick={() => setTable(!table)}>
        {t("asTable")}
      </Button>
      {/* Screen readers have it in any case: to them the picture says nothing. */}
      <div className={table ? css.table : "visually-hidden"}>
        <DayTable rows={row} caption={t("chart", { measure: t(measure), count: span })} />
      </div>
    </>
  );
}

function DayTable({ rows, caption }: { rows: readonly Bar[]; caption: string }) {
  return (
    <table className={css.figures}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{t("day")}</th>
          <th scope="col">{t("in")}</th>
          <th scope="col">{t("out")}</th>
          <th scope="col">{t("cost")}</th>
        </tr>
      </thead>
      <tbody>
        {[...rows].reverse().map((row) => (
          <tr key={row.day}>
            <th scope="row">{row.day}</th>
            <td>{count(row.tokensIn)}</td>
            <td>{count(row.tokensOut)}</td>
            <td>{row.cost === null ? t("noPrice") : dollars(row.cost)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const MOST = 100;

function Shares({ rows, heading }: { rows: readonly Share[]; heading: string }) {
  if (rows.length === 0) return <Empty>{t("nothingBy")}</Empty>;
  const measure: Measure = rows.some((row) => (row.cost ?? 0) > 0) ? "money" : "tokens";
  const whole = rows.reduce((all, row) => all + valueOf(row, measure), 0) || 1;
  return (
    <table className={css.figures}>
      <thead>
        <tr>
          <th scope="col">{heading}</th>
          <th scope="col">{t("tokens")}</th>
          <th scope="col">{t("cost")}</th>
          <th scope="col">{t("share")}</th>
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, MOST).map((row) => {
          const share = valueOf(row, measure) / whole;
          return (
            <tr key={row.name}>
              <th scope="row">
                {row.name === "" ? t("rest") : <Said>{row.name}</Said>}
              </th>
              <td title={line(row)}>{shortCount(row.tokens)}</td>
              <td>{row.cost === null ? t("noPrice") : dollars(row.cost)}</td>
              <td>
                <Meter share={share}>{`${Math.round(share * 100)} %`}</Meter>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
