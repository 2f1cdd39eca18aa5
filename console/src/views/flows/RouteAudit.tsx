import { useState } from "react";
import { Button } from "../../kit/Button";
import { Empty, Panel } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import { useCall } from "../../shell/page";
import { count, dayAndClock } from "../../text/figures";
import css from "./flows.module.css";
import { Failed } from "./Told";
import { t } from "./words";

const PAGE = 100;
const MOST = 1000;

/** The turns that took a route, the newest first. */
export function RouteAudit() {
  const [limit, setLimit] = useState(PAGE);
  const { value, error, reload } = useCall("route.audit", { limit });
  const rows = value?.rows ?? [];
  return (
    <Panel title={t("audit")} actions={<Button onClick={reload}>{t("refresh")}</Button>}>
      <p className={css.quiet}>{t("auditHint")}</p>
      {error !== null && <Failed method="route.audit" why={error} onAgain={reload} />}
      {value === null && error === null && <p>{t("loading")}</p>}
      {value !== null && rows.length === 0 && <Empty>{t("auditNone")}</Empty>}
      {rows.length > 0 && (
        <div className={css.wide} tabIndex={0} role="region" aria-label={t("audit")}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t("at")}</th>
                <th scope="col">{t("route")}</th>
                <th scope="col">{t("by")}</th>
                <th scope="col">{t("mode")}</th>
                <th scope="col">{t("agent")}</th>
                <th scope="col">{t("outcome")}</th>
                <th scope="col" className={css.figure}>{t("ms")}</th>
                <th scope="col">{t("thread")}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.id}>
                  <td>
                    <time dateTime={row.at}>{dayAndClock(row.at)}</time>
                  </td>
                  <td>
                    <Said>{row.route}</Said> <span className={css.quiet}>{row.kind}</span>
                    {(row.first_route ?? "") !== "" && (
                      <div className={css.quiet}>
                        <Said>{t("firstRoute", { route: row.first_route ?? "" })}</Said>
                      </div>
                    )}
                  </td>
                  <td>
                    <Said>{row.gate ?? ""}</Said>
                  </td>
                  <td>
                    <Said>{[row.mode, row.style].filter(Boolean).join(", ")}</Said>
                    {row.made === true && <div className={css.quiet}>{t("made")}</div>}
                    {(row.fixed_why ?? "") !== "" && (
                      <div className={css.quiet}>
                        <Said>{t("fixed", { why: row.fixed_why ?? "" })}</Said>
                      </div>
                    )}
                  </td>
                  <td>
                    <Said>{row.agent ?? ""}</Said>
                  </td>
                  <td>
                    <Said>{row.outcome ?? ""}</Said>
                  </td>
                  <td className={css.figure}>{count(row.took_ms ?? 0)} ms</td>
                  <td>{(row.thread_id ?? "") !== "" && <a href={`#/chat/${row.thread_id}`}>{t("open")}</a>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {rows.length >= limit && limit < MOST && <Button onClick={() => setLimit(Math.min(MOST, limit + 300))}>{t("more")}</Button>}
    </Panel>
  );
}
