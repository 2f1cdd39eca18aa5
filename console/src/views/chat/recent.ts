import { useCallback, useEffect, useState } from "react";
import { sentence } from "../../protocol/errors";
import type { Params, Result } from "../../protocol/wire";
import { usePage, useStanding } from "../../shell/page";

export type Kind = NonNullable<Params<"thread.recent">["kind"]>;
export type Recent = Result<"thread.recent">["threads"][number];
export const KINDS: readonly Kind[] = ["chat", "schedule", "beat", "playbook", "step", "child", "all"];

const PAGE = 50;

/** The first page in front of what further pages had, each thread once. */
export function joinedPages(first: readonly Recent[], before: readonly Recent[]): Recent[] {
  const here = new Set(first.map((row) => row.thread_id));
  const oldest = first.at(-1)?.active_at ?? "";
  // What was above the page's end and is not in it any more was deleted.
  return [...first, ...before.filter((row) => !here.has(row.thread_id) && first.length >= PAGE && row.active_at <= oldest)];
}

export interface RecentThreads {
  readonly rows: readonly Recent[] | null;
  readonly more: boolean;
  readonly trouble: string;
  readonly reload: () => void;
  readonly older: () => void;
}

/**
 * Threads of a kind, the newest first.
 *
 * @param sign the list is read anew when it changes.
 */
export function useRecent(kind: Kind, sign: string): RecentThreads {
  const { connection } = usePage();
  const open = useStanding().state === "open";
  const [held, setHeld] = useState<{ kind: Kind; rows: readonly Recent[] | null; next: string | null; trouble: string }>({
    kind, rows: null, next: null, trouble: "",
  });
  const [times, setTimes] = useState(0);
  useEffect(() => {
    if (!open) return;
    let current = true;
    connection
      .call("thread.recent", { kind, limit: PAGE })
      .then(({ threads, next }) => {
        if (!current) return;
        setHeld((before) => {
          const rest = before.kind === kind && before.rows !== null && before.rows.length > PAGE ? before : null;
          return { kind, rows: joinedPages(threads, rest?.rows ?? []), next: rest === null ? next : rest.next, trouble: "" };
        });
      })
      .catch((error: unknown) => {
        if (current) setHeld((before) => ({ ...before, kind, rows: before.kind === kind ? before.rows : null, trouble: sentence(error) }));
      });
    return () => {
      current = false;
    };
  }, [connection, open, kind, times, sign]);
  const { next } = held;
  const older = useCallback(() => {
    if (next === null) return;
    connection
      .call("thread.recent", { kind, limit: PAGE, after: next })
      .then((page) => setHeld((before) => ({ ...before, rows: joined(before.rows ?? [], page.threads), next: page.next })))
      .catch((error: unknown) => setHeld((before) => ({ ...before, trouble: sentence(error) })));
  }, [connection, kind, next]);
  return {
    rows: held.kind === kind ? held.rows : null, more: next !== null, trouble: held.trouble, reload: useCallback(() => setTimes((before) => before + 1), []), older,
  };
}

function joined(rows: readonly Recent[], further: readonly Recent[]): Recent[] {
  const here = new Set(rows.map((row) => row.thread_id));
  return [...rows, ...further.filter((row) => !here.has(row.thread_id))];
}
