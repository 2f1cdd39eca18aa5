import { useCallback, useEffect, useMemo, useState } from "react";
import type { PlayRow } from "../../protocol/generated";
import { sentence } from "../../protocol/errors";
import { usePage, useStanding } from "../../shell/page";
import { isOver } from "./run/states";

const AGAIN_S = 4;
const PAGE = 200;
const MOST = 1000;

export interface Runs {
  readonly rows: readonly PlayRow[] | null;
  readonly error: string | null;
  readonly more: boolean;
  reload: () => void;
  showMore: () => void;
}

/** Runs, the newest first, and looked at again as long as some go on. */
export function useRuns(status: string, playbook = ""): Runs {
  const { connection } = usePage();
  const open = useStanding().state === "open";
  const [pages, setPages] = useState(1);
  const [times, setTimes] = useState(0);
  const [held, setHeld] = useState<{ rows: readonly PlayRow[] | null; error: string | null; more: boolean }>({ rows: null, error: null, more: false });

  useEffect(() => {
    if (!open) return;
    let current = true;
    const read = async (): Promise<void> => {
      const rows: PlayRow[] = [];
      let after: string | null = null;
      for (let page = 0; page < pages && rows.length < MOST; page++) {
        const answer: { runs: PlayRow[]; next: string | null } = await connection.call("workflow.runs", {
          limit: PAGE, after, ...(status === "" ? {} : { status: status as PlayRow["status"] }),
        });
        rows.push(...answer.runs);
        after = answer.next;
        if (after === null) break;
      }
      if (current) setHeld({ rows, error: null, more: after !== null && rows.length < MOST });
    };
    read().catch((error: unknown) => {
      if (current) setHeld((before) => ({ ...before, error: sentence(error) }));
    });
    return () => {
      current = false;
    };
  }, [connection, open, status, pages, times]);

  const going = held.rows?.some((row) => !isOver(row.status)) ?? false;
  useEffect(() => {
    if (!going) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") setTimes((before) => before + 1);
    }, AGAIN_S * 1000);
    return () => clearInterval(timer);
  }, [going]);

  const rows = useMemo(
    () => held.rows?.filter((row) => playbook === "" || row.playbook === playbook).sort((one, other) => other.started_at.localeCompare(one.started_at)) ?? null,
    [held.rows, playbook],
  );
  return {
    rows, error: held.error, more: held.more,
    reload: useCallback(() => setTimes((before) => before + 1), []),
    showMore: useCallback(() => setPages((before) => before + 1), []),
  };
}
