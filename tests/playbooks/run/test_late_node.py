"""The node that walks a playbook's run is made when the first run needs it."""

from __future__ import annotations

import asyncio
from typing import cast

from sulla.core.run import Run
from sulla.graph.decision import Decision, Next
from sulla.playbooks.run.late_node import LateNode
from sulla.threads.log.state import ThreadState

STATE, RUN = cast("ThreadState", object()), cast("Run", object())


class Nodes:
    """Makes nodes, and counts in which of them runs were worked on."""

    def __init__(self) -> None:
        self.made = 0
        self.worked: list[int] = []

    def make(self) -> Worker:
        self.made += 1
        return Worker(self, self.made)


class Worker:
    def __init__(self, nodes: Nodes, number: int) -> None:
        self._nodes = nodes
        self._number = number

    async def __call__(self, state: ThreadState, run: Run) -> Decision:
        self._nodes.worked.append(self._number)
        return Next()


async def test_nothing_is_made_before_the_first_run_and_one_node_works_on_all() -> None:
    nodes = Nodes()
    late = LateNode(nodes.make)
    assert nodes.made == 0
    for _ in range(2):
        assert await late(STATE, RUN) == Next()
    assert nodes.worked == [1, 1]


async def test_two_runs_that_come_first_together_are_worked_on_by_one_node() -> None:
    nodes = Nodes()
    late = LateNode(nodes.make)
    await asyncio.gather(late(STATE, RUN), late(STATE, RUN))
    assert len(set(nodes.worked)) == 1
