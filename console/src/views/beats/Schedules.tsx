import { useState } from "react";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { Badge, Empty } from "../../kit/Panel";
import { Said } from "../../kit/Said";
import { Trouble } from "../../kit/Trouble";
import { useAct, useCall, useMay, usePage } from "../../shell/page";
import { dayAndClock } from "../../text/figures";
import css from "./beats.module.css";
import { ScheduleForm } from "./ScheduleForm";
import { zoneIn } from "./times";
import { isOurs, matching, type Row } from "./told";
import { useFresh } from "./useFresh";
import { When } from "./When";
import { t } from "./words";

/** So many are asked for at once, and shown more of each time. */
const PAGE = 100;
const MOST = 200;

/** All schedules: when, what, the next times, what happened last; with a form for a new one. */
export function Schedules() {
  const [limit, setLimit] = useState(PAGE);
  const loaded = useCall("schedule.list", { limit });
  useFresh(loaded.reload, ["schedule", "beat"]);
  const may = useMay("write");
  const [words, setWords] = useState("");
  const [adding, setAdding] = useState(false);
  const rows = loaded.value?.schedules ?? [];
  const shown = matching(rows, words);
  return (
    <section aria-label={t("schedules")}>
      <div className={css.bar}>
        <input type="search" aria-label={t("filter")} placeholder={t("filter")} value={words} onChange={(event) => setWords(event.target.value)} />
        {may && (
          <Button tone="main" onClick={() => setAdding(true)}>
            {t("add")}
          </Button>
        )}
      </div>
      <Trouble of={loaded} what={t("theSchedules")} />
      {loaded.value === null && loaded.loading && <Empty>{t("loading")}</Empty>}
      {loaded.value !== null && rows.length === 0 && <Empty>{t("noSchedules")}</Empty>}
      {rows.length > 0 && shown.length === 0 && <Empty>{t("noMatch")}</Empty>}
      <ul className={css.plainList}>
        {shown.map((row) => (
          <Schedule key={row.schedule} row={row} onChanged={loaded.reload} />
        ))}
      </ul>
      {loaded.value?.next != null && limit < MOST && <Button onClick={() => setLimit(MOST)}>{t("moreSchedules")}</Button>}
      {adding && <ScheduleForm row={null} onClose={() => setAdding(false)} onSaved={loaded.reload} />}
    </section>
  );
}

const TONES = { active: "good", paused: "warn", over: "plain", unreadable: "bad" } as const;

function Schedule({ row, onChanged }: { row: Row; onChanged: () => void }) {
  const zone = zoneIn(row.explain);
  const note = row.notes.filter((one) => !["set", "paused", "resumed"].includes(one.what)).at(-1) ?? row.notes.at(-1);
  return (
    <li className={css.schedule}>
      <div>
        <h2 className={css.name}>
          <Said>{row.title === "" ? row.schedule : row.title}</Said>{" "}
          <Badge tone={TONES[row.status]}>{t(`status_${row.status}`)}</Badge>
          {row.tainted === true && (
            <>
              {" "}
              <span title={t("taintedWhy")}>
                <Badge tone="warn">{t("tainted")}</Badge>
              </span>
            </>
          )}
        </h2>
        <p className={css.tight}>
          <Said>{row.explain}</Said>
        </p>
        <p className={css.tight}>
          <Said>{row.action}</Said>
        </p>
        <p className={css.quiet}>
          <Said>{`${row.schedule}, ${t("madeBy", { by: row.by })}`}</Said>
          {row.why !== "" && row.why !== row.status && <Said>{`: ${row.why}`}</Said>}
        </p>
      </div>
      <div>
        <h3 className={css.small}>{t("nextTimes")}</h3>
        {row.next.length === 0 ? (
          <p className={css.quiet}>{t("noNext")}</p>
        ) : (
          <ol className={css.plainList}>
            {row.next.map((at) => (
              <li key={at}>
                <When at={at} zone={zone} />
              </li>
            ))}
          </ol>
        )}
      </div>
      <div>
        <h3 className={css.small}>{t("lately")}</h3>
        {note !== undefined && (
          <p className={css.tight}>
            {dayAndClock(note.at)}: <Said>{note.said === "" ? note.what : `${note.what}, ${note.said}`}</Said>
          </p>
        )}
        <p className={css.quiet}>{t("counts", { fired: row.fired, missed: row.missed, skipped: row.skipped, failed: row.failed })}</p>
        <Acts row={row} onChanged={onChanged} />
      </div>
    </li>
  );
}

function Acts({ row, onChanged }: { row: Row; onChanged: () => void }) {
  const { connection, tell } = usePage();
  const [busy, act] = useAct();
  const [editing, setEditing] = useState(false);
  const [removing, setRemoving] = useState(false);
  const may = useMay("write");
  if (!may) return null;
  const id = { schedule: row.schedule };
  return (
    <div className={css.row}>
      {row.status !== "unreadable" && (
        <Button
          busy={busy}
          onClick={() =>
            void act(async () => {
              await connection.call("schedule.run", { ...id, request_id: crypto.randomUUID() });
              tell(t("ran", { id: row.schedule }));
              onChanged();
            })
          }
        >
          {t("runNow")}
        </Button>
      )}
      {(row.status === "active" || row.status === "paused") && (
        <Button
          busy={busy}
          onClick={() => void act(() => connection.call(row.status === "paused" ? "schedule.resume" : "schedule.pause", id).then(onChanged))}
        >
          {row.status === "paused" ? t("resume") : t("pause")}
        </Button>
      )}
      {isOurs(row) && row.fields != null && <Button onClick={() => setEditing(true)}>{t("edit")}</Button>}
      <Button tone="bad" onClick={() => setRemoving(true)}>
        {t("remove")}
      </Button>
      {editing && <ScheduleForm row={row} onClose={() => setEditing(false)} onSaved={onChanged} />}
      {removing && (
        <Dialog title={t("remove")} onClose={() => setRemoving(false)}>
          <p>
            <strong>
              <Said>{row.title === "" ? row.schedule : row.title}</Said>
            </strong>
            <br />
            <Said>{`${row.explain}; ${row.action}`}</Said>
          </p>
          <p>{t("removeAsk")}</p>
          {!isOurs(row) && <p>{t("ofSettings")}</p>}
          <div className={css.row}>
            <Button
              tone="bad"
              busy={busy}
              onClick={() =>
                void act(async () => {
                  await connection.call("schedule.remove", id);
                  tell(t("removed", { id: row.schedule }));
                  onChanged();
                }).then((done) => {
                  if (done) setRemoving(false);
                })
              }
            >
              {t("remove")}
            </Button>
            <Button onClick={() => setRemoving(false)}>{t("cancel")}</Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
