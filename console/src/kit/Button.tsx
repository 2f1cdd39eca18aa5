import type { ButtonHTMLAttributes, ReactNode } from "react";
import css from "./kit.module.css";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  tone?: "plain" | "main" | "bad" | "ghost";
  busy?: boolean;
  children: ReactNode;
}

/** A button. While `busy`, it does nothing and says so. */
export function Button({ tone = "plain", busy = false, children, disabled, className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy || undefined}
      disabled={disabled === true || busy}
      className={[css.button, css[tone], className].filter(Boolean).join(" ")}
    >
      {children}
    </button>
  );
}
