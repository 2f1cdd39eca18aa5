import type { ThreadEvent } from "../../../protocol/wire";
import type { QuestionItem, ThreadView } from "../../../thread/items";
import { t } from "../words";

export interface LogLine {
  readonly key: string;
  readonly at: string;
  readonly text: string;
}

/** So many characters of what a record says are shown; the step's own panel shows it whole. */
const SHOWN = 300;

/** What a run's thread has written down, the newest last; of one step, or of all. Pure. */
export function logLines(records: readonly ThreadEvent[], step: string | null, most: number): LogLine[] {
  const lines: LogLine[] = [];
  const askers = whose(records);
  for (let index = records.length - 1; index >= 0 && lines.length < most; index--) {
    const event = records[index];
    if (event === undefined) continue;
    const line = lineOf(event, step, askers);
    if (line !== null) lines.push({ key: `${event.thread_id} ${event.seq}`, at: event.at, text: line.slice(0, SHOWN) });
  }
  return lines.reverse();
}

interface Asker {
  readonly agent: string;
  /** Empty where more than one step was at work when it was asked. */
  readonly step: string;
}

const ENDS = new Set(["STEP_COMPLETED", "STEP_FAILED", "STEP_SKIPPED", "STEP_CANCELLED", "STEP_RETRY"]);

/** Who was set to work, by what the run waits for them with. */
function whose(records: readonly ThreadEvent[]): ReadonlyMap<string, Asker> {
  const found = new Map<string, Asker>();
  const open = new Set<string>();
  for (const event of records) {
    if (event.type === "CHILD_STARTED") {
      const [only = ""] = open;
      found.set(`child:${event.data.id}`, { agent: event.data.agent, step: open.size === 1 ? only : "" });
    } else if (event.type === "PLAYBOOK") {
      const { what, at = "" } = event.data as { what: string; at?: string };
      if (what === "STEP_STARTED") open.add(at);
      else if (ENDS.has(what)) open.delete(at);
    }
  }
  return found;
}

function lineOf(event: ThreadEvent, step: string | null, askers: ReadonlyMap<string, Asker>): string | null {
  if (event.type === "PLAYBOOK") {
    const { what, at = "", detail = {} } = event.data as { what: string; at?: string; detail?: Record<string, unknown> };
    if (step !== null && at !== step && !(!step.includes("@") && at.split("@")[0] === step)) return null;
    const never = what === "STEP_FAILED" && (detail.failure as { reason?: unknown } | undefined)?.reason === "upstream";
    return [at, never ? t("notBegun") : words(what), toldOf(detail)].filter(Boolean).join(" · ");
  }
  if (step !== null) return null;
  if (event.type === "PLAYBOOK_ASKED") return [words(event.data.ask), event.data.why ?? ""].filter(Boolean).join(" · ");
  if (event.type === "RESUMED" && (event.data.reason === "crashed" || event.data.reason === "drained")) return t("logWentOn");
  const asker = event.type === "ANSWER" ? askers.get(event.data.wait_id) : undefined;
  if (asker !== undefined) return asker.step === "" ? t("logAnswerOf", { who: asker.agent }) : t("logAnswerStep", { who: asker.agent, step: asker.step });
  if (event.type === "ANSWER") return [t("logAnswered"), event.data.verdict ?? "", event.data.by ?? ""].filter(Boolean).join(" · ");
  return null;
}

/** What of a record says something to people in a line. */
function toldOf(detail: Readonly<Record<string, unknown>>): string {
  for (const key of ["why", "route", "status", "reason"]) {
    const value = detail[key];
    if (typeof value === "string" && value !== "") return value;
  }
  const failure = detail.failure;
  if (typeof failure === "object" && failure !== null) {
    const { reason, message } = failure as { reason?: unknown; message?: unknown };
    return [reason, message].filter((one) => typeof one === "string").join(": ");
  }
  return "";
}

function words(what: string): string {
  return what.toLowerCase().replaceAll("_", " ");
}

export interface OpenQuestion {
  readonly threadId: string;
  readonly waitId: string;
  readonly prompt: string;
  readonly tool: string;
  readonly target: string;
  readonly choices: readonly string[];
  readonly expiresMs: number | null;
  readonly form: Readonly<Record<string, unknown>> | null;
  /** What can be said: the word that its id begins with. */
  readonly asks: "approval" | "review" | "human" | "answer";
}

const ASKS = new Set(["approval", "review", "human", "answer"]);

/** What a run and those below it wait for a person with. */
export function openQuestions(view: ThreadView): OpenQuestion[] {
  return [view.items, ...view.below.values()].flatMap((items) =>
    items.flatMap((item): OpenQuestion[] => {
      if (item.kind !== "question" || item.answer !== null) return [];
      const word = item.waitId.split(":", 1)[0] ?? "";
      const asks = ASKS.has(word) ? (word as OpenQuestion["asks"]) : "answer";
      return [{ threadId: item.threadId, waitId: item.waitId, prompt: item.prompt, tool: item.tool, target: item.target, choices: item.choices, expiresMs: item.expiresMs, form: item.form ?? null, asks }];
    }),
  );
}

/** What was said to a question, by its id and its thread; null as long as it is open, or where it was taken back. */
export function answerOf(view: ThreadView, { threadId, waitId }: Pick<OpenQuestion, "threadId" | "waitId">): QuestionItem["answer"] {
  const items = threadId === view.items[0]?.threadId ? view.items : (view.below.get(threadId) ?? []);
  const asked = items.find((item): item is QuestionItem => item.kind === "question" && item.waitId === waitId);
  return asked?.answer?.verdict === "withdrawn" ? null : (asked?.answer ?? null);
}
