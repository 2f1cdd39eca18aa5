import { useSyncExternalStore } from "react";

const NARROW = "(max-width: 760px)";

/** Whether the page is as narrow as a phone's. Where it only has to look otherwise, a style does; this is for another order of things. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(NARROW).matches);
}

function subscribe(changed: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener("change", changed);
  return () => query.removeEventListener("change", changed);
}
