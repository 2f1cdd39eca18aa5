import { startTransition, useEffect, useState } from "react";
import { useThread } from "../../../kit/useBeside";
import type { Sketch } from "./outline";

/** Begins a thread that reads texts of playbooks: a long one takes longer than a letter may wait. */
export function outlineThread(): Worker {
  return new Worker(new URL("./outline.worker.ts", import.meta.url), { type: "module" });
}

/** What a text says of its steps, read on a thread beside the page's. Null without a text, and until it is read. */
export function useSketch(text: string | null): Sketch | null {
  const [read, setRead] = useState<{ readonly text: string; readonly of: Sketch } | null>(null);
  const ask = useThread<string, Sketch>(outlineThread, (asked, of) => startTransition(() => setRead({ text: asked, of })));
  useEffect(() => {
    if (text !== null) ask(text);
  }, [ask, text]);
  return read !== null && read.text === text ? read.of : null;
}
