import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { Link, useLocation } from "wouter";
import { About, Prompt } from "../../asked/About";
import { Always, Answering, askedId, Expiry, useAnswer, type Asked } from "../../asked/Answering";
import { isExact } from "../../asked/verdicts";
import { useLingering } from "../../asked/useGuarded";
import { isWhole } from "../../asked/watch";
import { Ago } from "../../kit/Ago";
import { Button } from "../../kit/Button";
import { Badge, Empty, Panel } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import type { QuestionRow } from "../../protocol/wire";
import { questionCount } from "../../shell/inbox";
import { useAct, useMay, usePage } from "../../shell/page";
import { entriesOf, keyAct, meantElsewhere, stays, takes, type Entry, type KeyAct } from "./entries";
import css from "./inbox.module.css";
import { Changes, Rules } from "./Standing";
import { t } from "./words";
import { t as tAsked } from "../../asked/words";

/** How many entries are drawn until somebody asks for more. */
const SHOWN = 100;

/** Everything that waits for a person, answered by keys or by buttons. */
export default function InboxView() {
  const { inbox, tell, watch } = usePage();
  const [, go] = useLocation();
  const may = useMay("approve");
  const waits = useSyncExternalStore(inbox.subscribe, inbox.view);
  const all = useMemo(() => entriesOf(waits), [waits]);
  const [shown, setShown] = useState(SHOWN);
  const entries = useMemo(() => all.slice(0, shown), [all, shown]);
  const rows = useLingering(entries, keyOf);
  // What has only moved behind those that are shown, as more of them come, is asked as before.
  const waiting = useMemo(() => new Set(all.map(keyOf)), [all]);
  const keys = useMemo(() => rows.map((row) => row.key), [rows]);
  const [current, setCurrent] = useState("");
  const [before, setBefore] = useState<readonly string[]>([]);
  const [always, setAlways] = useState<Entry | null>(null);
  const [busy, act] = useAct();
  const [answering, answer] = useAnswer();
  const list = useRef<HTMLUListElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const hadFocus = useRef(false);

  // An entry that leaves hands its place to the next one.
  if (keys !== before) {
    setBefore(keys);
    const next = stays(before, keys, current);
    if (next !== current) setCurrent(next);
  }
  useEffect(() => {
    // Its buttons went with the entry: the focus goes on with the next one, and is not lost.
    if (always !== null || !hadFocus.current || (document.activeElement !== document.body && document.activeElement !== null)) return;
    (entryElement(list.current, current) ?? title.current)?.focus();
  }, [always, current, rows, answering]);
  const selected = rows.find((row) => row.key === current)?.item;
  const selectedId = selected === undefined ? "" : entryId(selected);
  useEffect(() => watch.guard.select(selectedId, performance.now()), [watch, selectedId]);

  const focusOn = useCallback((key: string): void => {
    setCurrent(key);
    watch.guard.scrolls(performance.now());
    entryElement(list.current, key)?.focus();
  }, [watch]);
  const alwaysOver = (): void => {
    hadFocus.current = true; // it was on the entry before the dialog opened
    setAlways(null);
  };
  const see = useCallback(
    (ids: readonly string[]): void => {
      void act(async () => {
        await inbox.seeNotices(ids);
        tell(ids.length === 1 ? t("seenTold") : t("seenAllTold", { count: ids.length }));
      });
    },
    [act, inbox, tell],
  );
  const does = useCallback(
    (wanted: KeyAct, entry: Entry | undefined, at: number): void => {
      if (wanted === "down" || wanted === "up") {
        const at = keys.indexOf(current);
        const next = keys[at === -1 || list.current?.contains(document.activeElement) !== true ? Math.max(0, at) : at + (wanted === "down" ? 1 : -1)];
        if (next !== undefined) focusOn(next);
        return;
      }
      if (entry === undefined || busy || answering) return;
      if ((wanted === "approve" || wanted === "reject" || wanted === "always") && !may) return;
      if (!takes(entry, wanted)) {
        if (wanted !== "seen" && entry.kind === "question") tell(t("cannot"));
        return;
      }
      if (wanted === "approve" || wanted === "reject" || wanted === "always") {
        const element = entryElement(list.current, entry.key);
        watch.measure();
        const whole = element !== null && isWhole(element);
        if (!watch.guard.keys(entryId(entry), at, whole)) {
          const isNew = watch.guard.isJustSelected(entryId(entry), at);
          tell(whole ? tAsked(isNew ? "focusNew" : "tooSoon") : t("notWhole"));
          return;
        }
      }
      if (wanted === "open") go(`/chat/${threadOf(entry)}`);
      else if (wanted === "seen" && entry.kind === "notice") see([entry.notice.id]);
      else if (wanted === "always" && entry.kind === "question") {
        if (watch.wholes.allows(asAsked(entry.question), wanted)) setAlways(entry);
        else tell(tAsked("notWhole"), "bad");
      }
      else if (entry.kind === "question" && (wanted === "approve" || wanted === "reject")) void answer(asAsked(entry.question), wanted);
    },
    [answer, answering, busy, current, focusOn, go, keys, may, see, tell, watch],
  );
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.repeat || meantElsewhere(event)) return;
      const wanted = keyAct(event.key);
      if (wanted === null) return;
      const inside = list.current?.contains(document.activeElement) === true;
      // What acts on an entry wants the focus on it; moving brings it there.
      if (!inside && wanted !== "down" && wanted !== "up") {
        if (rows.length > 0 && wanted !== "open" && (may || wanted === "seen")) tell(t("selectFirst"));
        return;
      }
      if (!inside && event.key.startsWith("Arrow")) return;
      event.preventDefault();
      does(wanted, rows.find((row) => row.key === current && (row.leftMs === null || waiting.has(row.key) || wanted === "open"))?.item, event.timeStamp);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [current, does, may, rows, tell, waiting]);

  return (
    <div className={css.inbox}>
      <header className={css.head}>
        <h1 ref={title} tabIndex={-1}>
          {t("title")}
        </h1>
        {all.length > 0 && <span className={css.quiet}>{t("counts", { questions: questionCount(waits), notices: waits.notices.length })}</span>}
        {waits.notices.length > 0 && (
          <Button busy={busy} onClick={() => see(waits.notices.map((notice) => notice.id))}>
            {t("allSeen", { count: waits.notices.length })}
          </Button>
        )}
      </header>
      <p role="status" className={css.quiet}>
        {waits.more && waits.trouble === "" && t("moreWait")}
        {waits.trouble !== "" && <Said>{t("moreFailed", { why: waits.trouble })}</Said>}
      </p>
      {rows.length > 0 && <Legend may={may} />}
      {rows.length === 0 ? (
        <Panel>
          <Empty>{t(waits.known ? "nothing" : "loading")}</Empty>
        </Panel>
      ) : (
        <ul
          ref={list}
          className={css.entries}
          aria-label={t("list")}
          onFocus={() => {
            hadFocus.current = true;
          }}
          onBlur={(event) => {
            // An element that is taken away while it has the focus hands it to nobody.
            if (event.relatedTarget !== null) hadFocus.current = event.currentTarget.contains(event.relatedTarget);
          }}
        >
          {rows.map(({ item: entry, leftMs }) => (
            <li key={entry.key}>
              <Row
                entry={entry}
                gone={leftMs !== null && !waiting.has(entry.key)}
                isCurrent={entry.key === current}
                busy={busy}
                onFocus={() => setCurrent(entry.key)}
                onSeen={() => {
                  if (entry.kind === "notice") see([entry.notice.id]);
                }}
              />
            </li>
          ))}
        </ul>
      )}
      {all.length > entries.length && <Button onClick={() => setShown(shown + SHOWN)}>{t("more", { count: Math.min(SHOWN, all.length - entries.length) })}</Button>}
      {always?.kind === "question" && (
        <Always
          asked={asAsked(always.question)}
          gone={!all.some((entry) => entry.key === always.key)}
          onClose={alwaysOver}
          onDone={alwaysOver}
        />
      )}
      <Changes sign={waits.questions.length} />
      <Rules sign={waits.questions.length} />
    </div>
  );
}

function keyOf(entry: Entry): string {
  return entry.key;
}

function entryId(entry: Entry): string {
  return entry.kind === "question" ? askedId(asAsked(entry.question)) : entry.key;
}

function entryElement(list: HTMLElement | null, key: string): HTMLElement | null {
  return [...(list?.querySelectorAll<HTMLElement>("[data-entry]") ?? [])].find((element) => element.dataset.entry === key) ?? null;
}

function threadOf(entry: Entry): string {
  return encodeURIComponent(entry.kind === "question" ? entry.question.thread_id : entry.notice.thread_id);
}

function asAsked(question: QuestionRow): Asked {
  return {
    threadId: question.thread_id, id: question.id, tool: question.tool ?? "", target: question.target ?? "", agent: question.agent ?? "",
    call: question.arguments ?? "", prompt: question.prompt, choices: question.choices ?? [],
  };
}

function Row({ entry, gone, isCurrent, busy, onFocus, onSeen }: { entry: Entry; gone: boolean; isCurrent: boolean; busy: boolean; onFocus: () => void; onSeen: () => void }) {
  return (
    <article className={css.entry} tabIndex={isCurrent ? 0 : -1} data-entry={entry.key} data-current={isCurrent} data-kind={entry.kind} data-gone={gone} onFocus={onFocus}>
      {entry.kind === "question" ? <Question question={entry.question} gone={gone} /> : <Notice entry={entry} gone={gone} busy={busy} onSeen={onSeen} />}
    </article>
  );
}

function Question({ question, gone }: { question: QuestionRow; gone: boolean }) {
  return (
    <>
      <header className={css.entryHead}>
        <Badge tone="accent">{t("question")}</Badge>
        {question.tool !== undefined && question.tool !== "" && (
          <code>
            <Said>{question.tool}</Said>
          </code>
        )}
        {question.agent !== undefined && question.agent !== "" && (
          <span>
            <Said>{question.agent}</Said>
          </span>
        )}
        {question.since != null && (
          <span className={css.quiet}>
            {t("since")} <Ago at={question.since} />
          </span>
        )}
        {!gone && question.expires_at != null && <Expiry id={question.id} expiresMs={Date.parse(question.expires_at)} />}
        <Link href={`/chat/${encodeURIComponent(question.thread_id)}`} className={css.open}>
          <Said>{question.title === undefined || question.title === "" ? t("open") : t("openTitled", { title: question.title })}</Said>
        </Link>
      </header>
      <Prompt id={question.id} className={css.prompt}>
        {question.prompt}
      </Prompt>
      <About asked={asAsked(question)} why={question.why ?? ""} />
      {question.target !== undefined && question.target !== "" && (
        <p className={css.quiet}>
          <Said>{isExact(question.target) ? t("targetExactly") : t("target", { target: question.target })}</Said>
        </p>
      )}
      <Answering asked={asAsked(question)} gone={gone} />
    </>
  );
}

function Notice({ entry, gone, busy, onSeen }: { entry: Extract<Entry, { kind: "notice" }>; gone: boolean; busy: boolean; onSeen: () => void }) {
  const { notice } = entry;
  return (
    <>
      <header className={css.entryHead}>
        <Badge tone={notice.urgency === "high" ? "bad" : "plain"}>{notice.urgency === "high" ? t("noticeHigh") : t("notice")}</Badge>
        <span>
          <Said>{notice.agent === "" ? t("ofDaemon") : notice.agent}</Said>
        </span>
        {notice.tainted && <Badge tone="warn">{t("outside")}</Badge>}
        <span className={css.quiet}>
          <Ago at={notice.at} /> {t("ago")}
        </span>
        {notice.thread_id !== "" && (
          <Link href={`/chat/${encodeURIComponent(notice.thread_id)}`} className={css.open}>
            {t("open")}
          </Link>
        )}
      </header>
      <p className={css.prompt}>
        <Said>{notice.text}</Said>
      </p>
      {notice.tainted && <p className={css.quiet}>{t("outsideSays")}</p>}
      <Button busy={busy} disabled={gone} onClick={onSeen}>
        {gone ? t("wasSeen") : t("seen")}
      </Button>
    </>
  );
}

function Legend({ may }: { may: boolean }) {
  const rows: [string, string][] = [
    ["j k", t("key_move")],
    ...(may ? ([["a", t("key_approve")], ["r", t("key_reject")], ["A", t("key_always")]] satisfies [string, string][]) : []),
    ["Enter", t("key_open")],
    ["s", t("key_seen")],
  ];
  return (
    <p className={css.legend} aria-label={t("keys")} role="note">
      {rows.map(([keys, what]) => (
        <span key={keys}>
          {keys.split(" ").map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}{" "}
          {what}
        </span>
      ))}
    </p>
  );
}
