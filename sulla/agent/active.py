"""Which agents are at work at this moment, in every daemon on the same store.

Nothing is kept for it. A log that is open and whose lease is alive is being worked on, and its head says by whom, on
what and since when; who dies leaves a lease that runs out by itself (design §2.1, §3).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import field
from typing import Final

from sulla.agent.prompt import ActiveAgent
from sulla.core.dataclass import dataclass
from sulla.core.ids import ThreadId
from sulla.core.words import Words, ours
from sulla.store.values import LogInfo
from sulla.threads.log.state import ThreadState
from sulla.threads.store import ThreadStore

MAX_LOOKED: Final = 200
"""Open conversations that one look goes through, by id: a dozen daemons that are as busy as they may be."""


def nobody_held() -> Sequence[LogInfo]:
    """Nobody has looked of late."""
    return ()


@dataclass(slots=True)
class _LastLook:
    """Whom the last look found. All turns until the next one are told of the same agents: each would read all heads."""

    held: Sequence[LogInfo] = ()
    found: tuple[ActiveAgent, ...] = ()


@dataclass(frozen=True, slots=True)
class ActiveAgents:
    """The registry of agents at work: a reader of the threads' heads."""

    threads: ThreadStore
    held: Callable[[], Sequence[LogInfo]] = nobody_held
    """The logs that were being worked on when somebody last looked through the store, less than a second ago; the same
    object until the next look."""
    _last: _LastLook = field(default_factory=_LastLook, repr=False, compare=False)

    async def lately(self, besides: Collection[ThreadId] = ()) -> tuple[ActiveAgent, ...]:
        """Who was at work a moment ago. It asks the store for nothing, so that a turn can be told at no cost.

        Args:
            besides: threads that are left out.
        """
        last, held = self._last, self.held()
        if held is not last.held:
            last.held, last.found = held, _at_work((info, self.threads.state_of(info)) for info in held)
        return tuple(agent for agent in last.found if agent.thread_id not in besides)

    async def now(self, besides: Collection[ThreadId] = ()) -> tuple[ActiveAgent, ...]:
        """Who is at work, whoever has been for longest first.

        A run that waits for an answer is not at work. One whose daemon was killed is told of until its lease is over
        (`store.lease_ttl_s`), or its home is up again.

        Args:
            besides: threads that are left out.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        return _at_work(await self.threads.list(status="open", limit=MAX_LOOKED), besides)


def _at_work(
    rows: Iterable[tuple[LogInfo, ThreadState | None]], besides: Collection[ThreadId] = ()
) -> tuple[ActiveAgent, ...]:
    found = [
        ActiveAgent(
            ours(run.agent or state.identity.agent),
            Words(state.identity.project, state.context.by),
            run.course.started_ms,
            state.thread_id,
        )
        for info, state in rows
        if info.held and state is not None and (run := state.run) is not None and info.key not in besides
    ]
    return tuple(sorted(found, key=lambda agent: (agent.since_ms, agent.thread_id)))
