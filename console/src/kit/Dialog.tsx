import { useId, useLayoutEffect, useRef, type ReactNode } from "react";
import { Button } from "./Button";
import css from "./kit.module.css";
import { catalog } from "../text/catalog";

const t = catalog("kit", { close: "Close" });

/** A dialog over the page, closed with Escape or its button. It is there as long as it is drawn. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
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
      {children}
    </dialog>
  );
}
