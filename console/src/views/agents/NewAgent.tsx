import { useId, useState } from "react";
import { useHashLocation } from "wouter/use-hash-location";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { useAct, usePage } from "../../shell/page";
import css from "./agents.module.css";
import { quoted } from "./toml";
import { t } from "./words";

/** Makes an agent of a few words; the rest is done in its files. */
export function NewAgent({ onClose }: { onClose: () => void }) {
  const { connection, tell } = usePage();
  const [, go] = useHashLocation();
  const [id, setId] = useState("");
  const [description, setDescription] = useState("");
  const [soul, setSoul] = useState("");
  const [busy, act] = useAct();
  const [idField, idHow, descriptionField, soulField] = [useId(), useId(), useId(), useId()];
  return (
    <Dialog title={t("newAgent")} onClose={onClose}>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          const files = { "agent.toml": `description = ${quoted(description)}\n`, "soul.md": `${soul.trimEnd()}\n` };
          void act(() => connection.call("agent.create", { agent: id, files })).then((done) => {
            if (!done) return;
            tell(t("created", { agent: id }));
            onClose();
            go(`/agents/${encodeURIComponent(id)}`);
          });
        }}
      >
        <label htmlFor={idField}>{t("newId")}</label>
        <input
          id={idField}
          autoFocus
          required
          maxLength={64}
          pattern="[a-z0-9]+([_\-][a-z0-9]+)*"
          spellCheck={false}
          aria-describedby={idHow}
          value={id}
          onChange={(event) => setId(event.target.value)}
        />
        <p id={idHow} className={css.quiet}>
          {t("newIdHow")}
        </p>
        <label htmlFor={descriptionField}>{t("newDescription")}</label>
        <input id={descriptionField} dir="auto" value={description} onChange={(event) => setDescription(event.target.value)} />
        <label htmlFor={soulField}>{t("newSoul")}</label>
        <textarea id={soulField} required dir="auto" rows={6} value={soul} onChange={(event) => setSoul(event.target.value)} />
        <div className={css.line}>
          <Button type="submit" tone="main" busy={busy}>
            {t("create")}
          </Button>
          <Button onClick={onClose}>{t("cancel")}</Button>
        </div>
      </form>
    </Dialog>
  );
}
