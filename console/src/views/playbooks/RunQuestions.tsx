import { useId, useMemo, useRef, useState, useSyncExternalStore } from "react";
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
  return (
    <section ref={region} tabIndex={-1} aria-label={t("questions")} aria-live="polite">
      {questions.slice(0, 50).map((question) => (
        <Question key={`${question.threadId} ${question.waitId}`} question={question} onDone={() => region.current?.focus()} />
      ))}
    </section>
  );
}

type Verdict = "result" | "run_again" | "give_up" | "approve" | "reject" | "always";

function Question({ question, onDone }: { question: OpenQuestion; onDone: () => void }) {
  const { connection, inbox, tell } = usePage();
  const may = useMay("approve");
  const [busy, act] = useAct();
  const [text, setText] = useState("");
  const field = useId();
  const seen = useSyncExternalStore(inbox.subscribe, inbox.view);
  const full = seen.questions.find((one) => one.id === question.waitId && one.thread_id === question.threadId);
  const say = (verdict: Verdict, said = ""): void =>
    void act(async () => {
      await connection.call("approval.answer", { thread_id: question.threadId, id: question.waitId, verdict, text: said });
      tell(t("answered"));
      onDone();
    });
  const specs = useMemo(() => (question.asks === "answer" && question.choices.length === 0 ? formSpecs(question.form) : null), [question]);
  const asksText = specs === null && (question.asks === "review" || (question.asks === "answer" && question.choices.length === 0));
  const isYesNo = question.asks === "human" || question.asks === "approval";
  return (
    <div className={css.question}>
      <div>
        <strong>{t("questions")}</strong>{" "}
        {question.expiresMs !== null && question.expiresMs > 0 && (
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
      {may && specs !== null && <InputsForm specs={specs} act={t("answerSend")} busy={busy} onValues={(values) => say("result", JSON.stringify(values))} />}
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
              if (text !== "" && !busy) say("result", text);
            }}
          />
        </div>
      )}
      {may && (
        <div className={css.row}>
          {isYesNo && (
            <>
              <Button tone="main" busy={busy} onClick={() => say("approve")}>
                {t("answerYes")}
              </Button>
              <Button busy={busy} onClick={() => say("reject", question.asks === "approval" ? text : "")}>
                {t("answerNo")}
              </Button>
            </>
          )}
          {question.asks === "approval" && (
            <Button busy={busy} onClick={() => say("always")}>
              {t("answerAlways")}
            </Button>
          )}
          {question.choices.length > 0 &&
            !isYesNo &&
            question.choices.map((choice) => (
              <Button key={choice} busy={busy} onClick={() => say("result", choice)}>
                <Said>{choice}</Said>
              </Button>
            ))}
          {asksText && (
            <Button tone="main" busy={busy} disabled={text === ""} onClick={() => say("result", text)}>
              {t("answerSend")}
            </Button>
          )}
          {question.asks === "review" && (
            <Button busy={busy} onClick={() => say("run_again")}>
              {t("answerRunAgain")}
            </Button>
          )}
          {question.asks !== "approval" && (
            <Button tone="ghost" busy={busy} onClick={() => say("give_up")}>
              {t("answerGiveUp")}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
