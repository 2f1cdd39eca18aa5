import type { ReactNode } from "react";
import css from "./kit.module.css";

/** How much of something there is, as a bar with its figures in words beside it. */
export function Meter({ share, tone = "plain", children }: { share: number; tone?: "plain" | "warn" | "bad"; children: ReactNode }) {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 100);
  return (
    <span className={css.meter}>
      <span className={css.meterBar} aria-hidden="true">
        <span className={css[`meter-${tone}`]} style={{ inlineSize: `${percent}%` }} />
      </span>
      <span className={css.meterWords}>{children}</span>
    </span>
  );
}
