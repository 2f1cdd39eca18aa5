"""What a heartbeat is told of people: who is there, what they were told, what they have not answered."""

from __future__ import annotations

from typing import Final

from sulla.access.principal import OWNER
from sulla.agent.approvals.open_questions import OpenQuestion, OpenQuestions
from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.stamp import stamp
from sulla.core.words import Author, Words, ours
from sulla.heartbeat.brief import PeopleContext
from sulla.people.inbox import NoticeInbox
from sulla.people.registry import PresenceRegistry
from sulla.people.words import people_lines, unseen_lines
from sulla.threads.log.plays import is_step_question
from sulla.threads.log.state import ThreadState

MOST_WAITING: Final = 10
"""Questions, and as many notices, that a briefing repeats."""
SHOWN_CHARS: Final = 400
"""Of each question."""


@dataclass(frozen=True, slots=True)
class PeopleBriefing:
    """Looks who is there, and what they have not answered or seen. It lives as long as the daemon.

    Args:
        registry: who is there.
        inbox: what they are told.
        questions: what they have not answered.
        clock: all time.
    """

    registry: PresenceRegistry
    inbox: NoticeInbox
    questions: OpenQuestions
    clock: Clock

    async def around(self, state: ThreadState) -> PeopleContext:
        """What a heartbeat is told of people.

        Args:
            state: its thread.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        now_ms = round(self.clock.now() * 1000)
        asked = [_asked(one) for one in await self.questions.of_root(state.thread_id, MOST_WAITING)]
        told = unseen_lines(await self.inbox.unseen(state.identity.agent, MOST_WAITING), now_ms)
        return PeopleContext(ours(people_lines(await self.registry.look(), OWNER, now_ms)), (*asked, *told))


def _asked(one: OpenQuestion) -> Words:
    wait = one.wait
    until = f"open until {stamp(wait.expires_ms)}" if wait.expires_ms else "open"
    # What nobody trusts may have written the arguments, and is not carried into another conversation.
    if is_step_question(wait.wait_id):
        said = "what a step of a playbook needs to know" if one.tainted else " ".join(wait.prompt.split())
    else:
        said = f"a call of {wait.tool or 'a tool'}" if one.tainted else wait.prompt.rpartition(" (call ")[0]
    return Words(f"A person was asked, and the question is {until}: {said[:SHOWN_CHARS]}", Author.AGENT)
