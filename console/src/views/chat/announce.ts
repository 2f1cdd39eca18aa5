import type { Item, ThreadView } from "../../thread/items";
import { endWords } from "./ends";
import { t } from "./words";

/** What of a thread is read out: few words that change rarely. */
export interface Heard {
  readonly running: string;
  readonly lastEnd: string;
  readonly open: number;
}

export function heard(view: ThreadView): Heard {
  return { running: view.running, lastEnd: lastEnd(view.items)?.key ?? "", open: openQuestions(view) };
}

/** What is read out when a thread has changed: that a turn began or ended, or that a question waits. Nothing for each token. */
export function announcement(before: Heard, view: ThreadView): string {
  const now = heard(view);
  const said: string[] = [];
  const end = lastEnd(view.items);
  if (now.lastEnd !== before.lastEnd && end !== undefined) said.push(t("liveEnded", { how: endWords(end).how.toLowerCase() }));
  if (now.running !== "" && now.running !== before.running) said.push(t("liveBegan"));
  if (now.open > before.open) said.push(t("liveQuestion"));
  return said.join(" ");
}

function lastEnd(items: readonly Item[]): Extract<Item, { kind: "end" }> | undefined {
  // An end is near the end: at most a few notes and messages come behind it.
  for (let index = items.length - 1; index >= Math.max(0, items.length - 200); index--) {
    const item = items[index];
    if (item?.kind === "end") return item;
  }
  return undefined;
}

function openQuestions(view: ThreadView): number {
  let open = 0;
  for (const items of [view.items, ...view.below.values()]) {
    for (let index = items.length - 1; index >= Math.max(0, items.length - 200); index--) {
      const item = items[index];
      if (item?.kind === "question" && item.answer === null) open++;
    }
  }
  return open;
}
