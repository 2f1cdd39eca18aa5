import type { Result } from "../../protocol/wire";
import { useCall, type Loaded } from "../../shell/page";

/** The agents there are, and the one that is meant by an address: that which is named, else the first. */
export function useAgents(named: string): { loaded: Loaded<Result<"agent.list">>; agent: string; ids: readonly string[] } {
  const loaded = useCall("agent.list", {});
  const ids = loaded.value?.agents.map((agent) => agent.id) ?? [];
  // An agent that is gone may have left notes: an address that names it is believed.
  return { loaded, ids: named === "" || ids.includes(named) ? ids : [named, ...ids], agent: named === "" ? (ids[0] ?? "") : named };
}
