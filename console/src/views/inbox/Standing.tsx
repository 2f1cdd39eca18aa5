import { useEffect, useRef } from "react";
import { Link } from "wouter";
import { HeldChanges } from "../../asked/Answering";
import { isExact } from "../../asked/verdicts";
import { Button } from "../../kit/Button";
import { Empty, Panel, Problem } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import { useAct, useCall, useMay, usePage } from "../../shell/page";
import { dayAndClock } from "../../text/figures";
import css from "./inbox.module.css";
import { t } from "./words";

/** A rule counts from when its call is taken up, which is soon behind the answer. */
const AGAIN_MS = [0, 1_000, 4_000];

/** Asks again when something was decided: `sign` is another one then. */
function useAgain(sign: number, reload: () => void): void {
  const first = useRef(sign);
  useEffect(() => {
    if (first.current === sign) return;
    first.current = sign;
    const timers = AGAIN_MS.map((ms) => setTimeout(reload, ms));
    return () => {
      for (const timer of timers) clearTimeout(timer);
    };
  }, [sign, reload]);
}

/** Changes of files that wait for a person. */
export function Changes({ sign }: { sign: number }) {
  const { value, error, reload } = useCall("changes.list", {});
  useAgain(sign, reload);
  return (
    <Panel title={t("changes")}>
      {error !== null && (
        <>
          <Problem>
            <Said>{t("changesFailed", { why: error })}</Said>
          </Problem>
          <Button onClick={reload}>{t("again")}</Button>
        </>
      )}
      {value === null ? (
        error === null && <p>{t("loading")}</p>
      ) : value.waiting.length === 0 ? (
        <Empty>{t("changesNone")}</Empty>
      ) : (
        <ul className={css.entries}>
          {value.waiting.slice(0, 200).map((row) => (
            <li key={row.changes} className={css.entry}>
              <header className={css.entryHead}>
                <Said>{row.told}</Said>
                <time className={css.quiet} dateTime={row.held_at}>
                  {dayAndClock(row.held_at)}
                </time>
                <Link href={`/chat/${encodeURIComponent(row.thread_id)}`} className={css.open}>
                  {t("open")}
                </Link>
              </header>
              <HeldChanges changes={row.changes} onDecided={reload} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** What a rule is good for, in words; two that are good for some arguments are told apart by the digest. */
function whatFor(target: string): string {
  return isExact(target) ? t("ruleExactly", { digest: target.slice("args:".length, "args:".length + 8) }) : target;
}

/** What was allowed with `always`, and until when. */
export function Rules({ sign }: { sign: number }) {
  const { connection, tell } = usePage();
  const may = useMay("approve");
  const [busy, act] = useAct();
  const { value, error, reload } = useCall("approval.rules", {});
  const panel = useRef<HTMLDivElement>(null);
  useAgain(sign, reload);
  return (
    <div ref={panel} tabIndex={-1} className={css.focusable}>
      <Panel title={t("rules")}>
        {error !== null && (
          <>
            <Problem>
              <Said>{t("rulesFailed", { why: error })}</Said>
            </Problem>
            <Button onClick={reload}>{t("again")}</Button>
          </>
        )}
        {value === null ? (
          error === null && <p>{t("loading")}</p>
        ) : value.rules.length === 0 ? (
          <Empty>{t("rulesNone")}</Empty>
        ) : (
          <div className={css.scroll} tabIndex={0} role="region" aria-label={t("rules")}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t("ruleAgent")}</th>
                  <th scope="col">{t("ruleTool")}</th>
                  <th scope="col">{t("ruleTarget")}</th>
                  <th scope="col">{t("ruleUntil")}</th>
                  {may && (
                    <th scope="col">
                      <span className="visually-hidden">{t("ruleBack")}</span>
                    </th>
                  )}
                </tr>
              </thead>
              <tbody>
                {value.rules.slice(0, 1000).map((rule) => (
                  <tr key={rule.rule}>
                    <td>
                      <Said>{rule.agent}</Said>
                    </td>
                    <td>
                      <Said>{rule.tool}</Said>
                    </td>
                    <td>
                      <Said>{whatFor(rule.target)}</Said>
                    </td>
                    <td>{dayAndClock(rule.expires_at)}</td>
                    {may && (
                      <td>
                        <Button
                          busy={busy}
                          aria-label={t("ruleBackOf", { tool: visible(rule.tool), target: visible(whatFor(rule.target)) })}
                          onClick={() =>
                            void act(async () => {
                              await connection.call("approval.forget", { rule: rule.rule });
                              tell(t("ruleGone", { tool: visible(rule.tool) }));
                              reload();
                              panel.current?.focus();
                            })
                          }
                        >
                          {t("ruleBack")}
                        </Button>
                      </td>
                    )}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Panel>
    </div>
  );
}
