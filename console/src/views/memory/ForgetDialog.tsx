import { useEffect, useState } from "react";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { Empty, Problem } from "../../kit/Panel";
import { Said, visible } from "../../kit/Said";
import { sentence } from "../../protocol/errors";
import { usePage } from "../../shell/page";
import css from "./memory.module.css";
import { t } from "./words";

/** What forgetting would come to, or has come to. */
export interface Forgetting {
  readonly forgotten: number;
  readonly going: readonly string[];
  /** What has to be said to have exactly that forgotten. */
  readonly code: string;
}

/**
 * Forgets in two steps: the daemon says what would go, and has to be told the code of exactly that. If it is another by then, it is
 * shown anew.
 *
 * @param ask without a code it says what would go; with one it goes.
 */
export function ForgetDialog({ title, hint, ask, onClose, onForgotten }: {
  title: string;
  hint: string;
  ask: (code?: string) => Promise<Forgetting>;
  onClose: () => void;
  onForgotten: () => void;
}) {
  const { tell } = usePage();
  const [preview, setPreview] = useState<Forgetting | null>(null);
  const [trouble, setTrouble] = useState("");
  const [busy, setBusy] = useState(false);
  const [first] = useState(() => ask);
  useEffect(() => {
    let current = true;
    first()
      .then((found) => {
        if (current) setPreview(found);
      })
      .catch((error: unknown) => {
        if (current) setTrouble(sentence(error));
      });
    return () => {
      current = false;
    };
  }, [first]);

  const forget = async (code: string): Promise<void> => {
    setBusy(true);
    try {
      const done = await ask(code);
      tell(t("forgotten", { count: done.forgotten }));
      onForgotten();
      onClose();
    } catch (error) {
      setTrouble(sentence(error));
      setPreview(await ask().catch(() => null));
      setBusy(false);
    }
  };

  return (
    <Dialog title={visible(title)} onClose={onClose}>
      {trouble !== "" && <Problem>{visible(trouble)}</Problem>}
      {preview === null && trouble === "" && <Empty>{t("forgetLooking")}</Empty>}
      {preview !== null && (
        <div aria-live="polite">
          <p>{preview.going.length === 0 ? t("nothingGoes") : trouble === "" ? t("wouldGo") : t("changed")}</p>
          <ul className={css.going}>
            {preview.going.map((line, index) => (
              <li key={index}>
                <Said>{line}</Said>
              </li>
            ))}
          </ul>
          <p className={css.quiet}>{hint}</p>
        </div>
      )}
      <div className={css.row}>
        {preview !== null && preview.going.length > 0 && (
          <Button tone="bad" busy={busy} onClick={() => void forget(preview.code)}>
            {t("forgetDo")}
          </Button>
        )}
        <Button onClick={onClose}>{t("cancel")}</Button>
      </div>
    </Dialog>
  );
}
