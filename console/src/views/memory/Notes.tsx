import { useState } from "react";
import { Link } from "wouter";
import { Button } from "../../kit/Button";
import { Badge, Empty } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import { Trouble } from "../../kit/Trouble";
import { useSettled } from "../../kit/useSettled";
import type { Result } from "../../protocol/wire";
import { useCall, useMay, usePage } from "../../shell/page";
import { dayAndClock } from "../../text/figures";
import { ForgetDialog } from "./ForgetDialog";
import css from "./memory.module.css";
import { t } from "./words";

type MemoryNote = Result<"memory.notes">["notes"][number];

const PAGE = 50;
/** A search finds the best so many. */
const FOUND = 20;
const KINDS = ["fact", "episode", "errand"] as const;
type Kind = (typeof KINDS)[number];

/** An agent's notes: the newest, a page at a time, or those that a search finds. */
export function Notes({ agent }: { agent: string }) {
  const [typed, setTyped] = useState("");
  const [before, setBefore] = useState<number | null>(null);
  const [kind, setKind] = useState<Kind | null>(null);
  const words = useSettled(typed.trim());
  const searching = words !== "";
  const found = useCall("memory.search", { agent, words, limit: FOUND }, searching);
  const newest = useCall("memory.notes", { agent, kind, limit: PAGE, before_ms: before }, !searching);
  const loaded = searching ? found : newest;
  const notes = loaded.value?.notes ?? [];
  const count = notes.length;
  return (
    <section aria-label={t("notes")}>
      <div className={css.bar}>
        <input
          type="search"
          className={css.search}
          aria-label={t("search")}
          placeholder={t("search")}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <span className={css.quiet} role="status">
          {searching ? found.value !== null && (count === 1 ? t("foundOne") : t("foundMany", { count })) : t("newestNotes")}
        </span>
        {!searching && (
          <div className={css.row}>
            <select
              aria-label={t("kindOfNotes")}
              value={kind ?? ""}
              onChange={(event) => {
                setKind(KINDS.find((one) => one === event.target.value) ?? null);
                setBefore(null);
              }}
            >
              <option value="">{t("kind_all")}</option>
              {KINDS.map((one) => (
                <option key={one} value={one}>
                  {t(`kind_${one}`)}
                </option>
              ))}
            </select>
            <Button disabled={before === null} onClick={() => setBefore(null)}>
              {t("newest")}
            </Button>
            <Button disabled={newest.value?.next_ms == null} onClick={() => setBefore(newest.value?.next_ms ?? null)}>
              {t("older")}
            </Button>
          </div>
        )}
      </div>
      <Trouble of={loaded} what={searching ? t("theSearch") : t("theNotes")} />
      {loaded.value === null && loaded.loading && loaded.error === null && <Empty>{t("loading")}</Empty>}
      {loaded.value !== null && count === 0 && <Empty>{searching ? <Said>{t("noneFound", { words })}</Said> : kind === null ? t("noNotes") : t("noneOfKind")}</Empty>}
      <ul className={css.plainList}>
        {notes.map((note) => (
          <Note key={note.id} agent={agent} note={note} onChanged={loaded.reload} />
        ))}
      </ul>
    </section>
  );
}

function Note({ agent, note, onChanged }: { agent: string; note: MemoryNote; onChanged: () => void }) {
  const { connection } = usePage();
  const may = useMay("write");
  const [forgetting, setForgetting] = useState(false);
  return (
    <li className={css.note}>
      {note.asked !== "" && (
        <p className={css.quiet}>
          <Said>{note.asked}</Said>
        </p>
      )}
      <p className={css.text}>
        <Said>{note.text}</Said>
      </p>
      <div className={css.noteFoot}>
        <span className={css.quiet}>
          {t(`kind_${note.kind}`)}, {dayAndClock(note.at)},{" "}
          {note.thread_id === "" ? (
            t("noThread")
          ) : (
            <>
              {t("from")} <Link href={`/chat/${note.thread_id}`}>{t("conversation")}</Link>
            </>
          )}
          {note.scope === "" && `, ${t("allAgents")}`}
        </span>
        {note.tainted && (
          <span title={t("outsideWhy")}>
            <Badge tone="warn">{t("outside")}</Badge>
          </span>
        )}
        {may && (
          <Button className={css.small} tone="bad" onClick={() => setForgetting(true)}>
            {t("forget")}
          </Button>
        )}
      </div>
      {forgetting && (
        <ForgetDialog
          title={t("forgetNote")}
          hint={t("forgetNoteHint")}
          ask={async (code) => {
            const answer = await connection.call("memory.note.forget", { agent, ids: [note.id], code });
            return { forgotten: answer.forgotten, going: answer.would_go.map((one) => one.text), code: answer.code };
          }}
          onClose={() => setForgetting(false)}
          onForgotten={onChanged}
        />
      )}
    </li>
  );
}
