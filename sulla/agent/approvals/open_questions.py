"""What people were asked and have not answered yet, wherever it was asked: a reader of the threads' heads.

Nothing is kept for it. A suspended thread's head says what its run waits for (design §3).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from sulla.agent.approvals.approvals import is_approval, same_question
from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.ids import ThreadId
from sulla.store.values import Status
from sulla.threads.log.plays import is_step_question
from sulla.threads.log.state import ThreadState
from sulla.threads.log.waits import Wait
from sulla.threads.store import ThreadStore

MOST_LOOKED: Final = 500
"""Suspended conversations that one look goes through, by id; and as many at work, for what their playbooks ask."""
_PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """One of them."""

    thread_id: ThreadId
    agent: str
    """Who asked."""
    wait: Wait
    tainted: bool
    """Whether its words may have been made from what nobody trusts."""


@dataclass(frozen=True, slots=True)
class OpenQuestions:
    """Looks for them.

    Args:
        threads: where runs wait.
        clock: for those that nobody answered in time.
    """

    threads: ThreadStore
    clock: Clock

    async def asked_already(self, agent: str, wait: Wait, besides: ThreadId) -> Wait | None:
        """The same question of an agent that is open elsewhere; None if there is none.

        Args:
            agent: who would ask.
            wait: what it would ask.
            besides: the thread that it would ask in.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        async for one in self._all():
            asked = one.agent == agent and one.thread_id != besides
            if asked and is_approval(one.wait) and same_question(one.wait, wait):
                return one.wait
        return None

    async def alike(self, thread_id: ThreadId, wait_id: str) -> list[OpenQuestion]:
        """The open questions that `always` to one of them answers too: of the same tool with the same target.

        Args:
            thread_id: where the one is asked.
            wait_id: the one; it is not among them.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        state = await self.threads.load(thread_id, messages=False)
        here = _open(state, round(self.clock.now() * 1000)) if state is not None else []
        asked = next((one for one in here if one.wait.wait_id == wait_id), None)
        if asked is None or not asked.wait.target:
            return []
        wanted = (asked.agent, asked.wait.tool, asked.wait.target)
        others = [one async for one in self._all(working=True) if one.thread_id != thread_id]
        return [
            one
            for one in (*here, *others)
            if one is not asked and (one.agent, one.wait.tool, one.wait.target) == wanted
        ]

    async def of_root(self, root: ThreadId, limit: int) -> list[OpenQuestion]:
        """Those that the children of a thread ask, and theirs, and the steps of playbooks among them.

        Args:
            root: the thread that all of them come from.
            limit: how many at the most.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        found: list[OpenQuestion] = []
        async for one in self._all(root):
            found.append(one)
            if len(found) == limit:
                break
        return found

    async def _all(self, root: ThreadId | None = None, *, working: bool = False) -> AsyncIterator[OpenQuestion]:
        now_ms = round(self.clock.now() * 1000)
        async for state in self._states("suspended"):
            if root is None or _root_of(state) == root:
                for one in _open(state, now_ms):
                    yield one
        if root is None and not working:
            return
        async for state in self._states("open"):
            # Of some runs a part is at work while another one asks.
            if state.kind.waits_while_working and (root is None or _root_of(state) == root):
                for one in _open(state, now_ms):
                    yield one

    async def _states(self, status: Status) -> AsyncIterator[ThreadState]:
        after, looked = "", 0
        while looked < MOST_LOOKED:
            page = await self.threads.list(status=status, after=after, limit=_PAGE)
            for _, state in page:
                if state is not None:
                    yield state
            if len(page) < _PAGE:
                return
            after, looked = page[-1][0].key, looked + len(page)


def _root_of(state: ThreadState) -> str:
    """The thread that one comes from; one that no run asked for comes from its conversation."""
    if state.identity.birth is not None:
        return state.identity.birth.root
    return state.kind.conversation(state)


def _open(state: ThreadState, now_ms: int) -> list[OpenQuestion]:
    run = state.run
    if run is None:
        return []
    agent = run.agent or state.identity.agent
    return [
        OpenQuestion(state.thread_id, agent, wait, state.context.tainted)
        for wait in run.waits.values()
        if (is_approval(wait) or is_step_question(wait.wait_id)) and not 0 < wait.expires_ms <= now_ms
    ]
