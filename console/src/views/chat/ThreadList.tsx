import { useCallback, useDeferredValue, useEffect, useId, useMemo, useState, useSyncExternalStore } from "react";
import { Link } from "wouter";
import { Button } from "../../kit/Button";
import { Badge, Empty, Problem } from "../../kit/Panel";
import { Said, SaidMarked } from "../../kit/Said";
import { useCall, useMay, usePage } from "../../shell/page";
import { asksIn, standOf } from "../../shell/stand";
import { clock, dayAndClock } from "../../text/figures";
import { times } from "../../text/forms";
import { telling } from "../../text/marked";
import type { OpenThread } from "../../thread/threads";
import { pathAt } from "./address";
import css from "./chat.module.css";
import { NewConversation } from "./NewConversation";
import { KINDS, useRecent, type Kind, type Recent } from "./recent";
import { StandBadge } from "./StandBadge";
import { t } from "./words";

const DAY = times({ month: "short", day: "numeric" });

/** The conversations at the side: the newest first, or those that fit some words. */
export function ThreadList({ at }: { at: string }) {
  const { live } = usePage();
  const lively = useSyncExternalStore(live.subscribe, live.view);
  const mayWrite = useMay("write");
  const [kind, setKind] = useState<Kind>("chat");
  const [words, setWords] = useState("");
  const [making, setMaking] = useState(false);
  const asked = useDeferredValue(words.trim());
  const find = useId();
  const kindField = useId();
  // Something began or ended somewhere: the order may be another.
  const sign = useMemo(() => [...(lively.rows?.values() ?? [])].map((row) => `${row.thread_id} ${row.title}`).sort().join("\n"), [lively.rows]);
  // It was given another name, here or in another window.
  const title = useTitle(at);
  const recent = useRecent(kind, `${sign}\n${at} ${title}`);
  useReturned(recent.reload);
  return (
    <div className={css.list}>
      <div className={css.listHead}>
        <h2>{t("list")}</h2>
        {mayWrite && (
          <Button tone="main" onClick={() => setMaking(true)}>
            {t("newOne")}
          </Button>
        )}
      </div>
      <div className={css.finder}>
        <label htmlFor={find} className="visually-hidden">
          {t("find")}
        </label>
        <input id={find} type="search" placeholder={t("find")} title={t("findHint")} maxLength={400} value={words} onChange={(event) => setWords(event.target.value)} />
        <label htmlFor={kindField} className="visually-hidden">
          {t("kind")}
        </label>
        <select id={kindField} value={kind} onChange={(event) => setKind(event.target.value as Kind)}>
          {KINDS.map((one) => (
            <option key={one} value={one}>
              {t(`kind_${one}`)}
            </option>
          ))}
        </select>
      </div>
      <div className={css.rows}>
        {asked === "" ? <Recents kind={kind} recent={recent} at={at} /> : <Found words={asked} kind={kind} at={at} />}
      </div>
      {making && <NewConversation onClose={() => setMaking(false)} onMade={recent.reload} />}
    </div>
  );
}

/** What the open conversation is called. */
function useTitle(threadId: string): string {
  const { threads } = usePage();
  const subscribe = useCallback(
    (changed: () => void) => (threadId === "" ? () => undefined : threads.use(threadId, changed)),
    [threads, threadId],
  );
  return useSyncExternalStore(subscribe, () => (threadId === "" ? "" : titleOf(threads.now(threadId))));
}

function titleOf({ view, troubleCode }: OpenThread): string {
  return troubleCode === "" ? view.title : troubleCode;
}

/** Runs something when a person comes back to the page: what was done in other windows meanwhile is not told. */
function useReturned(run: () => void): void {
  useEffect(() => {
    const seen = (): void => {
      if (document.visibilityState === "visible") run();
    };
    window.addEventListener("focus", seen);
    document.addEventListener("visibilitychange", seen);
    return () => {
      window.removeEventListener("focus", seen);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [run]);
}

function Recents({ kind, recent, at }: { kind: Kind; recent: ReturnType<typeof useRecent>; at: string }) {
  const { rows } = recent;
  return (
    <>
      {recent.trouble !== "" && (
        <>
          <Problem>
            <Said>{t("listFailed", { why: recent.trouble })}</Said>
          </Problem>
          <Button onClick={recent.reload}>{t("again")}</Button>
        </>
      )}
      {rows === null ? (
        recent.trouble === "" && <p>{t("loading")}</p>
      ) : rows.length === 0 ? (
        <Empty>{kind === "chat" ? t("none") : t("noneOfKind")}</Empty>
      ) : (
        <ul className={css.threads} aria-label={t("list")}>
          {rows.map((row) => (
            <ThreadLink key={row.thread_id} row={row} here={row.thread_id === at} below={row.title === "" || row.titled_by === "words" ? "" : row.words} />
          ))}
        </ul>
      )}
      {recent.more && <Button onClick={recent.older}>{t("more")}</Button>}
    </>
  );
}

function Found({ words, kind, at }: { words: string; kind: Kind; at: string }) {
  const { value, error, loading, reload } = useCall("thread.search", { words, kind, limit: 20 });
  if (error !== null)
    return (
      <>
        <Problem>
          <Said>{t("listFailed", { why: error })}</Said>
        </Problem>
        <Button onClick={reload}>{t("again")}</Button>
      </>
    );
  if (value === null || (loading && value.found.length === 0)) return <p>{t("loading")}</p>;
  return (
    <>
      {value.found.length === 0 ? (
        <Empty>{t("nothingFound")}</Empty>
      ) : (
        <ul className={css.threads} aria-label={t("list")}>
          {value.found.map((row) => (
            <ThreadLink key={row.thread.thread_id} row={row.thread} here={row.thread.thread_id === at} below={telling(row.asked, row.said, words)} found={words} seq={row.seq ?? 0} />
          ))}
        </ul>
      )}
      {value.more && <p className={css.quiet}>{t("moreFound")}</p>}
      {value.searched === "titles" && <p className={css.quiet}>{t("searchedTitles")}</p>}
    </>
  );
}

interface ThreadLinkProps {
  row: Recent;
  here: boolean;
  below: string;
  /** The words by which it was found; empty where nobody has looked. */
  found?: string;
  /** The number of the message at which it was found; 0 for none. */
  seq?: number;
}

function ThreadLink({ row, here, below, found = "", seq = 0 }: ThreadLinkProps) {
  const { live } = usePage();
  const { rows, switch: all } = useSyncExternalStore(live.subscribe, live.view);
  const doing = rows?.get(row.thread_id);
  const goesOn = doing !== undefined || row.status === "suspended" || row.status === "open";
  const asks = rows === null || doing === undefined ? row.status === "suspended" : asksIn(rows, row.thread_id);
  const stand = standOf({ asks, rests: doing?.doing.what === "waits" || doing?.doing.what === "queued", paused: all.paused });
  return (
    <li>
      <Link href={pathAt(row.thread_id, seq)} aria-current={here ? "page" : undefined} className={css.thread}>
        <span className={css.threadTitle}>
          <SaidMarked words={found} begins>
            {row.title === "" ? t("untitled") : row.title}
          </SaidMarked>
        </span>
        <time className={css.quiet} dateTime={row.active_at} title={dayAndClock(row.active_at)}>
          {shortTime(row.active_at)}
        </time>
        {below !== "" && (
          <span className={found === "" ? css.threadWords : css.foundWords}>
            <SaidMarked words={found}>{below}</SaidMarked>
          </span>
        )}
        {(row.copy_of ?? "") !== "" && (
          <span className={css.threadWords}>
            <Said>{t("listedCopy", { what: row.copy_of ?? "", at: row.copied_at == null ? "" : dayAndClock(row.copied_at) })}</Said>
          </span>
        )}
        <span className={css.threadMarks}>
          <span className={css.quiet}>
            <Said>{row.agent}</Said>
          </span>
          {goesOn && <StandBadge stand={stand} />}
          {row.status === "unreadable" && <Badge tone="bad">{t("unreadable")}</Badge>}
          {row.tainted && <Badge tone="warn">{t("mistrusted")}</Badge>}
        </span>
      </Link>
    </li>
  );
}


function shortTime(at: string): string {
  const then = new Date(at);
  return then.toDateString() === new Date().toDateString() ? clock(at) : DAY(then);
}
