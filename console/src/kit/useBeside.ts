import { startTransition, useCallback, useEffect, useRef, useState } from "react";
import { Beside } from "./beside";

/**
 * A thread beside the page's, for as long as a part of the page is shown.
 *
 * @param open begins it; the same function each time.
 * @param told hears what came of the newest that was asked.
 * @returns asks for a piece of work.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the thread's script says what it makes
export function useThread<Asked, Done>(open: () => Worker, told: (asked: Asked, done: Done) => void): (asked: Asked) => void {
  const [failed, setFailed] = useState<Error | null>(null);
  const beside = useRef<Beside<Asked, Done> | null>(null);
  const latest = useRef(told);
  useEffect(() => {
    latest.current = told;
  });
  useEffect(() => {
    const own = new Beside<Asked, Done>(open(), (asked, done) => latest.current(asked, done), setFailed);
    beside.current = own;
    return () => own.end();
  }, [open]);
  const ask = useCallback((asked: Asked) => beside.current?.ask(asked), []);
  if (failed !== null) throw failed;
  return ask;
}

/** What a thread beside the page's made of the newest value; what it made of the one before stands until then. Null at first. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the thread's script says what it makes
export function useBeside<Asked, Done>(open: () => Worker, asked: Asked): { readonly asked: Asked; readonly done: Done } | null {
  const [made, setMade] = useState<{ readonly asked: Asked; readonly done: Done } | null>(null);
  // It is drawn in pieces, between which letters have their turn.
  const ask = useThread<Asked, Done>(open, (asked, done) => startTransition(() => setMade({ asked, done })));
  useEffect(() => ask(asked), [ask, asked]);
  return made;
}
