import { createContext, useCallback, useContext, useEffect, useState, useSyncExternalStore } from "react";
import type { Watch } from "../asked/watch";
import type { Connection, Standing } from "../protocol/connection";
import { RpcError, sentence } from "../protocol/errors";
import type { MethodName, Params, Result, Scope } from "../protocol/wire";
import type { OpenThread, Threads } from "../thread/threads";
import type { Inbox } from "./inbox";
import type { Live } from "./live";

/** What every view has to do with: one of each for the page, passed down, never imported. */
export interface Page {
  readonly connection: Connection;
  readonly threads: Threads;
  readonly inbox: Inbox;
  readonly live: Live;
  /** Sees to it that a press is an answer to what the person has seen. */
  readonly watch: Watch;
  /** Say something to people who look elsewhere: a passing line, read out by screen readers. */
  tell: (text: string, tone?: "plain" | "bad") => void;
}

/** What was told last that went wrong, for the dialog that it happened in; null for nothing yet. */
export const TroubleContext = createContext<{ readonly id: string; readonly text: string } | null>(null);

export const PageContext = createContext<Page | null>(null);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === null) throw new Error("a view stands outside of the page");
  return page;
}

export function useStanding(): Standing {
  const { connection } = usePage();
  return useSyncExternalStore(connection.subscribe, () => connection.standing);
}

/** Whether this session may do something. What it may not is not shown. */
export function useMay(scope: Scope): boolean {
  return useStanding().scopes.includes(scope);
}

/** A thread, followed as long as it is shown. */
export function useThread(threadId: string): OpenThread {
  const { threads } = usePage();
  const subscribe = useCallback((changed: () => void) => threads.use(threadId, changed), [threads, threadId]);
  return useSyncExternalStore(subscribe, () => threads.now(threadId));
}

export interface Loaded<R> {
  readonly value: R | null;
  readonly error: string | null;
  /** The daemon's stable word for what went wrong, e.g. `unknown_method`; null if nothing did, or it has none. */
  readonly code: string | null;
  readonly loading: boolean;
  reload: () => void;
}

/**
 * What a method answers, asked for again when the parameters change, when the connection comes back, and with `reload`. The old
 * answer stays until the new one is here.
 */
export function useCall<M extends MethodName>(method: M, params: Params<M>, enabled = true): Loaded<Result<M>> {
  const { connection } = usePage();
  const open = useStanding().state === "open";
  const asked = JSON.stringify(params);
  const [times, setTimes] = useState(0);
  const [held, setHeld] = useState<Omit<Loaded<Result<M>>, "reload">>({ value: null, error: null, code: null, loading: true });
  useEffect(() => {
    if (!enabled || !open) return;
    let current = true;
    connection
      .call(method, JSON.parse(asked) as Params<M>)
      .then((value) => {
        if (current) setHeld({ value, error: null, code: null, loading: false });
      })
      .catch((error: unknown) => {
        const code = error instanceof RpcError ? error.code : null;
        if (current) setHeld((before) => ({ value: before.value, error: sentence(error), code, loading: false }));
      });
    return () => {
      current = false;
    };
  }, [connection, method, asked, enabled, open, times]);
  return { ...held, reload: useCallback(() => setTimes((before) => before + 1), []) };
}

/**
 * Something that a person has done by a button: one at a time, and what went wrong is told.
 *
 * @returns whether it is under way, and what does it.
 */
export function useAct(): [boolean, (run: () => Promise<unknown>) => Promise<boolean>] {
  const { tell } = usePage();
  const [busy, setBusy] = useState(false);
  const act = useCallback(
    async (run: () => Promise<unknown>): Promise<boolean> => {
      setBusy(true);
      try {
        await run();
        return true;
      } catch (error) {
        tell(sentence(error), "bad");
        return false;
      } finally {
        setBusy(false);
      }
    },
    [tell],
  );
  return [busy, act];
}

/** The time, told anew every `everyS` seconds: for what says how long ago something was. */
export function useNow(everyS = 1): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyS * 1000);
    return () => clearInterval(timer);
  }, [everyS]);
  return now;
}
