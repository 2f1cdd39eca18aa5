import { useId } from "react";
import css from "./projects.module.css";
import { t } from "./words";

/** How far a project is, as a bar and in words. */
export function Progress({ row }: { row: { open: number; tasks: number } }) {
  const words = useId();
  if (row.tasks === 0) return <span className={css.quiet}>{t("noTasks")}</span>;
  return (
    <span className={css.progress}>
      <progress aria-labelledby={words} max={row.tasks} value={row.tasks - row.open} />
      <span id={words}>{t("doneOf", { done: row.tasks - row.open, tasks: row.tasks })}</span>
    </span>
  );
}
