import { useId, useState } from "react";
import { Link } from "wouter";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { Badge, Empty } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import { Trouble } from "../../kit/Trouble";
import { useSettled } from "../../kit/useSettled";
import type { MemoryNote } from "../../protocol/coming";
import { useAct, useCall, useMay, usePage } from "../../shell/page";
import { dayAndClock } from "../../text/figures";
import css from "./memory.module.css";
import { t } from "./words";

const PAGE = 50;

/** An agent's notes: the newest, a page at a time, or those that a search finds. */
export function Notes({ agent }: { agent: string }) {
  const [typed, setTyped] = useState("");
  const [before, setBefore] = useState<string | null>(null);
  const words = useSettled(typed.trim());
  const searching = words !== "";
  const found = useCall("memory.search", { agent, words, limit: PAGE }, searching);
  const newest = useCall("memory.notes", { agent, limit: PAGE, before }, !searching);
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
            <Button disabled={before === null} onClick={() => setBefore(null)}>
              {t("newest")}
            </Button>
            <Button disabled={newest.value?.next == null} onClick={() => setBefore(newest.value?.next ?? null)}>
              {t("older")}
            </Button>
          </div>
        )}
      </div>
      <Trouble of={loaded} what={searching ? t("theSearch") : t("theNotes")} />
      {loaded.value === null && loaded.loading && loaded.error === null && <Empty>{t("loading")}</Empty>}
      {loaded.value !== null && count === 0 && <Empty>{searching ? <Said>{t("noneFound", { words })}</Said> : t("noNotes")}</Empty>}
      <ul className={css.plainList}>
        {notes.map((note) => (
          <Note key={note.id} agent={agent} note={note} onChanged={loaded.reload} />
        ))}
      </ul>
    </section>
  );
}

function Note({ agent, note, onChanged }: { agent: string; note: MemoryNote; onChanged: () => void }) {
  const may = useMay("write");
  const [open, setOpen] = useState<"correct" | "forget" | null>(null);
  return (
    <li className={css.note}>
      <p className={css.text}>
        <Said>{note.text}</Said>
      </p>
      <div className={css.noteFoot}>
        <span className={css.quiet}>
          {dayAndClock(note.at)},{" "}
          {note.thread_id === "" ? (
            t("noThread")
          ) : (
            <>
              {t("from")} <Link href={`/chat/${note.thread_id}`}>{t("conversation")}</Link>
            </>
          )}
        </span>
        {note.tainted && (
          <span title={t("outsideWhy")}>
            <Badge tone="warn">{t("outside")}</Badge>
          </span>
        )}
        {may && (
          <span className={css.row}>
            <Button className={css.small} onClick={() => setOpen("correct")}>
              {t("correct")}
            </Button>
            <Button className={css.small} tone="bad" onClick={() => setOpen("forget")}>
              {t("forget")}
            </Button>
          </span>
        )}
      </div>
      {open === "correct" && <CorrectNote agent={agent} note={note} onClose={() => setOpen(null)} onChanged={onChanged} />}
      {open === "forget" && <ForgetNote agent={agent} note={note} onClose={() => setOpen(null)} onChanged={onChanged} />}
    </li>
  );
}

interface NoteDialogProps {
  agent: string;
  note: MemoryNote;
  onClose: () => void;
  onChanged: () => void;
}

function CorrectNote({ agent, note, onClose, onChanged }: NoteDialogProps) {
  const { connection, tell } = usePage();
  const [busy, act] = useAct();
  const [text, setText] = useState(note.text);
  const field = useId();
  return (
    <Dialog title={t("correctNote")} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          void act(async () => {
            await connection.call("memory.note.correct", { agent, id: note.id, text: text.trim() });
            tell(t("noteCorrected"));
            onChanged();
          }).then((done) => {
            if (done) onClose();
          });
        }}
      >
        <label htmlFor={field}>{t("noteText")}</label>
        <textarea id={field} required rows={5} value={text} onChange={(event) => setText(event.target.value)} />
        <div className={css.row}>
          <Button type="submit" tone="main" busy={busy} disabled={text.trim() === "" || text.trim() === note.text}>
            {t("save")}
          </Button>
          <Button onClick={onClose}>{t("cancel")}</Button>
        </div>
      </form>
    </Dialog>
  );
}

function ForgetNote({ agent, note, onClose, onChanged }: NoteDialogProps) {
  const { connection, tell } = usePage();
  const [busy, act] = useAct();
  return (
    <Dialog title={t("forgetNote")} onClose={onClose}>
      <p className={css.text}>
        <Said>{note.text}</Said>
      </p>
      <p>{t("forgetNoteAsk")}</p>
      <div className={css.row}>
        <Button
          tone="bad"
          busy={busy}
          onClick={() =>
            void act(async () => {
              await connection.call("memory.note.forget", { agent, id: note.id });
              tell(visible(t("noteForgotten")));
              onChanged();
            }).then((done) => {
              if (done) onClose();
            })
          }
        >
          {t("forget")}
        </Button>
        <Button onClick={onClose}>{t("cancel")}</Button>
      </div>
    </Dialog>
  );
}
