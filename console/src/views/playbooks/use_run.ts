import { useEffect, useRef, useState } from "react";
import type { PlayDetail, StepRow } from "../../protocol/generated";
import { sentence } from "../../protocol/errors";
import { usePage, useStanding, useThread } from "../../shell/page";
import type { OpenThread } from "../../thread/threads";

const PAGE = 500;
const MOST_STEPS = 20_000;
/** Between two looks at a run at which something happens, and with as many steps as take a while to tell. */
const SOON_MS = 200;
const MANY_MS = 1500;

export interface Run {
  readonly detail: PlayDetail | null;
  readonly error: string | null;
  readonly thread: OpenThread;
  look: () => void;
}

/** A run with all of its steps, looked at again whenever something has happened in its thread. */
export function useRun(run: string): Run {
  const { connection } = usePage();
  const open = useStanding().state === "open";
  const thread = useThread(run);
  const [times, setTimes] = useState(0);
  const [held, setHeld] = useState<{ detail: PlayDetail | null; error: string | null }>({ detail: null, error: null });
  const last = useRef(0);
  const many = useRef(false);
  const happened = thread.records.length;

  useEffect(() => {
    if (!open) return;
    let current = true;
    const read = async (): Promise<void> => {
      last.current = performance.now();
      const steps: StepRow[] = [];
      let first: PlayDetail | null = null;
      for (let after: number | null = 0; after !== null && steps.length < MOST_STEPS; ) {
        const page: PlayDetail = await connection.call("workflow.status", { run, after, limit: PAGE });
        first ??= page;
        steps.push(...page.steps);
        after = page.next ?? null;
      }
      many.current = steps.length > PAGE;
      if (current && first !== null) setHeld({ detail: { ...first, steps }, error: null });
    };
    const since = performance.now() - last.current;
    const timer = setTimeout(
      () => void read().catch((error: unknown) => current && setHeld((before) => ({ ...before, error: sentence(error) }))),
      last.current === 0 ? 0 : Math.max(SOON_MS, (many.current ? MANY_MS : 0) - since),
    );
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [connection, open, run, happened, times]);

  return { ...held, thread, look: () => setTimes((before) => before + 1) };
}
