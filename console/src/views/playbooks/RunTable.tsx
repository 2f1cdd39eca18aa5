import { Button } from "../../kit/Button";
import { Badge, Empty, Problem } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import { useNow } from "../../shell/page";
import { count, dayAndClock, spent, shortCount } from "../../text/figures";
import { runAddress } from "./address";
import css from "./playbooks.module.css";
import { statusWord, tookS, toneOf } from "./run/states";
import type { Runs } from "./runs";
import { t } from "./words";

/** Runs, one a line. */
export function RunTable({ runs, most = Infinity, named = true }: { runs: Runs; most?: number; named?: boolean }) {
  const now = useNow(1);
  const rows = (runs.rows ?? []).slice(0, most);
  return (
    <>
      {runs.error !== null && (
        <Problem>
          {t("loadFailed", { why: runs.error })} <Button onClick={runs.reload}>{t("again")}</Button>
        </Problem>
      )}
      {runs.rows === null && runs.error === null && <p>{t("loading")}</p>}
      {runs.rows !== null && rows.length === 0 && <Empty>{t("noRuns")}</Empty>}
      {rows.length > 0 && (
        <div className={`${css.wide ?? ""} ${css.runs ?? ""}`} tabIndex={0} role="region" aria-label={t("caption")}>
          <table>
            <thead>
              <tr>
                <th scope="col">{named ? t("playbook") : t("run")}</th>
                <th scope="col">{t("status")}</th>
                <th scope="col">{t("since")}</th>
                <th scope="col" className={css.figure}>{t("took")}</th>
                <th scope="col" className={css.figure}>{t("doneHead")}</th>
                <th scope="col" className={css.figure}>{t("tokens")}</th>
                <th scope="col" className={css.figure}>{t("money")}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.run}>
                  <td>
                    <a className={css.name} href={runAddress(row.playbook, row.run)} title={t("openRun", { run: row.run })}>
                      <Said>{named ? row.playbook : row.run}</Said>
                    </a>
                    <div className={css.quiet}>
                      <Said>{named ? `${row.run} · ${row.trigger}` : row.trigger}</Said>
                    </div>
                  </td>
                  <td>
                    <Badge tone={toneOf(row.status)}>{statusWord(row.status)}</Badge>
                    {row.failure !== "" && (
                      <div className={css.trouble}>
                        <Said>{row.failure.slice(0, 200)}</Said>
                      </div>
                    )}
                  </td>
                  <td>
                    <time dateTime={row.started_at}>{dayAndClock(row.started_at)}</time>
                  </td>
                  <td className={css.figure}>{tookS(row, now)}</td>
                  <td className={css.figure}>{count(row.done)}</td>
                  <td className={css.figure}>{shortCount(row.tokens)}</td>
                  <td className={css.figure}>{spent(row.cost, row.tokens)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
