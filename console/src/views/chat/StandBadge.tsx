import { Badge } from "../../kit/Panel";
import type { Stand } from "../../shell/stand";
import { t } from "./words";

const SAYS = {
  asks: ["waitsForYou", "warn"], paused: ["paused", "warn"], waits: ["suspended", "warn"], works: ["works", "accent"],
} as const;

/** How a conversation stands in which something goes on. */
export function StandBadge({ stand }: { stand: Stand }) {
  const [word, tone] = SAYS[stand];
  return <Badge tone={tone}>{t(word)}</Badge>;
}
