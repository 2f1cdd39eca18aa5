"""People, as agents and `status` are told of them: who is there, what they were told, what they have not answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sulla.access import OWNER
from sulla.agent import OpenQuestion, OpenQuestions
from sulla.core.clock import Clock
from sulla.core.errors import StoreUnavailable
from sulla.core.ids import RunId, ThreadId
from sulla.core.jsontypes import Json
from sulla.core.stamp import stamp
from sulla.heartbeat.brief import Around
from sulla.host.place import Place
from sulla.people.board import NoticeBoard
from sulla.people.company import Company
from sulla.people.notifier import NoticeDesk
from sulla.people.words import people_lines, unseen_lines
from sulla.store import Store
from sulla.threads import ThreadState, ThreadStore, is_step_question
from sulla.tools import Note

MOST_WAITING: Final = 10
"""Questions, and as many notices, that a briefing repeats."""
SHOWN_CHARS: Final = 400
"""Of each question."""


@dataclass(frozen=True, slots=True)
class PeopleDesk:
    """Who is there, and what they are told.

    Args:
        company: who is there.
        board: what they are told.
        desk: takes notes for them.
        questions: what they have not answered.
        clock: all time.
    """

    company: Company
    board: NoticeBoard
    desk: NoticeDesk
    questions: OpenQuestions
    clock: Clock

    async def around(self, state: ThreadState) -> Around:
        """What a heartbeat is told of people.

        Args:
            state: its thread.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        now_ms = round(self.clock.now() * 1000)
        asked = [_asked(one) for one in await self.questions.of_root(state.thread_id, MOST_WAITING)]
        told = unseen_lines(await self.board.unseen(state.agent, MOST_WAITING), now_ms)
        return Around(people_lines(await self.company.look(), OWNER, now_ms), (*asked, *told))

    async def tell(self, thread_id: ThreadId, run_id: RunId, key: str, text: str) -> None:
        """Tell people something that the daemon has to say, once under a key."""
        await self.desk(Note(thread_id, run_id, "", text, "high", False, key))

    async def status(self) -> list[Json]:
        """Who is there, for people; nobody is known to be while the store is away, and `degraded` says so."""
        now_ms = round(self.clock.now() * 1000)
        try:
            found = await self.company.look()
        except StoreUnavailable:
            return []
        return [
            {
                "person": one.name,
                "connected": [*one.clients],
                "active_at": stamp(one.active_ms) if one.active_ms else None,
                "idle_s": one.idle_s(now_ms),
                "client": one.client,
                "available": one.available,
            }
            for one in found
        ]


def make_people(store: Store, threads: ThreadStore, desk: NoticeDesk, place: Place) -> PeopleDesk:
    """Nothing is read yet.

    Args:
        store: keeps who is there, and what they are told.
        threads: where agents ask them.
        desk: takes agents' notes, from now on.
        place: what the daemon stands on.
    """
    board = NoticeBoard(store, place.clock, place.owner)
    desk.open(threads, board, place.clock)
    company = Company(store, place.clock, place.owner)
    return PeopleDesk(company, board, desk, OpenQuestions(threads, place.clock), place.clock)


def _asked(one: OpenQuestion) -> str:
    wait = one.wait
    until = f"open until {stamp(wait.expires_ms)}" if wait.expires_ms else "open"
    # What nobody trusts may have written the arguments, and is not carried into another conversation.
    if is_step_question(wait.wait_id):
        said = "what a step of a playbook needs to know" if one.tainted else " ".join(wait.prompt.split())
    else:
        said = f"a call of {wait.tool or 'a tool'}" if one.tainted else wait.prompt.rpartition(" (call ")[0]
    return f"A person was asked, and the question is {until}: {said[:SHOWN_CHARS]}"
