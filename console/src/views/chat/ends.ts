import type { EndItem } from "../../thread/items";
import { sinceS } from "../../text/figures";
import { codes, remedies, t } from "./words";

/** How a turn came to its end, in words. */
export interface EndWords {
  readonly how: string;
  readonly tone: "good" | "warn" | "bad" | "plain";
  /** What it said of itself, or why it is blocked. */
  readonly report: string;
  readonly needs: string;
  readonly code: string;
  /** The same for people; empty if it says nothing more than the end does. */
  readonly why: string;
  readonly message: string;
  readonly remedy: string;
  readonly tookS: number | null;
  readonly costUsd: number | null;
}

const TONES = { done: "good", blocked: "warn", failed: "bad", cancelled: "plain", continue: "plain", in_progress: "plain" } as const;

export function endWords(item: EndItem): EndWords {
  const status = item.outcome?.status ?? (item.error === null ? "done" : "failed");
  const reason = item.outcome?.reason ?? "";
  const cost = item.usage?.cost_micro;
  return {
    how: t(`end_${status}`),
    tone: item.error === null ? TONES[status] : "bad",
    report: status === "blocked" ? (item.outcome?.blocker_reason ?? "") : status === "done" ? "" : (item.outcome?.status_report ?? ""),
    needs: item.outcome?.unblock_requirements ?? "",
    code: item.error?.code ?? reason,
    why: codes((item.error?.code ?? reason) as "stopped"),
    message: item.error?.message ?? "",
    remedy: item.error === null ? "" : remedyOf(reason, item.error.code),
    tookS: item.startedAt === null ? null : sinceS(item.startedAt, Date.parse(item.at)),
    costUsd: cost == null ? null : cost / 1_000_000,
  };
}

function remedyOf(...codes: string[]): string {
  for (const code of codes) {
    const said = remedies(code as "other");
    if (code !== "" && said !== code) return said;
  }
  return remedies("other");
}
