import { t } from "./words";

/** That all work stands still, who said so, and why if they said that. A daemon that is older than the page does not tell the reason. */
export function pausedWords({ by, reason = "" }: { by: string; reason?: string }): string {
  return reason.trim() === "" ? t("paused", { by }) : t("pausedWhy", { by, reason });
}
