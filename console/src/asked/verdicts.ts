import type { Params } from "../protocol/wire";
import type { Given } from "../shell/inbox";
import { t } from "./words";

export type Verdict = NonNullable<Params<"approval.answer">["verdict"]>;

/** One way to answer a question. */
export interface Way {
  readonly verdict: Verdict;
  /** `text`: words are wanted with it; `choice`: it is one of the question's choices; `for`: it is good for a time. */
  readonly wants: "nothing" | "text" | "choice" | "for";
  readonly choice: string;
}

export interface AskedAbout {
  /** The question's id: the word before its first colon says what it is about. */
  readonly id: string;
  readonly tool: string;
  /** Where the call goes; empty if an `always` would allow nothing but this call. */
  readonly target: string;
  readonly choices: readonly string[];
}

/** How a question can be answered, the usual yes first. As docs/inside/protocol.md has it for `approval.answer`. */
export function ways(asked: AskedAbout): Way[] {
  const plain = (verdict: Verdict): Way => ({ verdict, wants: "nothing", choice: "" });
  switch (kindOf(asked.id)) {
    case "approval":
      return asked.tool === "" || asked.target === ""
        ? [plain("approve"), plain("reject")]
        : [plain("approve"), plain("reject"), { verdict: "always", wants: "for", choice: "" }];
    case "review":
      return [{ verdict: "result", wants: "text", choice: "" }, plain("run_again"), plain("give_up")];
    case "human":
      return [plain("approve"), plain("reject"), plain("give_up")];
    default:
      return asked.choices.length > 0
        ? [...asked.choices.map((choice): Way => ({ verdict: "result", wants: "choice", choice })), plain("give_up")]
        : [{ verdict: "result", wants: "text", choice: "" }, plain("give_up")];
  }
}

/** Whether an `always` would be good for the call's arguments alone, of which the target holds no more than a digest. */
export function isExact(target: string): boolean {
  return target.startsWith("args:");
}

/** What a verdict is called on a question that is over. */
export function overWord(verdict: string): "over_approve" | "over_reject" | "over_always" | "over_run_again" | "over_give_up" | "over_other" | "over_gone" {
  if (verdict === "approve" || verdict === "reject" || verdict === "always" || verdict === "run_again" || verdict === "give_up") return `over_${verdict}`;
  return verdict === "" ? "over_gone" : "over_other";
}

/** So much of an answer in words is shown on a question that is over. */
const SAID_CHARS = 200;

/**
 * What stands on a question that is over, in words: who answered it and how, as far as that is known here. Pure.
 *
 * @param here the verdict that was given from here; empty for none.
 * @param given how it was answered, by whomever; null where that was not told.
 */
export function overLine(here: string, given: Given | null): string {
  // Of the answer that was given from here nobody has to be told by whom.
  if (given === null || given.verdict === "" || given.verdict === here) return t(overWord(here));
  const word = t(overWord(given.verdict));
  const text = given.text.length > SAID_CHARS ? `${given.text.slice(0, SAID_CHARS - 1)}…` : given.text;
  const who = given.by === "" ? word : t("overBy", { word, who: given.by });
  return text === "" ? who : t("overSaid", { word: who, text });
}

export function kindOf(id: string): string {
  return id.split(":", 1)[0] ?? "";
}

/** How long an `always` can be good, in seconds. */
export const TIMES_S = [3600, 86_400, 7 * 86_400, 30 * 86_400, 365 * 86_400] as const;
export const USUAL_TIME_S = 30 * 86_400;

/** What happens to a question that nobody answers in time: a call is not done, a playbook's step fails. */
export function unanswered(id: string): "no" | "fails" | "over" {
  const kind = kindOf(id);
  return kind === "approval" ? "no" : kind === "human" ? "fails" : "over";
}

/** Seconds until the time of a question is over; null if it has no end. */
export function leftS(expiresMs: number | null, nowMs: number): number | null {
  return expiresMs === null ? null : Math.max(0, (expiresMs - nowMs) / 1000);
}
