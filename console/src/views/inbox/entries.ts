import type { NoticeRow, QuestionRow } from "../../protocol/wire";
import { ways, type Verdict } from "../../asked/verdicts";

/** One thing that waits for a person. */
export type Entry =
  | { readonly kind: "question"; readonly key: string; readonly at: string; readonly question: QuestionRow }
  | { readonly kind: "notice"; readonly key: string; readonly at: string; readonly notice: NoticeRow };

/** Everything in one list: questions first, the one that waits longest on top; then notices, the newest on top. */
export function entriesOf(waits: { readonly questions: readonly QuestionRow[]; readonly notices: readonly NoticeRow[] }): Entry[] {
  const questions = waits.questions.map((question): Entry => ({ kind: "question", key: `q ${question.thread_id} ${question.id}`, at: question.since ?? "", question }));
  const notices = waits.notices.map((notice): Entry => ({ kind: "notice", key: `n ${notice.id}`, at: notice.at, notice }));
  questions.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  notices.sort((one, other) => (one.at > other.at ? -1 : one.at < other.at ? 1 : 0));
  return [...questions, ...notices];
}

/** Which entry has the focus when the list is another: the same one, else what stands now in its place. */
export function stays(before: readonly string[], now: readonly string[], current: string): string {
  if (now.includes(current)) return current;
  const at = before.indexOf(current);
  if (at === -1) return now[0] ?? "";
  // The next one of those that were behind it and are still there, else the last one.
  return before.slice(at + 1).find((key) => now.includes(key)) ?? now.at(-1) ?? "";
}

export type KeyAct = "down" | "up" | "open" | "seen" | "always" | Extract<Verdict, "approve" | "reject">;

/** What a key does; null for nothing. */
export function keyAct(key: string): KeyAct | null {
  switch (key) {
    case "j":
    case "ArrowDown":
      return "down";
    case "k":
    case "ArrowUp":
      return "up";
    case "a":
      return "approve";
    case "r":
      return "reject";
    case "A":
      return "always";
    case "Enter":
      return "open";
    case "s":
      return "seen";
    default:
      return null;
  }
}

/** Whether an entry takes what a key wants of it. */
export function takes(entry: Entry, wanted: KeyAct): boolean {
  switch (wanted) {
    case "approve":
    case "reject":
    case "always":
      return (
        entry.kind === "question" &&
        ways({ id: entry.question.id, tool: entry.question.tool ?? "", target: entry.question.target ?? "", choices: entry.question.choices ?? [] }).some((way) => way.verdict === wanted)
      );
    case "seen":
      return entry.kind === "notice";
    default:
      return true;
  }
}

/** Whether a key was meant for something else: a field, a dialog, a button, or the browser. */
export function meantElsewhere(event: { target: EventTarget | null; ctrlKey: boolean; metaKey: boolean; altKey: boolean; key: string }): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  if (!(event.target instanceof Element)) return false;
  if (event.target.closest("dialog, input, textarea, select, [contenteditable]") !== null) return true;
  // A button, a link or a region that scrolls has these keys for itself.
  return (event.key === "Enter" || event.key.startsWith("Arrow")) && event.target.closest("button, a, summary, pre") !== null;
}
