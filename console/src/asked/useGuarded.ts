import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { usePage } from "../shell/page";
import { SHOWN_MS } from "./guard";
import { linger, type Kept } from "./linger";
import { t } from "./words";

export interface Guarded {
  /** For the element that has the buttons. */
  readonly watched: (element: HTMLElement | null) => (() => void) | undefined;
  /** `ready`, `waits`, or the verdict that was given a moment ago. The element shows it as `data-answering`. */
  readonly state: string;
  /** For the element that has the buttons: on which question the pointer goes down, and which one has the focus. */
  readonly heeds: { readonly onPointerDownCapture: (event: { timeStamp: number }) => void; readonly onFocusCapture: () => void };
  /** Whether a click or a submit is taken; if not, people are told. */
  readonly takes: (event: { timeStamp: number; detail?: number }) => boolean;
}

/**
 * Presses on what decides something, taken only by what the person has seen in its place.
 *
 * @param opened the person has opened it, such as a dialog: it has not come by itself.
 */
export function useGuarded(id: string, opened = false): Guarded {
  const { watch, tell } = usePage();
  const state = useSyncExternalStore(watch.subscribe, () => watch.state(id));
  const watched = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined;
      if (opened) watch.guard.opens(id);
      return watch.add(id, element);
    },
    [watch, id, opened],
  );
  const heeds = useMemo(
    () => ({
      onPointerDownCapture: (event: { timeStamp: number }) => {
        watch.measure();
        watch.guard.down(id, event.timeStamp);
      },
      onFocusCapture: () => watch.guard.select(id, performance.now()),
    }),
    [watch, id],
  );
  const takes = useCallback(
    (event: { timeStamp: number; detail?: number }): boolean => {
      watch.measure();
      // A press of a key on a button is a click without a pointer; of a form nobody knows what sent it. What has the focus, the
      // browser has brought into view.
      const byPointer = event.detail !== undefined && event.detail > 0;
      const { guard } = watch;
      const taken = byPointer
        ? guard.clicks(id, event.timeStamp)
        : guard.keys(id, event.timeStamp, true) || (event.detail === undefined && guard.isReady(id, event.timeStamp));
      if (!taken) tell(t(!byPointer && guard.isJustSelected(id, event.timeStamp) ? "focusNew" : "tooSoon"));
      return taken;
    },
    [watch, id, tell],
  );
  return { watched, state, heeds, takes };
}

/** A list of which nothing moves up at once: what leaves it stays in its place for a few seconds. */
export function useLingering<T>(list: readonly T[], keyOf: (item: T) => string): readonly Kept<T>[] {
  const [seen, setSeen] = useState<readonly T[]>([]);
  const [drawn, setDrawn] = useState<readonly Kept<T>[]>([]);
  let shown = drawn;
  if (seen !== list) {
    shown = linger(drawn, list, keyOf, null, SHOWN_MS);
    setSeen(list);
    setDrawn(shown);
  }
  const waits = shown.some((one) => one.leftMs !== null);
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(() => setDrawn((before) => linger(before, list, keyOf, performance.now(), SHOWN_MS)), 250);
    return () => clearInterval(timer);
  }, [waits, list, keyOf]);
  return shown;
}
