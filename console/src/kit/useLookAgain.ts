import { useEffect } from "react";

/** Looks again when a person comes back to the page, and every few seconds while they see it: for what changes without telling. */
export function useLookAgain(look: () => void, everyS = 10): void {
  useEffect(() => {
    const seen = (): void => {
      if (document.visibilityState === "visible") look();
    };
    const timer = setInterval(seen, everyS * 1000);
    addEventListener("focus", seen);
    document.addEventListener("visibilitychange", seen);
    return () => {
      clearInterval(timer);
      removeEventListener("focus", seen);
      document.removeEventListener("visibilitychange", seen);
    };
  }, [look, everyS]);
}
