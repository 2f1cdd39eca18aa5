"""A walk through a flow beside a bare loop that asks the same conditions and awaits the same agents (issue 16)."""

from __future__ import annotations

from bench.frame import Frame, Row, Work
from sulla.core.jsontypes import JsonObject
from sulla.flows.conditions import ConditionRegistry, SessionContext
from sulla.flows.walk import Path, after, begin, need

NAME = "flows"

STEPS = 1_000
AGENTS = ("task_planning", "task_executor", "task_observation", "task_completion_judge")
CONTEXT = SessionContext({})

FLAT: JsonObject = {
    "type": "loop",
    "condition": "task_not_completed",
    "max_loops": STEPS,
    "body": {"type": "sequence", "steps": [{"type": "agent", "agent_key": key} for key in AGENTS]},
}


def nested(depth: int) -> JsonObject:
    """The same below so many other nodes."""
    tree = FLAT
    for _ in range(depth):
        tree = {"type": "sequence", "steps": [tree]}
    return tree


class Agents:
    """Work next to nothing, so often."""

    def __init__(self) -> None:
        self.worked = 0

    async def work(self, key: str) -> None:
        """One step."""
        self.worked += 1


def bare() -> Work:
    """The limit: a loop that knows what it does."""

    async def work() -> None:
        registry, agents = ConditionRegistry(), Agents()
        while agents.worked < STEPS and registry.holds("task_not_completed", CONTEXT):
            for key in AGENTS:
                await agents.work(key)
        assert agents.worked == STEPS

    return work


def walked(tree: JsonObject) -> Work:
    """The walk, which could stop and go on at each step."""

    async def work() -> None:
        registry, agents = ConditionRegistry(), Agents()
        path: Path | None = begin(tree)
        while path is not None and agents.worked < STEPS:
            asked = need(tree, path)
            if asked.what == "condition":
                path = after(tree, path, registry.holds(asked.name, CONTEXT))
            else:
                await agents.work(asked.name)
                path = after(tree, path, None)
        assert agents.worked == STEPS

    return work


def run(frame: Frame) -> list[Row]:
    """The bar is issue 16's."""
    limit = "bare loop, 1,000 steps"
    samples = frame.compare_cpu(
        {limit: bare(), "walk, 1,000 steps": walked(FLAT), "walk, 8 deep": walked(nested(6))}, STEPS
    )
    return [
        samples.row(limit),
        samples.row("walk, 1,000 steps", limit, bar=15.0),
        samples.row("walk, 8 deep", limit),
    ]
