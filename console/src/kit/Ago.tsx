import { useNow } from "../shell/page";
import { dayAndClock, duration, sinceS } from "../text/figures";

/** For how long something is so, counting on. */
export function Ago({ at }: { at: string }) {
  const now = useNow(1);
  return (
    <time dateTime={at} title={dayAndClock(at)}>
      {duration(sinceS(at, now))}
    </time>
  );
}
