"""What a turn is told beside a person's message: asked for once, as the turn begins, and kept in its log."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from typing import Final, TypeVar

from sulla.agent.prompt import ActiveAgent, once_told, turn_context
from sulla.agent.turn.speakers import FindAnswerer, own_agent
from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import StoreUnavailable
from sulla.core.ids import ThreadId
from sulla.core.message import Text
from sulla.core.words import NO_WORDS, Words
from sulla.threads.log.family import standing_in
from sulla.threads.log.inputs import Urgent, WaitingInput
from sulla.threads.log.state import ThreadState

log = logging.getLogger(__name__)

TELL_S: Final = 1.0
"""How long a turn waits for each thing that it is to be told, in seconds; then it begins without."""

_Answer = TypeVar("_Answer")


async def nothing_remembered(agent: str, message: str) -> Words:
    """Who has no memory is told nothing."""
    return NO_WORDS


async def nothing_recalled(agent: str, stands: Mapping[str, int], message: str, told: Iterable[str]) -> Words:
    """Nothing comes to mind."""
    return NO_WORDS


async def nobody_active(besides: Collection[ThreadId] = ()) -> tuple[ActiveAgent, ...]:
    """Nobody else is there."""
    return ()


def no_jobs(thread_id: ThreadId) -> tuple[Words, ...]:
    """Nothing runs in the background."""
    return ()


async def nothing_seen(thread_id: ThreadId) -> Words:
    """No client says what its person looks at."""
    return NO_WORDS


async def nothing_known(project: str) -> Words:
    """Nobody knows how it is with a project."""
    return NO_WORDS


@dataclass(frozen=True, slots=True)
class AmbientContext:
    """What stands beside a message in the prompt of its turn: read once, as the turn begins, and kept in its log."""

    active: tuple[ActiveAgent, ...] = ()
    environment: Words = NO_WORDS
    """What the person looks at; from outside, so not to be trusted."""
    memory: Words = NO_WORDS
    jobs: tuple[Words, ...] = ()
    """How commands in the background have ended."""
    project: Words = NO_WORDS
    """How it is with the thread's project."""


@dataclass(frozen=True, slots=True)
class TurnContext:
    """Gathers what stands beside a message, from whoever knows it; one for all turns of a daemon. No turn is lost with
    it: what does not come in time is left out, and the daemon's log says so.
    """

    clock: Clock
    memory: Callable[[str, str], Awaitable[Words]] = nothing_remembered
    """Gives an agent's memory, by its id and the message that a thread begins with."""
    active: Callable[[Collection[ThreadId]], Awaitable[tuple[ActiveAgent, ...]]] = nobody_active
    """Gives the agents at work in other threads than these."""
    environment: Callable[[ThreadId], Awaitable[Words]] = nothing_seen
    """Gives what the person of a thread looks at."""
    zone: str = "UTC"
    """The time zone in which a model is told the time."""
    jobs: Callable[[ThreadId], tuple[Words, ...]] = no_jobs
    """Gives how commands in the background of a thread have ended that it was not told of yet."""
    project: Callable[[str], Awaitable[Words]] = nothing_known
    """Gives how it is with a project, by its name."""
    answerer: FindAnswerer = own_agent
    """Says who answers a message."""
    recalled: Callable[[str, Mapping[str, int], str, Iterable[str]], Awaitable[Words]] = nothing_recalled
    """Gives what of an agent's memory fits a later message of a thread, by the agent's id, the threads whose words
    stand in it (and up to when they were said, in UTC milliseconds), the message and the texts of its memory that do so
    already."""
    urgent: Urgent | None = None
    """Says whether a message must not wait; None where all do."""

    def words(self, project: str, ambient: AmbientContext) -> Words:
        """What a model is told beside a message of the time, the project, other agents and jobs.

        Args:
            project: the thread's; empty for none.
            ambient: what else there is.
        """
        return turn_context(self.clock.now(), project, ambient.active, ambient.jobs, self.zone, ambient.project)

    async def ambient(self, state: ThreadState, item: WaitingInput, agent: str) -> AmbientContext:
        """What stands beside a message.

        Args:
            state: the thread.
            item: the message that it takes up.
            agent: the id of the agent that answers.
        """
        if state.identity.graph:
            return (
                AmbientContext()
            )  # no model reads that thread: a heartbeat tells each of its cycles what it has to know
        memory, birth = NO_WORDS, state.identity.birth
        # A playbook says all that is to be known: what other runs of it came to is no part of that.
        knows = item.origin != "playbook" and (birth is None or birth.memory)
        if knows:
            # What stands in a message stays, so that a provider's cache can hit.
            memory = await self._in_time(self._memory(agent, state, item), NO_WORDS, "what its agent remembers")
        active = await self._in_time(self.active((state.thread_id,)), (), "who else is at work")
        jobs, project = self.jobs(state.thread_id), NO_WORDS
        if state.identity.project:
            about = await self._in_time(self.project(state.identity.project), NO_WORDS, "how it is with its project")
            project = once_told(state.identity.project, about, _told_before(state))
        if item.origin == "playbook":
            # No person wrote it, or looks at it.
            return AmbientContext(active, memory=memory, jobs=jobs, project=project)
        environment = await self._in_time(self.environment(state.thread_id), NO_WORDS, "what its person looks at")
        return AmbientContext(active, environment, memory, jobs, project)

    def _memory(self, agent: str, state: ThreadState, item: WaitingInput) -> Awaitable[Words]:
        if not _knows_already(agent, state):
            return self.memory(agent, item.text)
        stands = standing_in(state.thread_id, state.identity.copies)
        return self.recalled(agent, stands, item.text, _MemoryTold(agent, state))

    async def _in_time(self, asked: Awaitable[_Answer], without: _Answer, what: str) -> _Answer:
        try:
            async with self.clock.timeout(TELL_S):
                return await asked
        except (StoreUnavailable, TimeoutError) as error:
            said = str(error) or f"no answer within {TELL_S:g} s"
            log.warning("a turn begins without %s: %s", what, said)
            return without


@dataclass(frozen=True, slots=True)
class _MemoryTold:
    """What an agent was told of its memory in a conversation. It is looked through only where there is more to tell."""

    agent: str
    state: ThreadState

    def __iter__(self) -> Iterator[str]:
        """The texts, the oldest first."""
        for message in self.state.context.transcript:
            for part in message.parts:
                if isinstance(part, Text) and part.origin == "memory" and part.whose == self.agent:
                    yield part.text


def _told_before(state: ThreadState) -> Iterator[str]:
    """What turns before were told by the daemon, as far as the conversation still has it, the newest first."""
    for message in reversed(state.context.transcript):
        yield from (part.text for part in message.parts if isinstance(part, Text) and part.origin == "operator")


def _knows_already(agent: str, state: ThreadState) -> bool:
    """Whether an agent was told what it remembers: the thread's own one with the first message of all, and one that has
    the conversation since with the first that it was sent.
    """
    script = state.context.transcript
    if agent == state.identity.agent:
        return bool(len(script))
    return any(isinstance(part, Text) and part.whose == agent for message in script for part in message.parts)
