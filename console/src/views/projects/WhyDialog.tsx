import { useId, useState } from "react";
import { Dialog, Foot } from "../../kit/Dialog";
import { visible } from "../../kit/Said";
import type { Card, State } from "./cards";
import css from "./projects.module.css";
import { t } from "./words";

/** Asks why a task is blocked or has failed: the file says it behind the task. */
export function WhyDialog({ card, state, onClose, onSaid }: { card: Card; state: State; onClose: () => void; onSaid: (why: string) => void }) {
  const [why, setWhy] = useState("");
  const field = useId();
  return (
    <Dialog title={visible(t("whyTitle", { task: card.text, state: t(`state_${state}`) }))} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          onSaid(why.trim());
        }}
      >
        <div className={css.field}>
          <label htmlFor={field}>{t("why")}</label>
          <input id={field} required value={why} onChange={(event) => setWhy(event.target.value)} />
        </div>
        <Foot act={t("move")} disabled={why.trim() === ""} onClose={onClose} />
      </form>
    </Dialog>
  );
}
