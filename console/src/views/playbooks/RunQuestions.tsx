import { useId, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { About, Prompt } from "../../asked/About";
import { Answering, Expiry, type Asked } from "../../asked/Answering";
import { useGuarded, useLingering } from "../../asked/useGuarded";
import { overLine } from "../../asked/verdicts";
import { Button } from "../../kit/Button";
import { Markdown } from "../../kit/Markdown";
import { Said, visible } from "../../kit/Said";
import type { QuestionRow } from "../../protocol/wire";
import { useAct, useMay, usePage } from "../../shell/page";
import { dayAndClock } from "../../text/figures";
import type { QuestionItem, ThreadView } from "../../thread/items";
import { InputsForm } from "./InputsForm";
import css from "./playbooks.module.css";
import { formSpecs, sends } from "./run/inputs";
import { answerOf, type OpenQuestion } from "./run/log";
import { t } from "./words";

/** What the run waits for a person with, answered here. */
export function RunQuestions({ questions, view }: { questions: readonly OpenQuestion[]; view: ThreadView }) {
  const { inbox } = usePage();
  const waits = useSyncExternalStore(inbox.subscribe, inbox.view);
  const region = useRef<HTMLElement>(null);
  const rows = useLingering(questions, idOf);
  return (
    <section ref={region} tabIndex={-1} aria-label={t("questions")} aria-live="polite">
      {rows.slice(0, 50).map((row) => {
        const { item } = row;
        const about: AboutQuestion = {
          question: item, gone: row.leftMs !== null, onDone: () => region.current?.focus(),
          full: waits.questions.find((one) => one.id === item.waitId && one.thread_id === item.threadId),
        };
        return item.asks === "approval" || item.asks === "review" ? <OfTool key={row.key} {...about} /> : <Question key={row.key} {...about} answer={answerOf(view, item)} />;
      })}
    </section>
  );
}

interface AboutQuestion {
  question: OpenQuestion;
  /** The inbox's row of it, which says more. */
  full: QuestionRow | undefined;
  gone: boolean;
  onDone: () => void;
}

/** Whether a tool may do something, or what became of it: asked and answered as in the conversation and in the inbox. */
function OfTool({ question, full, gone, onDone }: AboutQuestion) {
  const { threadId, waitId: id, tool, target, prompt, choices, expiresMs } = question;
  const asked: Asked = { threadId, id, tool, target, agent: full?.agent ?? "", call: full?.arguments ?? "", prompt, choices };
  return (
    <div className={css.question}>
      <div>
        <strong>{t("questions")}</strong> {!gone && <Expiry id={id} expiresMs={expiresMs} />}
      </div>
      <Prompt id={id} className={css.quiet}>
        {prompt}
      </Prompt>
      <About asked={asked} why={full?.why ?? ""} />
      <Answering asked={asked} gone={gone} onDone={onDone} />
    </div>
  );
}

function idOf(question: OpenQuestion): string {
  return `${question.threadId} ${question.waitId}`;
}

type Verdict = "result" | "give_up" | "approve" | "reject";

function Question({ question, full, gone, onDone, answer }: AboutQuestion & { answer: QuestionItem["answer"] }) {
  const { connection, tell, watch } = usePage();
  const may = useMay("approve");
  const [busy, act] = useAct();
  const [text, setText] = useState("");
  const field = useId();
  const { watched, state, heeds, takes } = useGuarded(idOf(question));
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
  const asksText = specs === null && question.asks === "answer" && question.choices.length === 0;
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
      {may && asksText && (
        <div className={css.field}>
          <label htmlFor={field}>
            {t("answerText")}
            {question.form !== null && ` (${t("json")})`}
          </label>
          <textarea
            id={field}
            rows={2}
            value={text}
            readOnly={over}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (!sends(event)) return;
              event.preventDefault();
              if (text !== "" && !busy && !over) say({ timeStamp: event.timeStamp }, "result", text);
            }}
          />
        </div>
      )}
      {/* It is watched though it is over: that tells what was answered from here. */}
      <div ref={watched} className={css.row} data-answering={over ? "over" : state}>
        {over ? (
          <strong>{choiceSaid(answer?.verdict ?? given, answer?.text ?? "")}</strong>
        ) : (
          may && <Ways question={question} asksText={asksText} text={text} busy={busy} waits={!rests} onSay={say} />
        )}
      </div>
    </div>
  );
}

interface WaysProps {
  question: OpenQuestion;
  asksText: boolean;
  text: string;
  busy: boolean;
  waits: boolean;
  onSay: (event: { timeStamp: number; detail?: number }, verdict: Verdict, said?: string) => void;
}

/** The buttons by which a question of a step is answered. */
function Ways({ question, asksText, text, busy, waits, onSay }: WaysProps) {
  return (
    <>
      {question.asks === "human" && (
        <>
          <Button tone="main" busy={busy} waits={waits} onClick={(event) => onSay(event, "approve")}>
            {t("answerYes")}
          </Button>
          <Button busy={busy} waits={waits} onClick={(event) => onSay(event, "reject")}>
            {t("answerNo")}
          </Button>
        </>
      )}
      {question.asks !== "human" &&
        question.choices.map((choice) => (
          <Button key={choice} busy={busy} waits={waits} onClick={(event) => onSay(event, "result", choice)}>
            <Said>{choice}</Said>
          </Button>
        ))}
      {asksText && (
        <Button tone="main" busy={busy} disabled={text === ""} waits={waits} onClick={(event) => onSay(event, "result", text)}>
          {t("answerSend")}
        </Button>
      )}
      <Button tone="ghost" busy={busy} waits={waits} onClick={(event) => onSay(event, "give_up")}>
        {t("answerGiveUp")}
      </Button>
    </>
  );
}

/** So many characters of an answer are shown where its question was. */
const SAID_CHARS = 200;

/** What was answered, in the words of the button that says it. */
function choiceSaid(verdict: string, text: string): string {
  const buttons: Readonly<Record<string, string>> = { approve: t("answerYes"), reject: t("answerNo"), give_up: t("answerGiveUp") };
  const what = buttons[verdict] ?? visible(text.length > SAID_CHARS ? `${text.slice(0, SAID_CHARS - 1)}…` : text);
  return what === "" ? overLine(verdict, null) : t("answeredWith", { what });
}
