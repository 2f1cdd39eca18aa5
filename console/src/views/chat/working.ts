import type { ThreadView } from "../../thread/items";
import { t } from "./words";

/** What a turn does at the moment. */
export interface Working {
  /** Since when; empty if that is not known. */
  readonly since: string;
  readonly what: string;
}

/** What is told of a turn that goes on and writes nothing just now; null where there is nothing to tell. */
export function working(view: ThreadView): Working | null {
  if (view.running === "" || view.suspended) return null;
  const last = view.items.findLast((item) => item.runId === view.running);
  if (last?.kind === "text" && !last.done) return null;
  const what =
    last?.kind === "tool" && last.result === null
      ? last.asked === "waits" ? t("workingAsks", { name: last.name }) : t("workingTool", { name: last.name })
      : last?.kind === "child" && (last.state === "works" || last.state === "waits")
        ? t("workingChild", { agent: last.agent })
        : last?.kind === "reasoning" && !last.done
          ? t("workingThinks")
          : t("workingModel");
  return { since: view.runningSince, what };
}
