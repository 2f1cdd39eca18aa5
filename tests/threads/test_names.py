"""The table in docs/thread-state.md names things that exist, and covers every field of the seed."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from pathlib import Path

from sulla.core.run import Run
from sulla.threads import BeatState, OpenRun, Outcome, ThreadState, ThreadStore

ROOT = Path(__file__).parents[2]
HOMES = {cls.__name__: cls for cls in (ThreadState, BeatState, OpenRun, Outcome, Run, ThreadStore)}
SEED = """
threadId wsChannel conversationId action cycleComplete waitingForUser isSubAgent currentNodeId consecutiveSameNode
iterations llmModel llmLocal activeWorkflow options.abort agent.status agent.status_report agent.response
agent.blocker_reason
agent.unblock_requirements agent.updatedAt agentLoopCount
activeProjects availableSkills agentsContext heartbeatCycleCount heartbeatMaxCycles heartbeatStatus
heartbeatLastCycleSummary currentFocus focusReason
""".split()


def rows() -> dict[str, str]:
    text = (ROOT / "docs" / "thread-state.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", text, re.MULTILINE))


def test_every_field_of_the_seed_is_in_the_table() -> None:
    assert {"messages", *(f"metadata.{name}" for name in SEED)} <= rows().keys()


def test_every_name_of_ours_exists() -> None:
    for ours in rows().values():
        owner, name = ours.split(".")
        cls: type = HOMES[owner]
        known = {field.name for field in fields(cls)} if is_dataclass(cls) else set()
        assert name in known or hasattr(cls, name), ours
