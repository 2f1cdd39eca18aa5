import { useMemo } from "react";
import { useCall } from "../../../shell/page";
import type { Names } from "../code/offers";

/** The names that a text may have where it names something of the daemon's. */
export function useNames(): Names {
  const tools = useCall("tool.list", {});
  const agents = useCall("agent.list", {});
  const playbooks = useCall("workflow.list", {});
  return useMemo(
    () => ({
      tools: tools.value?.tools.map((one) => one.name) ?? [],
      agents: agents.value?.agents.map((one) => one.id) ?? [],
      playbooks: playbooks.value?.playbooks.map((one) => one.playbook) ?? [],
    }),
    [tools.value, agents.value, playbooks.value],
  );
}
