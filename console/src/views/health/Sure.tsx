import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { Said } from "../../kit/Said";
import { useAct, usePage } from "../../shell/page";
import css from "./health.module.css";
import { t } from "./words";

interface SureProps {
  readonly title: string;
  /** What is asked before it is done. */
  readonly ask: string;
  /** On the button that does it. */
  readonly verb: string;
  readonly act: () => Promise<unknown>;
  /** What is told once it was done. */
  readonly done: string;
  readonly onClose: () => void;
}

/** Asks once more before something is done that nobody can undo. */
export function Sure({ title, ask, verb, act, done, onClose }: SureProps) {
  const { tell } = usePage();
  const [busy, doing] = useAct();
  return (
    <Dialog title={title} onClose={onClose}>
      <p>
        <Said>{ask}</Said>
      </p>
      <div className={css.line}>
        <Button
          tone="bad"
          busy={busy}
          onClick={() =>
            void doing(act).then((well) => {
              if (!well) return;
              tell(done);
              onClose();
            })
          }
        >
          {verb}
        </Button>
        <Button onClick={onClose}>{t("cancel")}</Button>
      </div>
    </Dialog>
  );
}
