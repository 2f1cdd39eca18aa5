import type { ButtonHTMLAttributes, ReactNode } from "react";
import css from "./kit.module.css";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  tone?: "plain" | "main" | "bad" | "ghost";
  busy?: boolean;
  /** A press of the pointer is not taken yet, because what it is about has just come or moved. */
  waits?: boolean;
  children: ReactNode;
}

/** A button. While `busy`, it does nothing and says so; it keeps the focus, so that who has no mouse stays where they are. */
export function Button({ tone = "plain", busy = false, waits = false, children, className, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      data-waits={waits || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
      className={[css.button, css[tone], className].filter(Boolean).join(" ")}
    >
      {children}
    </button>
  );
}
