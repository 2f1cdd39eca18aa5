import type { ReactNode } from "react";
import css from "./kit.module.css";

/** A part of a view with a heading. */
export function Panel({ title, actions, children }: { title?: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className={css.panel} aria-label={title}>
      {(title !== undefined || actions !== undefined) && (
        <header className={css.panelHead}>
          {title !== undefined && <h2>{title}</h2>}
          <div className={css.row}>{actions}</div>
        </header>
      )}
      {children}
    </section>
  );
}

/** What is shown where there is nothing: why, and what to do. */
export function Empty({ children }: { children: ReactNode }) {
  return <p className={css.empty}>{children}</p>;
}

/** What went wrong. Read out at once by screen readers. */
export function Problem({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className={css.problem}>
      {children}
    </p>
  );
}

/** A short mark, e.g. how a run stands. */
export function Badge({ tone = "plain", children }: { tone?: "plain" | "good" | "warn" | "bad" | "accent"; children: ReactNode }) {
  return <span className={`${css.badge ?? ""} ${css[`badge-${tone}`] ?? ""}`}>{children}</span>;
}
