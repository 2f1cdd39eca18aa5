import { useEffect, useRef } from "react";
import { usePage } from "../../shell/page";

/** What happens within this time is looked at once. */
const TOGETHER_MS = 400;

/**
 * Has something looked at again when threads of some kinds begin, move on or end, and every now and then all the same: times that
 * were next are over some time.
 */
export function useFresh(reload: () => void, kinds: readonly string[], everyS = 60): void {
  const { live } = usePage();
  const wanted = kinds.join(" ");
  const last = useRef("");
  useEffect(() => {
    let soon: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      const rows = [...(live.view().rows?.values() ?? [])].filter((row) => wanted.split(" ").includes(row.kind));
      const now = rows.map((row) => `${row.thread_id} ${row.run_id} ${row.doing.what}`).sort().join("\n");
      if (now === last.current) return;
      last.current = now;
      clearTimeout(soon);
      soon = setTimeout(reload, TOGETHER_MS);
    };
    const stop = live.subscribe(look);
    const timer = setInterval(reload, everyS * 1000);
    return () => {
      stop();
      clearInterval(timer);
      clearTimeout(soon);
    };
  }, [live, reload, wanted, everyS]);
}
