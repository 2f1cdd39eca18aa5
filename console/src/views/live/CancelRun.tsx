import { useId, useState } from "react";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import type { LiveRow } from "../../protocol/generated";
import { useAct, usePage } from "../../shell/page";
import css from "./live.module.css";
import { t } from "./words";

/** Asks before a run is cancelled. */
export function CancelRun({ row, onClose }: { row: LiveRow; onClose: () => void }) {
  const { connection, tell } = usePage();
  const [why, setWhy] = useState("");
  const [busy, act] = useAct();
  const field = useId();
  return (
    <Dialog title={t("cancelThis", { title: row.title || (row.playbook ?? t("untitled")) })} onClose={onClose}>
      <form
        className={css.dialog}
        onSubmit={(event) => {
          event.preventDefault();
          void act(() => connection.call("workflow.cancel", { run: row.thread_id, why })).then((done) => {
            if (!done) return;
            tell(t("cancelled"));
            onClose();
          });
        }}
      >
        <p>{t("cancelAsk")}</p>
        <label htmlFor={field}>{t("cancelWhy")}</label>
        <input id={field} dir="auto" value={why} onChange={(event) => setWhy(event.target.value)} />
        <div className={css.line}>
          <Button type="submit" tone="bad" busy={busy}>
            {t("cancelRun")}
          </Button>
          <Button onClick={onClose}>{t("keep")}</Button>
        </div>
      </form>
    </Dialog>
  );
}
