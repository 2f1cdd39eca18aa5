"""The agent's edge: where the walk goes after the agent node (seed 004 §2, design §5). Pure."""

from __future__ import annotations

from sulla.core.ids import NodeId
from sulla.graph.decision import END, Target
from sulla.threads.log.state import ThreadState

INPUT_HANDLER = NodeId("input_handler")
AGENT = NodeId("agent")


def after_agent(state: ThreadState) -> Target:
    """The agent again, or the end.

    In this order: a playbook that the run has started takes over, any other goes on beside it; a suspended run ends its
    walk; done, blocked and failed end; no outcome is nudged once and then ends; `continue` goes round again, but in a
    cycle of a heartbeat, which ends there too. Tool calls need no edge: the node goes on until a reply has none.
    """
    work, run = state.links.active_work, state.run
    if work is not None and work.running and run is not None and work.run_id == run.id:
        return END
    if state.suspended:
        return END
    status = state.newest.outcome.status
    if status == "continue" and state.kind.ends_on_continue:
        return END  # the next cycle begins afresh, with the report of this one (seed 004 §1)
    if status in ("done", "blocked", "failed", "cancelled"):
        return END
    return END if status == "in_progress" and state.newest.nudged else AGENT
