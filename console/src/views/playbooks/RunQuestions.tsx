import { useId, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { useGuarded, useLingering } from "../../asked/useGuarded";
import { overWord } from "../../asked/verdicts";
import { t as tAsked } from "../../asked/words";
import { Button } from "../../kit/Button";
import { Markdown } from "../../kit/Markdown";
import { Said } from "../../kit/Said";
import { useAct, useMay, usePage } from "../../shell/page";
import { dayAndClock } from "../../text/figures";
import { InputsForm } from "./InputsForm";
import css from "./playbooks.module.css";
import { formSpecs, sends } from "./run/inputs";
import type { OpenQuestion } from "./run/log";
import { t } from "./words";

/** What the run waits for a person with, answered here. */
export function RunQuestions({ questions }: { questions: readonly OpenQuestion[] }) {
  const region = useRef<HTMLElement>(null);
  const rows = useLingering(questions, idOf);
  return (
    <section ref={region} tabIndex={-1} aria-label={t("questions")} aria-live="polite">
      {rows.slice(0, 50).map((row) => (
        <Question key={row.key} question={row.item} gone={row.leftMs !== null} onDone={() => region.current?.focus()} />
      ))}
    </section>
  );
}

function idOf(question: OpenQuestion): string {
  return `${question.threadId} ${question.waitId}`;
}

type Verdict = "result" | "run_again" | "give_up" | "approve" | "reject" | "always";

function Question({ question, gone, onDone }: { question: OpenQuestion; gone: boolean; onDone: () => void }) {
  const { connection, inbox, tell, watch } = usePage();
  const may = useMay("approve");
  const [busy, act] = useAct();
  const [text, setText] = useState("");
  const field = useId();
  const { watched, state, heeds, takes } = useGuarded(idOf(question));
  const seen = useSyncExternalStore(inbox.subscribe, inbox.view);
  const full = seen.questions.find((one) => one.id === question.waitId && one.thread_id === question.threadId);
  const given = state === "ready" || state === "waits" ? "" : state;
  const over = gone || given !== "";
  const rests = state === "ready" && !over;
  const say = (event: { timeStamp: number; detail?: number }, verdict: Verdict, said = ""): void => {
    if (!takes(event)) return;
    watch.guard.answers(idOf(question), verdict, performance.now());
    watch.measure();
    void act(async () => {
      await connection.call("approval.answer", { thread_id: question.threadId, id: question.waitId, verdict, text: said });
      tell(t("answered"));
      onDone();
    }).then((done) => {
      if (!done) watch.guard.refused(idOf(question));
    });
  };
  const specs = useMemo(() => (question.asks === "answer" && question.choices.length === 0 ? formSpecs(question.form) : null), [question]);
  const asksText = specs === null && (question.asks === "review" || (question.asks === "answer" && question.choices.length === 0));
  const isYesNo = question.asks === "human" || question.asks === "approval";
  return (
    <div className={css.question} {...heeds}>
      <div>
        <strong>{t("questions")}</strong>{" "}
        {!over && question.expiresMs !== null && question.expiresMs > 0 && (
          <span className={css.quiet}>{t("expires", { at: dayAndClock(new Date(question.expiresMs).toISOString()) })}</span>
        )}
      </div>
      <Markdown text={question.prompt} />
      {full?.why !== undefined && full.why !== "" && (
        <p className={css.quiet}>
          <Said>{t("whyAsked", { why: full.why })}</Said>
        </p>
      )}
      {full?.arguments !== undefined && full.arguments !== "" && (
        <pre className={css.value} tabIndex={0}>
          <Said>{full.arguments}</Said>
        </pre>
      )}
      {!may && <p className={css.quiet}>{t("mayNotAnswer")}</p>}
      {may && specs !== null && !over && (
        <InputsForm
          specs={specs}
          act={t("answerSend")}
          busy={busy}
          onValues={(values) => say({ timeStamp: performance.now() }, "result", JSON.stringify(values))}
        />
      )}
      {may && (asksText || question.asks === "approval") && (
        <div className={css.field}>
          <label htmlFor={field}>
            {asksText ? t("answerText") : t("reason")}
            {asksText && question.form !== null && ` (${t("json")})`}
          </label>
          <textarea
            id={field}
            rows={2}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (!asksText || !sends(event)) return;
              event.preventDefault();
              if (text !== "" && !busy) say({ timeStamp: event.timeStamp }, "result", text);
            }}
          />
        </div>
      )}
      {may && (
        <div ref={watched} className={css.row} inert={over}>
          {over && <strong>{tAsked(overWord(given))}</strong>}
          {isYesNo && (
            <>
              <Button tone="main" busy={busy} waits={!rests} onClick={(event) => say(event, "approve")}>
                {t("answerYes")}
              </Button>
              <Button busy={busy} waits={!rests} onClick={(event) => say(event, "reject", question.asks === "approval" ? text : "")}>
                {t("answerNo")}
              </Button>
            </>
          )}
          {question.asks === "approval" && (
            <Button busy={busy} waits={!rests} onClick={(event) => say(event, "always")}>
              {t("answerAlways")}
            </Button>
          )}
          {question.choices.length > 0 &&
            !isYesNo &&
            question.choices.map((choice) => (
              <Button key={choice} busy={busy} waits={!rests} onClick={(event) => say(event, "result", choice)}>
                <Said>{choice}</Said>
              </Button>
            ))}
          {asksText && (
            <Button tone="main" busy={busy} disabled={text === ""} waits={!rests} onClick={(event) => say(event, "result", text)}>
              {t("answerSend")}
            </Button>
          )}
          {question.asks === "review" && (
            <Button busy={busy} waits={!rests} onClick={(event) => say(event, "run_again")}>
              {t("answerRunAgain")}
            </Button>
          )}
          {question.asks !== "approval" && (
            <Button tone="ghost" busy={busy} waits={!rests} onClick={(event) => say(event, "give_up")}>
              {t("answerGiveUp")}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
