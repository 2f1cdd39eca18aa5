import { useEffect, useState } from "react";

/** What was typed, once the typing has paused: the daemon is not asked at every key. */
export function useTyped(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), 350);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
