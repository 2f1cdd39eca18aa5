import { useCallback, useId, useState } from "react";
import { Link } from "wouter";
import { Button } from "../../kit/Button";
import { Badge, Panel } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import type { LogEntry, LogRead } from "../../protocol/generated";
import { usePage } from "../../shell/page";
import { Entries } from "./Entries";
import css from "./health.module.css";
import { logTime } from "./logTime";
import { asked, inLine } from "./pages";
import { usePages } from "./usePages";
import { useTyped } from "./useTyped";
import { t } from "./words";

type Level = NonNullable<LogRead["level"]>;
const LEVELS: readonly Level[] = ["debug", "info", "warning", "error", "critical"];
const TONES: Record<string, "plain" | "warn" | "bad"> = { warning: "warn", error: "bad", critical: "bad" };

/** The daemon's log, the newest first. */
export function DaemonLog() {
  const { connection } = usePage();
  const [level, setLevel] = useState<Level>("info");
  const [words, setWords] = useState("");
  const [thread, setThread] = useState("");
  const [sought, within] = [useTyped(words), useTyped(thread)];
  const ask = useCallback(
    (before: string | null) => connection.call("log.read", { ...asked({ words: sought, thread_id: within }, before), level }),
    [connection, level, sought, within],
  );
  const pages = usePages<LogEntry>(ask);
  const [levelField, wordsField, threadField] = [useId(), useId(), useId()];
  return (
    <Panel title={t("logs")} actions={<Button onClick={pages.call.reload}>{t("newest")}</Button>}>
      <form className={css.filters} role="search" aria-label={t("filters")} onSubmit={(event) => event.preventDefault()}>
        <span>
          <label htmlFor={levelField}>{t("atLeast")}</label>
          <select id={levelField} value={level} onChange={(event) => setLevel(event.target.value as Level)}>
            {LEVELS.map((one) => (
              <option key={one} value={one}>
                {t(one)}
              </option>
            ))}
          </select>
        </span>
        <span>
          <label htmlFor={wordsField}>{t("words")}</label>
          <input id={wordsField} type="search" maxLength={200} value={words} onChange={(event) => setWords(event.target.value)} />
        </span>
        <span>
          <label htmlFor={threadField}>{t("thread")}</label>
          <input id={threadField} type="search" maxLength={128} spellCheck={false} placeholder="thr_…" value={thread} onChange={(event) => setThread(event.target.value)} />
        </span>
      </form>
      <Entries pages={pages} what={t("logWhat")} draw={(entry) => <Entry entry={entry} />} />
    </Panel>
  );
}

function Entry({ entry }: { entry: LogEntry }) {
  const more = Object.entries(entry.more);
  return (
    <div className={css.entry}>
      <time dateTime={entry.at}>{logTime(entry.at)}</time>
      <Badge tone={TONES[entry.level] ?? "plain"}>
        <Said>{entry.level}</Said>
      </Badge>
      <div className={css.said}>
        <Said>{entry.text}</Said>
        <div className={css.quiet}>
          <Said>{entry.logger}</Said>
          {entry.thread_id !== "" && (
            <>
              {" · "}
              <Link href={`/chat/${encodeURIComponent(entry.thread_id)}`} aria-label={`${t("openThread")} ${entry.thread_id}`}>
                <Said>{entry.thread_id}</Said>
              </Link>
            </>
          )}
          {more.map(([key, value]) => (
            <span key={key}>
              {" · "}
              <Said>{`${key}: ${inLine(value).slice(0, 2_000)}`}</Said>
            </span>
          ))}
        </div>
      </div>
    </div>
  );
}
