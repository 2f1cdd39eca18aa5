import { useLayoutEffect, useRef } from "react";
import css from "./App.module.css";

export interface Line {
  readonly id: string;
  readonly text: string;
  readonly tone: "plain" | "bad";
}

/** Passing lines under the bar, above whatever is open, read out by screen readers. */
export function Told({ lines }: { lines: readonly Line[] }) {
  const place = useRef<HTMLDivElement>(null);
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
  return (
    <div ref={place} popover="manual" className={css.told} role="status" aria-live="polite">
      {lines.map((line) => (
        <p key={line.id} className={line.tone === "bad" ? css.toldBad : css.toldPlain}>
          {line.text}
        </p>
      ))}
    </div>
  );
}
