import { memo, useContext, useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { Link } from "wouter";
import { About, Prompt } from "../../../asked/About";
import { Answering, Expiry, HeldChanges } from "../../../asked/Answering";
import { Button } from "../../../kit/Button";
import { Copy } from "../../../kit/Copy";
import { Markdown } from "../../../kit/Markdown";
import { Badge } from "../../../kit/Panel";
import { Said, visible } from "../../../kit/Said";
import { useMay, usePage } from "../../../shell/page";
import { clock, count, dayAndClock, dollars, duration, shortCount, sinceS } from "../../../text/figures";
import type { ChildItem, EndItem, InputItem, Item, NoteItem, QuestionItem, ReasoningItem, TextItem, ToolItem } from "../../../thread/items";
import { pathOf } from "../address";
import { ownWords } from "../composing";
import { endWords } from "../ends";
import { noteWords } from "../notes";
import { BelowContext, NotCopiedContext, useAround, useCard } from "../shared";
import { argsText, beginning, brief, SHOWN_CHARS } from "../toolText";
import { t } from "../words";
import { ChildAsks } from "./ChildAsks";
import css from "./items.module.css";

/** One item of a conversation. Drawn again only when the item is another value. */
export const Row = memo(function Row({ item }: { item: Item }) {
  switch (item.kind) {
    case "input":
      return <InputRow item={item} />;
    case "text":
      return <TextRow item={item} />;
    case "reasoning":
      return <ReasoningRow item={item} />;
    case "tool":
      return <ToolCard item={item} />;
    case "question":
      return <QuestionCard item={item} />;
    case "child":
      return <ChildCard item={item} />;
    case "note":
      return <NoteRow item={item} />;
    case "end":
      return <EndRow item={item} />;
  }
});

function When({ at }: { at: string }) {
  return (
    <time className={css.when} dateTime={at} title={dayAndClock(at)}>
      {clock(at)}
    </time>
  );
}

/** A line that opens what belongs to it. */
function Fold({ id, open, toggle, line, children, className }: { id: string; open: boolean; toggle: () => void; line: ReactNode; children: ReactNode; className?: string }) {
  return (
    <div className={className}>
      <button type="button" className={css.fold} aria-expanded={open} aria-controls={open ? id : undefined} onClick={toggle}>
        <span className={css.arrow} aria-hidden="true">
          {open ? "▾" : "▸"}
        </span>
        {line}
      </button>
      {open && (
        <div id={id} className={css.folded}>
          {children}
        </div>
      )}
    </div>
  );
}

/** A long text: its beginning, until somebody asks for all. */
function Long({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const shown = all ? text : beginning(text, SHOWN_CHARS);
  return (
    <>
      <pre className={css.text} tabIndex={0}>
        <Said>{shown}</Said>
      </pre>
      {shown.length < text.length && <Button onClick={() => setAll(true)}>{t("toolLonger", { count: count(text.length) })}</Button>}
    </>
  );
}

function origin(name: string): string {
  const said = t(`from_${name}` as "from_web");
  return said.startsWith("from_") ? name : said;
}

function InputRow({ item }: { item: InputItem }) {
  const { threadId, acts, edit, fork } = useAround();
  const { threads } = usePage();
  const may = useMay("write");
  const own = ownWords(item.origin);
  const mine = acts && may && item.threadId === threadId;
  return (
    <article className={own ? css.input : css.inputOther}>
      <header className={css.head}>
        <span className={css.who}>{item.origin === "web" ? t("aProgram") : !own ? origin(item.origin) : item.tainted ? t("aModel") : threads.isOwn(item.messageId) ? t("you") : t("person")}</span>
        <When at={item.at} />
        {item.spoken && <Badge>{t("spoken")}</Badge>}
        {item.tainted && <Badge tone="warn">{t("outside")}</Badge>}
        {item.state === "sending" && <Badge>{t("sending")}</Badge>}
        {item.state === "waits" && <Badge tone="accent">{t(item.mode === "steer" ? "joins" : "waiting")}</Badge>}
        {item.state === "dropped" && (
          <Badge tone="warn">
            <Said>{item.why === "" ? t("dropped") : t("droppedWhy", { why: item.why })}</Said>
          </Badge>
        )}
        {mine && own && item.seq !== null && (
          <span className={css.inputActs}>
            <Button tone="ghost" className={css.small} onClick={() => edit(item)}>
              {t("edit")}
            </Button>
            <Button tone="ghost" className={css.small} onClick={() => fork(item)}>
              {t("forkHere")}
            </Button>
          </span>
        )}
      </header>
      <div className={css.words}>
        <Said>{item.text}</Said>
      </div>
      {item.quoted !== "" && <Quoted item={item} />}
      {item.state === "failed" && (
        <div role="alert" className={css.failed}>
          <Said>{t("failed", { why: item.why })}</Said>
          {mine && (
            <span className={css.buttons}>
              <Button
                onClick={() =>
                  // What goes wrong is shown in place.
                  void threads.sendAgain(threadId, item.messageId).catch(() => undefined)
                }
              >
                {t("resend")}
              </Button>
              <Button onClick={() => edit(item)}>{t("editFailed")}</Button>
            </span>
          )}
        </div>
      )}
    </article>
  );
}

function Quoted({ item }: { item: InputItem }) {
  const [open, toggle] = useCard(`quoted ${item.key}`);
  return (
    <Fold id={`quoted-${item.key}`} open={open} toggle={toggle} line={t("quoted", { count: count(item.quoted.length) })}>
      <Long text={item.quoted} />
    </Fold>
  );
}

/** A text that grows is read anew at most so often; what is over is shown at once. */
const PACE_MS = 120;

function usePaced(text: string, done: boolean): string {
  const [shown, setShown] = useState(text);
  const newest = useRef(text);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(() => {
    newest.current = text;
    if (done || timer.current !== null) return;
    timer.current = setTimeout(() => {
      timer.current = null;
      setShown(newest.current);
    }, PACE_MS);
  }, [text, done]);
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    },
    [],
  );
  return done ? text : shown;
}

function TextRow({ item }: { item: TextItem }) {
  const text = usePaced(item.text, item.done);
  return (
    <article className={css.reply}>
      <header className={css.head}>
        <span className={css.who}>
          <Said>{item.agent === "" ? "sulla" : item.agent}</Said>
        </span>
        <When at={item.at} />
        {!item.done && <span className={css.quiet}>{t("writing")}</span>}
        {item.cut && <Badge tone="warn">{t("cut")}</Badge>}
        {item.tainted && <Badge tone="warn">{t("outside")}</Badge>}
        {item.standIn !== "" && (
          <Badge>
            <Said>{t("standIn", { model: item.standIn })}</Said>
          </Badge>
        )}
        {item.done && <Copy text={text} className={css.small} />}
      </header>
      <Markdown text={text} />
    </article>
  );
}

function ReasoningRow({ item }: { item: ReasoningItem }) {
  const [open, toggle] = useCard(item.key);
  return (
    <Fold className={css.aside} id={item.key} open={open} toggle={toggle} line={item.done ? t("reasoning") : t("reasoningNow")}>
      <ReasoningText item={item} />
    </Fold>
  );
}

function ReasoningText({ item }: { item: ReasoningItem }) {
  return <Long text={usePaced(item.text, item.done)} />;
}

function ToolCard({ item }: { item: ToolItem }) {
  const { acts } = useAround();
  const [open, toggle] = useCard(item.key);
  const [state, tone] = item.refused
    ? (["toolRefused", "plain"] as const)
    : item.asked === "rejected"
      ? (["toolRejected", "warn"] as const)
      : item.asked === "waits" && item.result === null
      ? (["toolAsks", "warn"] as const)
      : item.result === null
      ? (["toolWorks", "accent"] as const)
      : item.isError
        ? (["toolError", "bad"] as const)
        : (["toolDone", "good"] as const);
  const args = argsText(item.args);
  const effect = `effect_${item.effect}`;
  return (
    <article className={css.card}>
      <Fold
        id={item.key}
        open={open}
        toggle={toggle}
        line={
          <>
            <strong className={css.name}>
              <Said>{item.name}</Said>
            </strong>
            <span className={css.brief}>
              <Said>{item.result === null && item.progress !== "" ? item.progress : brief(item.args)}</Said>
            </span>
            <span className={css.marks}>
              {item.tainted && <Badge tone="warn">{t("outside")}</Badge>}
              <Badge tone={tone}>{t(state)}</Badge>
            </span>
          </>
        }
      >
        <p className={css.quiet}>
          {t(effect as "effect_once") === effect ? item.effect : t(effect as "effect_once")}
          {item.endedAt !== null && ` · ${t("toolTook", { time: duration(sinceS(item.at, Date.parse(item.endedAt))) })}`}
          {item.origin !== "" && ` · ${t("toolFrom", { origin: origin(item.origin) })}`}
        </p>
        {item.refused && <p>{t("toolRefusedSays")}</p>}
        <div className={css.label}>{t("toolArgs")}</div>
        {args === "" ? <p className={css.quiet}>{t("toolNoArgs")}</p> : <Long text={args} />}
        <div className={css.label}>{t("toolResult")}</div>
        {item.result === null ? (
          <p className={css.quiet}>{t(item.asked === "waits" ? "toolAsksSays" : "toolNoResult")}</p>
        ) : item.result === "" ? (
          <p className={css.quiet}>{t("toolEmpty")}</p>
        ) : (
          <Long text={item.result} />
        )}
      </Fold>
      {item.held !== "" && acts && <HeldChanges changes={item.held} />}
    </article>
  );
}

function QuestionCard({ item }: { item: QuestionItem }) {
  const { acts } = useAround();
  const { inbox } = usePage();
  const waits = useSyncExternalStore(inbox.subscribe, inbox.view);
  const card = useRef<HTMLElement>(null);
  // What the call would do and why it is asked is in the inbox's row of the same question.
  const full = waits.questions.find((one) => one.id === item.waitId && one.thread_id === item.threadId);
  const open = item.answer === null;
  const asked = {
    threadId: item.threadId, id: item.waitId, tool: item.tool, target: item.target, agent: full?.agent ?? "", call: full?.arguments ?? "", prompt: item.prompt,
    choices: item.choices,
  };
  // The dialog for `always` closes by itself when somebody else has answered, and says so.
  const [asks, setAsks] = useState(false);
  const hasAsked = useRef(false);
  useEffect(() => {
    // What had the focus before the dialog may have gone with the question.
    if (hasAsked.current && !asks && document.activeElement === document.body) card.current?.focus();
    hasAsked.current = asks;
  }, [asks]);
  return (
    <article ref={card} tabIndex={-1} className={open ? css.questionOpen : css.question} aria-label={open ? t("question") : t("questionDone")}>
      <header className={css.head}>
        <strong>{open ? t("question") : t("questionDone")}</strong>
        {item.tool !== "" && (
          <Badge>
            <Said>{item.tool}</Said>
          </Badge>
        )}
        <When at={item.at} />
        {open && acts && <Expiry id={item.waitId} expiresMs={item.expiresMs} />}
      </header>
      <Prompt id={item.waitId} className={css.words}>
        {item.prompt}
      </Prompt>
      {(full !== undefined || open) && <About asked={asked} why={full?.why ?? ""} />}
      {(open || asks) && acts && (
        <Answering
          asked={asked}
          gone={!open}
          onAlways={setAsks}
          onDone={() => card.current?.focus()}
        />
      )}
      {item.answer !== null && (
        <p className={css.quiet}>
          {item.answer.verdict === "withdrawn" ? (
            t("withdrawn")
          ) : (
            <Said>
              {t(item.answer.by === "" ? "answered" : "answeredBy", {
                verdict: verdictWord(item.answer.verdict), who: item.answer.by, when: clock(item.answer.at),
              })}
            </Said>
          )}
          {item.answer.text !== "" && (
            <>
              {": "}
              <Said>{beginning(item.answer.text, SHOWN_CHARS)}</Said>
            </>
          )}
        </p>
      )}
    </article>
  );
}

function verdictWord(verdict: string): string {
  const said = t(`v_${verdict}` as "v_approve");
  return said.startsWith("v_") ? verdict : said;
}

/** How many of a sub-agent's items are drawn in place at once. */
const CHILD_ITEMS = 50;

function ChildCard({ item }: { item: ChildItem }) {
  const items = useContext(BelowContext).get(item.childThreadId) ?? [];
  const [open, toggle] = useCard(item.key);
  const [shown, setShown] = useState(CHILD_ITEMS);
  const [state, tone] = (
    {
      works: ["childWorks", "accent"], waits: ["childWaits", "accent"], done: ["childDone", "good"], cancelled: ["childCancelled", "plain"],
      stopped: ["childStopped", "plain"],
    } as const
  )[item.state];
  const failed = item.status === "failed" || item.status === "blocked";
  const asks = items.some((one) => one.kind === "question" && one.answer === null);
  const hidden = Math.max(0, items.length - shown);
  const mode = `mode_${item.mode}`;
  return (
    <article className={css.card}>
      <Fold
        id={item.key}
        open={open}
        toggle={toggle}
        line={
          <>
            <strong className={css.name}>
              <Said>{t("child", { agent: item.agent })}</Said>
            </strong>
            <span className={css.brief}>
              <Said>{item.state === "works" || item.state === "waits" ? doing(items) || item.task : item.task}</Said>
            </span>
            <span className={css.marks}>
              {asks && <Badge tone="warn">{t("question")}</Badge>}
              <Badge tone={failed ? "bad" : tone}>{failed ? t(item.status === "failed" ? "end_failed" : "end_blocked") : t(state)}</Badge>
            </span>
          </>
        }
      >
        <p className={css.quiet}>
          {t(mode as "mode_call") === mode ? item.mode : t(mode as "mode_call")} · <Link href={pathOf(item.childThreadId)}>{t("childOpen")}</Link>
        </p>
        {items.length === 0 && <p className={css.quiet}>{t("childEmpty")}</p>}
        {hidden > 0 && <Button onClick={() => setShown(shown + CHILD_ITEMS)}>{t("childEarlier", { count: Math.min(hidden, CHILD_ITEMS) })}</Button>}
        <div className={css.below}>
          {items.slice(hidden).map((one) => (
            <Row key={one.key} item={one} />
          ))}
        </div>
      </Fold>
    </article>
  );
}

/** What a sub-agent does at the moment, in few words. */
function doing(items: readonly Item[]): string {
  const last = items.at(-1);
  if (last?.kind === "tool" && last.result === null) return t("childNow", { what: last.name });
  if (last?.kind === "text" && !last.done) return t("childNow", { what: t("writing") });
  return "";
}

function NoteRow({ item }: { item: NoteItem }) {
  const { agent, wait_id: waitId } = item.data;
  // The daemon's words of it say how it is answered without this page.
  if (item.what === "NOTICE" && typeof waitId === "string" && waitId !== "") return <ChildAsks agent={typeof agent === "string" ? agent : ""} waitId={waitId} />;
  return <ToldNote item={item} />;
}

function ToldNote({ item }: { item: NoteItem }) {
  const { sentence, text, threadId, tone } = noteWords(item);
  const [open, toggle] = useCard(item.key);
  const line = <Said>{sentence}</Said>;
  return (
    <div className={tone === "warn" ? css.noteWarn : css.note}>
      {text === "" ? (
        line
      ) : item.what === "NOTICE" || item.what === "RUN_WAITING" ? (
        <>
          {line}
          <div className={css.words}>
            <Said>{text}</Said>
          </div>
        </>
      ) : (
        <Fold id={item.key} open={open} toggle={toggle} line={line}>
          <Long text={text} />
        </Fold>
      )}
      {threadId !== "" && (
        <>
          {" "}
          <Link href={pathOf(threadId)}>{t("childOpen")}</Link>
        </>
      )}
    </div>
  );
}

function EndRow({ item }: { item: EndItem }) {
  const { threadId, acts, retry, sayAgain } = useAround();
  const isNotCopied = useContext(NotCopiedContext) === item.runId;
  const mayWrite = useMay("write");
  const end = endWords(item);
  const own = item.threadId === threadId;
  return (
    <div className={css.end}>
      <div className={css.endLine}>
        <Badge tone={end.tone}>{end.how}</Badge>
        {end.why !== "" && (
          <span title={visible(end.code)}>
            <Said>{end.why}</Said>
          </span>
        )}
        {end.tookS !== null && <span>{duration(end.tookS)}</span>}
        {item.usage !== null && (
          <span>{t("tokens", { in: shortCount(item.usage.input_tokens ?? 0), out: shortCount(item.usage.output_tokens ?? 0) })}</span>
        )}
        {end.costUsd !== null && end.costUsd > 0 && <span>{dollars(end.costUsd)}</span>}
        {acts && own && (
          <span className={css.endActs}>
            {isNotCopied && mayWrite && <Button onClick={() => sayAgain(item.runId)}>{t("resend")}</Button>}
            {item.error !== null && mayWrite && (
              <Button tone="ghost" className={css.small} onClick={() => retry(item.runId)}>
                {t("tryAgain")}
              </Button>
            )}
            <Link href={pathOf(threadId, item.runId)}>{t("timeline")}</Link>
          </span>
        )}
      </div>
      {end.message !== "" && (
        <p className={css.failed}>
          <Said>{end.message}</Said>
        </p>
      )}
      {end.remedy !== "" && <p className={css.quiet}>{t("whatToDo", { what: end.remedy })}</p>}
      {end.report !== "" && (
        <p className={css.words}>
          <Said>{end.report}</Said>
        </p>
      )}
      {end.needs !== "" && (
        <p className={css.words}>
          <Said>{t("needs", { what: end.needs })}</Said>
        </p>
      )}
    </div>
  );
}
