import { useId } from "react";
import { progressText } from "./cards";
import css from "./projects.module.css";
import { t } from "./words";

/** How far a project is, as a bar and in words. */
export function Progress({ row }: { row: { tasks: number; done: number; blocked: number } }) {
  const words = useId();
  if (row.tasks === 0) return <span className={css.quiet}>{t("noTasks")}</span>;
  return (
    <span className={css.progress}>
      <progress aria-labelledby={words} max={row.tasks} value={row.done} />
      <span id={words}>{progressText(row)}</span>
    </span>
  );
}
