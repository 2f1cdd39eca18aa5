import { memo, useId, useRef, useState, type ReactNode } from "react";
import { Link } from "wouter";
import { Ago } from "../../kit/Ago";
import { Button } from "../../kit/Button";
import { Meter } from "../../kit/Meter";
import { Badge } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import type { LiveRow } from "../../protocol/generated";
import { useAct, usePage, useStanding } from "../../shell/page";
import { count, dollars, shortCount } from "../../text/figures";
import { actsOn, isStill, placeOf, type Act } from "./acts";
import { nearest, type Budget } from "./budget";
import { CancelRun } from "./CancelRun";
import { HandOver } from "./HandOver";
import css from "./live.module.css";
import { Steer } from "./Steer";
import { t } from "./words";

type Form = "steer" | "handOver" | "cancel";

/**
 * One thread: what it does, what it has used, and what a person can do about it.
 *
 * @param asked whether one that it waits for asks a person.
 * @param still whether all work stands still.
 */
export const Row = memo(function Row({ row, gone, asked, paused, still }: { row: LiveRow; gone: boolean; asked: boolean; paused: boolean; still: boolean }) {
  const { scopes } = useStanding();
  const [form, setForm] = useState<Form | null>(null);
  const opener = useRef<HTMLButtonElement | null>(null);
  const heading = useId();
  const title = titleOf(row);
  const acts = gone ? [] : actsOn(row, scopes, paused);
  const close = (): void => {
    setForm(null);
    opener.current?.focus();
  };
  const open = (which: Form, button: HTMLButtonElement): void => {
    opener.current = button;
    setForm(form === which ? null : which);
  };
  return (
    <article className={css.row} aria-labelledby={heading}>
      <div className={css.who}>
        <h3 id={heading}>
          <Link href={placeOf(row)}>
            <Said>{title}</Said>
          </Link>
        </h3>
        <p className={css.doing}>
          <Said>{row.agent}</Said> <Doing row={row} gone={gone} asked={asked} paused={isStill(row, paused, still)} />
        </p>
        <Marks row={row} />
      </div>
      <p className={css.since}>
        {t("begun")} <Ago at={row.since} />
      </p>
      <p className={css.used}>
        <span title={`${count(row.tokens_in)} / ${count(row.tokens_out)}`}>
          {t("tokens", { in: shortCount(row.tokens_in), out: shortCount(row.tokens_out) })}
        </span>
        {row.cost_usd !== null && <span>{dollars(row.cost_usd)}</span>}
      </p>
      <div className={css.left}>
        <Left budget={nearest(row)} />
      </div>
      <div className={css.acts}>
        {acts.map((act) => (
          <ActButton key={act === "resume" ? "pause" : act} act={act} row={row} title={title} expanded={form} onForm={open} />
        ))}
      </div>
      {!gone && form === "steer" && <Steer row={row} onClose={close} />}
      {!gone && form === "handOver" && <HandOver row={row} onClose={close} />}
      {!gone && form === "cancel" && <CancelRun row={row} onClose={close} />}
    </article>
  );
});

function titleOf(row: LiveRow): string {
  return row.title || (row.playbook ?? "") || t("untitled");
}

function Doing({ row, gone, asked, paused }: { row: LiveRow; gone: boolean; asked: boolean; paused: boolean }) {
  if (gone) return <Badge>{t("ended")}</Badge>;
  if (paused) return <Badge tone="warn">{t("isPaused")}</Badge>;
  return (
    <>
      <Said>{sentenceOf(row, asked)}</Said>
      <span className={css.quiet}>
        {" · "}
        <Ago at={row.doing.since} />
      </span>
    </>
  );
}

function sentenceOf({ doing: { what, name }, question }: LiveRow, asked: boolean): string {
  switch (what) {
    case "model":
      return name === "" ? t("modelNoName") : t("model", { name });
    case "tool":
      return name === "" ? t("toolNoName") : t("tool", { name });
    case "step":
      return name === "" ? t("stepNoName") : t("step", { name });
    case "handed":
      if (asked) return t("handedAsks", { name: name || t("others") });
      return name === "" ? t("handedNoName") : t("handed", { name });
    case "queued":
      return t("queued");
    case "waits":
      if (name === "") return t("waits");
      if (question !== null) return t("asks", { name });
      return name === "time" ? t("waitsTime") : t("waitsFor", { name });
  }
}

function Marks({ row }: { row: LiveRow }) {
  return (
    <>
      {(row.tainted || row.waiting > 0 || row.project !== "") && (
        <p className={css.marks}>
          {row.project !== "" && (
            <Badge>
              <Said>{t("project", { name: row.project })}</Said>
            </Badge>
          )}
          {row.tainted && (
            <span title={t("outsideWhy")}>
              <Badge tone="warn">{t("outside")}</Badge>
            </span>
          )}
          {row.waiting > 0 && <Badge>{row.waiting === 1 ? t("inputsOne") : t("inputs", { count: row.waiting })}</Badge>}
        </p>
      )}
      {row.question !== null && (
        <p className={css.question}>
          <Said>{row.question.prompt}</Said> <Link href="/inbox">{t("answer")}</Link>
        </p>
      )}
    </>
  );
}

function Left({ budget }: { budget: Budget | null }) {
  if (budget === null) return <span className={css.quiet}>{t("noLimit")}</span>;
  const words: ReactNode =
    budget.what === "money"
      ? t("leftMoney", { left: dollars(budget.left) })
      : budget.what === "tokens"
        ? t("leftTokens", { left: shortCount(budget.left) })
        : t("leftCalls", { left: count(budget.left) });
  if (budget.share === null) return <span>{words}</span>;
  const tone = budget.share <= 0.05 ? "bad" : budget.share <= 0.2 ? "warn" : "plain";
  return (
    <Meter share={budget.share} tone={tone}>
      {words}
    </Meter>
  );
}

interface ActButtonProps {
  act: Act;
  row: LiveRow;
  title: string;
  expanded: Form | null;
  onForm: (form: Form, button: HTMLButtonElement) => void;
}

function ActButton({ act, row, title, expanded, onForm }: ActButtonProps) {
  const { connection, tell } = usePage();
  const [busy, run] = useAct();
  const said = { title };
  const done = async (asked: () => Promise<unknown>, words: string): Promise<void> => {
    if (await run(asked)) tell(words);
  };
  switch (act) {
    case "steer":
    case "handOver":
      return (
        <Button tone="ghost" aria-expanded={expanded === act} aria-label={t(act === "steer" ? "steerThis" : "handOverThis", said)} onClick={(event) => onForm(act, event.currentTarget)}>
          {t(act)}
        </Button>
      );
    case "cancel":
      return (
        <Button tone="ghost" className={css.bad} aria-label={t("cancelThis", said)} onClick={(event) => onForm("cancel", event.currentTarget)}>
          {t("cancelRun")}
        </Button>
      );
    case "pause":
    case "resume":
      return (
        <Button
          tone="ghost"
          busy={busy}
          aria-label={t(act === "pause" ? "pauseThis" : "resumeThis", said)}
          onClick={() =>
            void done(
              () => (act === "pause" ? connection.call("workflow.pause", { run: row.thread_id }) : connection.call("workflow.resume", { run: row.thread_id })),
              t(act === "pause" ? "pausing" : "resumed"),
            )
          }
        >
          {t(act)}
        </Button>
      );
    case "stop":
      return (
        <Button
          tone="ghost"
          className={css.bad}
          busy={busy}
          aria-label={t("stopThis", said)}
          onClick={() => void done(() => connection.call("turn.stop", { thread_id: row.thread_id, request_id: `con-${crypto.randomUUID()}` }), t("stopped"))}
        >
          {t("stop")}
        </Button>
      );
  }
}
