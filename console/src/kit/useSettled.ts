import { useEffect, useState } from "react";

/** A value that is only taken when it has not changed for a moment: for what is asked as somebody types. */
export function useSettled<V>(value: V, afterMs = 350): V {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
