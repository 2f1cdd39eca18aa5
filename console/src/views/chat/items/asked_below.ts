import type { QuestionRow } from "../../../protocol/wire";
import type { Item } from "../../../thread/items";

/**
 * The open question of a sub-agent, and the thread in which it is answered; null where nobody waits for it any more.
 *
 * @param below what the page has of sub-agents.
 * @param questions what people are asked at this moment, for a sub-agent of which the page has nothing.
 */
export function askedBelow(
  below: ReadonlyMap<string, readonly Item[]>, questions: readonly QuestionRow[], waitId: string,
): { readonly threadId: string; readonly prompt: string } | null {
  for (const items of below.values()) {
    const found = items.find((item) => item.kind === "question" && item.waitId === waitId);
    if (found?.kind === "question") return found.answer === null ? { threadId: found.threadId, prompt: found.prompt } : null;
  }
  const row = questions.find((one) => one.id === waitId);
  return row === undefined ? null : { threadId: row.thread_id, prompt: row.prompt };
}
