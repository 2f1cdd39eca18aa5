import { useMemo, useState } from "react";
import { Button } from "../../../kit/Button";
import { Dialog } from "../../../kit/Dialog";
import { orOlder } from "../../../kit/older";
import type { Result } from "../../../protocol/wire";
import { useAct, usePage } from "../../../shell/page";
import { runAddress } from "../address";
import { keepDraft } from "../draft";
import { InputsForm } from "../InputsForm";
import css from "../playbooks.module.css";
import type { InputSpec } from "../run/inputs";
import { t } from "../words";

export function RunDialog({ name, specs, stale, onClose }: { name: string; specs: readonly InputSpec[]; stale: boolean; onClose: () => void }) {
  const { connection } = usePage();
  const [busy, act] = useAct();
  // The same for as long as this is open: pressed twice, or sent again, it begins one run.
  const [request] = useState(() => `con-${crypto.randomUUID()}`);
  return (
    <Dialog title={t("runTitle", { name })} onClose={onClose}>
      {stale && <p className={css.quiet}>{t("saveFirst")}</p>}
      <InputsForm
        specs={specs}
        act={t("start")}
        busy={busy}
        onValues={(inputs) =>
          void act(async () => {
            const { run } = await connection.call("workflow.start", { playbook: name, inputs, request_id: request });
            location.hash = runAddress(name, run);
          })
        }
      />
    </Dialog>
  );
}

interface DryProps {
  name: string;
  specs: readonly InputSpec[];
  text: () => string;
  unsaved: boolean;
  onClose: () => void;
  onDone: (answer: Result<"workflow.dry_run">, tried: string) => void;
}

export function DryDialog({ name, specs, text, unsaved, onClose, onDone }: DryProps) {
  const { connection } = usePage();
  const [busy, act] = useAct();
  // Here nothing has to be given: what is missing is assumed.
  const free = useMemo(() => specs.map((spec) => ({ ...spec, required: false })), [specs]);
  return (
    <Dialog title={t("dryTitle")} onClose={onClose}>
      {unsaved && <p className={css.quiet}>{t("asWritten")}</p>}
      <InputsForm
        specs={free}
        act={t("dryRun")}
        busy={busy}
        onValues={(inputs) => void act(async () => {
          const tried = text();
          onDone(await orOlder("workflow.dry_run", connection.call("workflow.dry_run", { playbook: name, inputs, text: tried })), tried);
        })}
      />
    </Dialog>
  );
}

export function DeleteDialog({ name, digest, onClose, onGone }: { name: string; digest: string; onClose: () => void; onGone: () => void }) {
  const { connection, tell } = usePage();
  const [busy, act] = useAct();
  return (
    <Dialog title={t("delete")} onClose={onClose}>
      <p>{t("deleteAsk", { name })}</p>
      <div className={css.row}>
        <Button
          tone="bad"
          busy={busy}
          onClick={() =>
            void act(async () => {
              await orOlder("workflow.delete", connection.call("workflow.delete", { playbook: name, digest }));
              keepDraft(name, null);
              onGone();
              tell(t("deleted", { name }));
              location.hash = "#/playbooks";
            })
          }
        >
          {t("delete")}
        </Button>
        <Button onClick={onClose}>{t("cancel")}</Button>
      </div>
    </Dialog>
  );
}
