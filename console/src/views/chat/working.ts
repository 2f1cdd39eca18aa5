import type { Item, ThreadView, ToolItem } from "../../thread/items";
import { t } from "./words";

/** What a turn does at the moment. */
export interface Working {
  /** Since when; empty if that is not known. */
  readonly since: string;
  readonly what: string;
}

/**
 * What is told of a turn that goes on and writes nothing just now; null where there is nothing to tell.
 *
 * @param paused whether all work stands still: then a turn does nothing.
 */
export function working(view: ThreadView, paused: boolean): Working | null {
  if (view.running === "" || view.suspended || paused) return null;
  const last = view.items.findLast((item) => item.runId === view.running);
  if (last?.kind === "text" && !last.done) return null;
  const what = doing(view, last);
  return what === "" ? null : { since: view.runningSince, what };
}

function doing(view: ThreadView, last: Item | undefined): string {
  if (last?.kind === "tool" && last.result === null && last.asked !== "waits") return t("workingTool", { name: last.name });
  if (last?.kind === "child" && (last.state === "works" || last.state === "waits")) return t("workingChild", { agent: last.agent });
  if (last?.kind === "reasoning" && !last.done) return t("workingThinks");
  if (!view.asks) return t("workingModel");
  // Of several calls of one reply, some may be at work while a person is asked about others.
  const calls = view.items.filter((item): item is ToolItem => item.kind === "tool" && item.runId === view.running && item.result === null);
  const works = calls.find((item) => item.asked !== "waits");
  if (works !== undefined) return t("workingTool", { name: works.name });
  return calls[0] === undefined ? "" : t("workingAsks", { name: calls[0].name });
}
