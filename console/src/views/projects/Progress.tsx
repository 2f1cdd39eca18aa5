import { useId } from "react";
import css from "./projects.module.css";
import { t } from "./words";

/**
 * How far a project is, as a bar and in words.
 *
 * @param done how many of its tasks are ticked. Where that is not known, the ones that can be worked on are told: neither ticked nor
 *   blocked.
 */
export function Progress({ row, done }: { row: { open: number; tasks: number }; done?: number }) {
  const words = useId();
  if (row.tasks === 0) return <span className={css.quiet}>{t("noTasks")}</span>;
  return (
    <span className={css.progress}>
      <progress aria-labelledby={words} max={row.tasks} value={done ?? row.tasks - row.open} />
      <span id={words}>{done === undefined ? t("openOf", { open: row.open, tasks: row.tasks }) : t("doneOf", { done, tasks: row.tasks })}</span>
    </span>
  );
}
