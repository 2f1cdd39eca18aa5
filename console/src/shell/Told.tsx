import css from "./App.module.css";

export interface Line {
  readonly id: string;
  readonly text: string;
  readonly tone: "plain" | "bad";
}

/** Passing lines at the edge of the page, read out by screen readers. */
export function Told({ lines }: { lines: readonly Line[] }) {
  return (
    <div className={css.told} role="status" aria-live="polite">
      {lines.map((line) => (
        <p key={line.id} className={line.tone === "bad" ? css.toldBad : css.toldPlain}>
          {line.text}
        </p>
      ))}
    </div>
  );
}
