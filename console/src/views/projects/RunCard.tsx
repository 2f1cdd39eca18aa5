import { useEffect, useState, useSyncExternalStore } from "react";
import { Link } from "wouter";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { Badge, Empty } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import { Trouble } from "../../kit/Trouble";
import type { Result } from "../../protocol/wire";
import { useAct, useCall, useMay, usePage } from "../../shell/page";
import { dayAndClock, spent, shortCount } from "../../text/figures";
import { isActive } from "./cards";
import css from "./projects.module.css";
import { t } from "./words";

type Step = Result<"workflow.status">["steps"][number];

/** As long as a run goes on it is looked at this often. */
const LOOK_MS = 2500;
/** So many of its steps are shown here; all of them stand with the playbooks. */
const STEPS = 50;
const TONES: Readonly<Record<string, "plain" | "good" | "warn" | "bad" | "accent">> = {
  running: "accent", waiting: "warn", paused: "warn", completed: "good", failed: "bad", cancelled: "warn",
};

/**
 * A run that plans or works on a project: how it stands, step by step.
 *
 * @param onMoved something has happened in it, by which the project's file may be another.
 */
export function RunCard({ run, what, onMoved }: { run: string; what: "plan" | "work" | "both"; onMoved: () => void }) {
  const { inbox } = usePage();
  const asks = useSyncExternalStore(inbox.subscribe, inbox.view).questions.find((question) => question.thread_id === run);
  const loaded = useCall("workflow.status", { run, limit: STEPS });
  const about = loaded.value?.about;
  const { reload } = loaded;
  const active = about !== undefined && isActive(about.status);
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(reload, LOOK_MS);
    return () => clearInterval(timer);
  }, [active, reload]);
  const place = about === undefined ? "" : `${about.status} ${about.done} ${about.open.join(" ")}`;
  useEffect(() => {
    if (place !== "") onMoved();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- it is told of moves of the run, not of another listener
  }, [place]);
  return (
    <section className={css.run} aria-label={t(`run_${what}`)}>
      <Trouble of={loaded} what={t("theRun")} />
      {about === undefined ? (
        loaded.loading && <Empty>{t("loading")}</Empty>
      ) : (
        <>
          <div className={css.bar}>
            <div className={css.row} role="status">
              <h3>{t(`run_${what}`)}</h3>
              <Badge tone={TONES[about.status] ?? "plain"}>{t(`run_${about.status}`)}</Badge>
              <span className={css.quiet}>{t("stepsOf", { done: about.done, steps: about.steps })}</span>
            </div>
            <Acts run={run} status={about.status} onDone={reload} />
          </div>
          <p className={css.quiet}>
            {t("began", { at: dayAndClock(about.started_at) })}; {t("spent", { tokens: shortCount(about.tokens), cost: spent(about.cost, about.tokens) })}{" "}
            <Link href={`/chat/${run}`}>{t("thread")}</Link>
          </p>
          {asks !== undefined && (
            <p>
              <Said>{t("asks", { what: asks.prompt })}</Said> <Link href="/inbox">{t("toInbox")}</Link>
            </p>
          )}
          {about.failure !== "" && (
            <p className={css.bad}>
              <Said>{about.failure}</Said>
            </p>
          )}
          {loaded.value !== null && loaded.value.steps.length > 0 && <Steps steps={loaded.value.steps} open={active} />}
        </>
      )}
    </section>
  );
}

function Acts({ run, status, onDone }: { run: string; status: string; onDone: () => void }) {
  const { connection } = usePage();
  const [busy, act] = useAct();
  const [stopping, setStopping] = useState(false);
  const may = useMay("write");
  if (!may || !isActive(status)) return null;
  return (
    <div className={css.row}>
      <Button busy={busy} onClick={() => void act(() => connection.call(status === "paused" ? "workflow.resume" : "workflow.pause", { run }).then(onDone))}>
        {status === "paused" ? t("resume") : t("pause")}
      </Button>
      <Button tone="bad" onClick={() => setStopping(true)}>
        {t("stop")}
      </Button>
      {stopping && (
        <Dialog title={t("stop")} onClose={() => setStopping(false)}>
          <p>{t("stopAsk")}</p>
          <div className={css.row}>
            <Button
              tone="bad"
              busy={busy}
              onClick={() =>
                void act(() => connection.call("workflow.cancel", { run }).then(onDone)).then((done) => {
                  if (done) setStopping(false);
                })
              }
            >
              {t("stop")}
            </Button>
            <Button onClick={() => setStopping(false)}>{t("cancel")}</Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

function Steps({ steps, open }: { steps: readonly Step[]; open: boolean }) {
  return (
    <details open={open}>
      <summary>{t("steps")}</summary>
      <ul className={css.plainList}>
        {steps.map((step) => (
          <li key={step.at} className={css.step}>
            <div className={css.row}>
              <code>
                <Said>{step.at}</Said>
              </code>
              <Badge tone={TONES[step.status] ?? "plain"}>
                <Said>{step.status}</Said>
              </Badge>
              {step.tries > 1 && <span className={css.quiet}>{t("tries", { count: step.tries })}</span>}
            </div>
            {step.error !== "" ? (
              <p className={css.bad}>
                <Said>{step.error}</Said>
              </p>
            ) : (
              <p className={css.output}>
                <Said>{output(step)}</Said>
              </p>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What a step came to, in short. */
function output(step: Step): string {
  const { output: found, note } = step;
  if (found === null || found === undefined) return note;
  const text = typeof found === "string" ? found : JSON.stringify(found);
  return text.length > 400 ? `${text.slice(0, 400)} …` : text;
}
