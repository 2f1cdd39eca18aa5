import { useCallback, useLayoutEffect, useRef } from "react";
import { Button } from "../kit/Button";
import css from "./App.module.css";
import type { Line } from "./lines";
import { t } from "./words";

/** Passing lines at the lower edge, above whatever is open, read out by screen readers. */
export function Told({ lines, onClose }: { lines: readonly Line[]; onClose: (id: string) => void }) {
  const place = useRef<HTMLDivElement>(null);
  const cameFrom = useRef<EventTarget | null>(null);
  const newest = lines.at(-1)?.id;
  // What was shown last stands above the others: a dialog that was opened since is climbed over.
  useLayoutEffect(() => {
    const shown = place.current;
    if (shown === null || typeof shown.showPopover !== "function") return;
    if (!shown.matches(":popover-open")) shown.showPopover();
    else if (newest !== undefined && document.querySelector("dialog[open]") !== null) {
      shown.hidePopover();
      shown.showPopover();
    }
  }, [newest]);
  const giveBack = useCallback(() => {
    const before = cameFrom.current instanceof HTMLElement && cameFrom.current.isConnected ? cameFrom.current : document.getElementById("content");
    before?.focus({ preventScroll: true });
  }, []);
  return (
    <div
      ref={place}
      popover="manual"
      className={css.told}
      role="status"
      aria-live="polite"
      onFocus={({ relatedTarget }) => {
        if (place.current?.contains(relatedTarget) !== true) cameFrom.current = relatedTarget;
      }}
    >
      {lines.map((line) => (
        <Passing key={line.id} line={line} giveBack={giveBack} onClose={onClose} />
      ))}
    </div>
  );
}

function Passing({ line, giveBack, onClose }: { line: Line; giveBack: () => void; onClose: (id: string) => void }) {
  const element = useRef<HTMLDivElement>(null);
  // Closed or over, it gives the focus back to what had it before.
  useLayoutEffect(() => {
    const shown = element.current;
    return () => {
      if (shown?.contains(document.activeElement) === true) giveBack();
    };
  }, [giveBack]);
  return (
    <div ref={element} className={line.tone === "bad" ? css.toldBad : css.toldPlain}>
      <p>{line.text}</p>
      <Button tone="ghost" aria-label={t("closeLine")} onClick={() => onClose(line.id)}>
        ×
      </Button>
    </div>
  );
}
