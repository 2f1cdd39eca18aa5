import { useContext, useId, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { TroubleContext } from "../shell/page";
import { Button } from "./Button";
import css from "./kit.module.css";
import { Problem } from "./Panel";
import { visible } from "./Said";
import { catalog } from "../text/catalog";

const t = catalog("kit", { close: "Close", cancel: "Cancel" });

/**
 * A dialog over the page, closed with Escape or its button. It is there as long as it is drawn. What goes wrong while it is open is
 * told in it, until something in it changes.
 */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const trouble = useTrouble();
  // Closed while it is still on the page, so that the browser gives the focus back to what had it.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog !== null && !dialog.open) {
      dialog.showModal();
      // The first field, else what the browser takes: the button that closes.
      dialog.querySelector<HTMLElement>("input, select, textarea")?.focus();
    }
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={heading}
      onInput={trouble.forget}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header className={css.panelHead}>
        <h2 id={heading}>{title}</h2>
        <Button tone="ghost" onClick={onClose}>
          {t("close")}
        </Button>
      </header>
      {trouble.text !== "" && <Problem>{visible(trouble.text)}</Problem>}
      {children}
    </dialog>
  );
}

interface FootProps {
  /** What is done, on the main button. */
  act: string;
  tone?: "main" | "bad";
  busy?: boolean;
  disabled?: boolean;
  /** What leaves it undone; `Cancel` if left out. */
  leave?: string;
  onClose: () => void;
}

/** The foot of a form in a dialog: what sends it, and what leaves it. */
export function Foot({ act, tone = "main", busy, disabled, leave, onClose }: FootProps) {
  return (
    <div className={css.row}>
      <Button type="submit" tone={tone} busy={busy} disabled={disabled}>
        {act}
      </Button>
      <Button onClick={onClose}>{leave ?? t("cancel")}</Button>
    </div>
  );
}

/** What went wrong since the dialog was opened, as long as it was not forgotten. */
function useTrouble(): { text: string; forget: () => void } {
  const told = useContext(TroubleContext);
  const [passed, setPassed] = useState(told?.id);
  const [held, setHeld] = useState(told);
  // The passing line goes by itself; here it stays.
  if (told !== null && told.id !== held?.id) setHeld(told);
  return { text: held === null || held.id === passed ? "" : held.text, forget: () => setPassed(held?.id) };
}
