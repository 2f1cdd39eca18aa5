import { useCallback, useId, useState } from "react";
import { Button } from "../../kit/Button";
import { Badge, Panel } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import type { AuditEntry } from "../../protocol/generated";
import { usePage } from "../../shell/page";
import { Entries } from "./Entries";
import css from "./health.module.css";
import { logTime } from "./logTime";
import { asked, inLine } from "./pages";
import { usePages } from "./usePages";
import { useTyped } from "./useTyped";
import { t } from "./words";

/** Who did what, the newest first. */
export function AuditLog() {
  const { connection } = usePage();
  const [words, setWords] = useState("");
  const [token, setToken] = useState("");
  const [thread, setThread] = useState("");
  const [sought, by, within] = [useTyped(words), useTyped(token), useTyped(thread)];
  const ask = useCallback(
    (before: string | null) => connection.call("audit.read", asked({ words: sought, token: by, thread_id: within }, before)),
    [connection, sought, by, within],
  );
  const pages = usePages<AuditEntry>(ask);
  const [wordsField, tokenField, threadField] = [useId(), useId(), useId()];
  return (
    <Panel title={t("audit")} actions={<Button onClick={pages.call.reload}>{t("newest")}</Button>}>
      <form className={css.filters} role="search" aria-label={t("filters")} onSubmit={(event) => event.preventDefault()}>
        <span>
          <label htmlFor={wordsField}>{t("words")}</label>
          <input id={wordsField} type="search" maxLength={200} value={words} onChange={(event) => setWords(event.target.value)} />
        </span>
        <span>
          <label htmlFor={tokenField}>{t("token")}</label>
          <input id={tokenField} type="search" maxLength={200} spellCheck={false} value={token} onChange={(event) => setToken(event.target.value)} />
        </span>
        <span>
          <label htmlFor={threadField}>{t("thread")}</label>
          <input id={threadField} type="search" maxLength={128} spellCheck={false} placeholder="thr_…" value={thread} onChange={(event) => setThread(event.target.value)} />
        </span>
      </form>
      <Entries pages={pages} what={t("auditWhat")} draw={(entry) => <Entry entry={entry} />} />
    </Panel>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const named = Object.entries({ ...entry.about, ...entry.more });
  return (
    <div className={css.entry}>
      <time dateTime={entry.at}>{logTime(entry.at)}</time>
      <Badge tone={entry.code === "ok" ? "good" : "bad"}>
        <Said>{entry.code}</Said>
      </Badge>
      <div className={css.said}>
        <Said>{entry.method}</Said>
        <div className={css.quiet}>
          <Said>{[entry.token, entry.way, entry.address].filter((one) => one !== "").join(" · ")}</Said>
          {named.map(([key, value]) => (
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
