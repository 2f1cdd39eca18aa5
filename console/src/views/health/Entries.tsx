import { useEffect, type ReactNode } from "react";
import { Virtuoso } from "react-virtuoso";
import { Answer } from "../../kit/Answer";
import { Button } from "../../kit/Button";
import { Empty } from "../../kit/Panel";
import { count } from "../../text/figures";
import css from "./health.module.css";
import { hasOlder, MOST } from "./pages";
import type { Paged } from "./usePages";
import { t } from "./words";

interface EntriesProps<E> {
  pages: Paged<E>;
  what: string;
  draw: (entry: E) => ReactNode;
}

/** Entries as a list of which only what is seen is drawn; older ones are read when its end comes into view. */
export function Entries<E>({ pages: { call, older, reading }, what, draw }: EntriesProps<E>) {
  // A page can be empty and have others behind it: where few entries fit, it is read on until there are some.
  const { value } = call;
  const few = value !== null && value.entries.length < 20 && hasOlder(value) && !reading && call.error === null;
  useEffect(() => {
    if (few) older();
  }, [few, older]);
  return (
    <Answer call={call} what={what}>
      {(pages) =>
        pages.entries.length === 0 ? (
          <Empty>{reading ? t("older") : t("noEntries")}</Empty>
        ) : (
          <>
            <div className={css.entries}>
              <Virtuoso
                role="group"
                aria-label={t("entries")}
                data={pages.entries}
                endReached={older}
                increaseViewportBy={300}
                itemContent={(_, entry) => draw(entry)}
              />
            </div>
            <p className={css.below}>
              {hasOlder(pages) ? (
                <Button busy={reading} onClick={older}>
                  {reading ? t("older") : `${count(pages.entries.length)} +`}
                </Button>
              ) : pages.next === null ? (
                t("end")
              ) : (
                t("most", { count: count(MOST) })
              )}
            </p>
          </>
        )
      }
    </Answer>
  );
}
