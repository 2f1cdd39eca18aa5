import { useEffect, useRef, useState } from "react";
import { Button } from "../../kit/Button";
import { visible } from "../../kit/Said";
import { elsewhere, type Card, type State } from "./cards";
import css from "./projects.module.css";
import { t } from "./words";

/** A button that opens the states a card can be moved to: arrow keys go through them, Escape closes. */
export function MoveMenu({ card, busy, onMove }: { card: Card; busy: boolean; onMove: (state: State) => void }) {
  const [open, setOpen] = useState(false);
  const holder = useRef<HTMLDivElement>(null);
  const items = (): HTMLButtonElement[] => [...(holder.current?.querySelectorAll<HTMLButtonElement>("[role=menuitem]") ?? [])];

  useEffect(() => {
    if (!open) return;
    items()[0]?.focus();
    const elsewhereClicked = (event: PointerEvent): void => {
      if (event.target instanceof Node && holder.current?.contains(event.target) !== true) setOpen(false);
    };
    document.addEventListener("pointerdown", elsewhereClicked);
    return () => document.removeEventListener("pointerdown", elsewhereClicked);
  }, [open]);

  const close = (): void => {
    setOpen(false);
    holder.current?.querySelector<HTMLButtonElement>("[aria-haspopup]")?.focus();
  };

  return (
    <div
      ref={holder}
      className={css.menuHolder}
      onKeyDown={(event) => {
        if (!open) return;
        const all = items();
        const at = all.indexOf(document.activeElement as HTMLButtonElement);
        const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
        if (next !== undefined) {
          event.preventDefault();
          all[(next + all.length) % all.length]?.focus();
        } else if (event.key === "Escape") {
          event.preventDefault();
          event.stopPropagation();
          close();
        } else if (event.key === "Tab") setOpen(false);
      }}
    >
      <Button
        className={css.moveButton}
        tone="ghost"
        busy={busy}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={visible(t("moveOf", { task: card.text }))}
        data-card={card.key}
        onClick={() => setOpen(!open)}
      >
        {t("moveTo")} <span aria-hidden>▾</span>
      </Button>
      {open && (
        <div role="menu" aria-label={t("moveTo")} className={css.menu}>
          {elsewhere(card).map((state) => (
            <button
              key={state}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                close();
                onMove(state);
              }}
            >
              {t(`state_${state}`)}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
