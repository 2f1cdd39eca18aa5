import { useId, useState } from "react";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { visible } from "../../kit/Said";
import { useAct, usePage } from "../../shell/page";
import type { Entity } from "./graph";
import css from "./memory.module.css";
import { t } from "./words";

interface Closing {
  onClose: () => void;
  onChanged: (id?: string) => void;
}

/** Says how something is. An empty `about` lets the person say what of. */
export function CorrectDialog({ agent, entity, about, value, onClose, onChanged }: Closing & { agent: string; entity: Entity; about: string; value: string }) {
  const { connection, tell } = usePage();
  const [busy, act] = useAct();
  const [what, setWhat] = useState(about);
  const [said, setSaid] = useState(value);
  const id = useId();
  return (
    <Dialog title={visible(t("correctTitle", { name: entity.name }))} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          void act(async () => {
            const now = await connection.call("memory.correct", { agent, entity: entity.id, what: what.trim(), value: said.trim() });
            tell(visible(t("isCorrected", { name: now.name })));
            onChanged(now.id);
          }).then((done) => {
            if (done) onClose();
          });
        }}
      >
        <label htmlFor={`${id}-what`}>{t("whatField")}</label>
        <input id={`${id}-what`} required list={`${id}-known`} aria-describedby={`${id}-hint`} value={what} onChange={(event) => setWhat(event.target.value)} />
        <datalist id={`${id}-known`}>
          {["name", "kind", ...new Set([...entity.facts, ...entity.relations].map((fact) => fact.what))].map((known) => (
            <option key={known} value={visible(known)} />
          ))}
        </datalist>
        <span id={`${id}-hint`} className={css.quiet}>
          {t("whatHint")}
        </span>
        <label htmlFor={`${id}-value`}>{t("valueField")}</label>
        <input id={`${id}-value`} required value={said} onChange={(event) => setSaid(event.target.value)} />
        <p className={css.quiet}>{t("correctHint")}</p>
        <div className={css.row}>
          <Button type="submit" tone="main" busy={busy} disabled={what.trim() === "" || said.trim() === ""}>
            {t("save")}
          </Button>
          <Button onClick={onClose}>{t("cancel")}</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Says that two are one. */
export function MergeDialog({ agent, entity, all, onClose, onChanged }: Closing & { agent: string; entity: Entity; all: readonly Entity[] }) {
  const { connection, tell } = usePage();
  const [busy, act] = useAct();
  const [other, setOther] = useState("");
  const field = useId();
  return (
    <Dialog title={visible(t("mergeTitle", { name: entity.name }))} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          void act(async () => {
            const now = await connection.call("memory.merge", { agent, entity: entity.id, other });
            tell(t("merged"));
            onChanged(now.id);
          }).then((done) => {
            if (done) onClose();
          });
        }}
      >
        <label htmlFor={field}>{t("mergeWith")}</label>
        <select id={field} required value={other} onChange={(event) => setOther(event.target.value)}>
          <option value="">{t("choose")}</option>
          {all
            .filter((one) => one.id !== entity.id)
            .map((one) => (
              <option key={one.id} value={one.id}>
                {visible(`${one.name} (${one.kind})`)}
              </option>
            ))}
        </select>
        <p className={css.quiet}>{t("mergeHint")}</p>
        <div className={css.row}>
          <Button type="submit" tone="main" busy={busy} disabled={other === ""}>
            {t("merge")}
          </Button>
          <Button onClick={onClose}>{t("cancel")}</Button>
        </div>
      </form>
    </Dialog>
  );
}
