"""What scheduled messages came to: told to people as a notice, and to the schedule, once the turn has ended. Of
scheduled playbooks the schedule alone is told: what people hear of a run, its playbook says.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final, Protocol

from sulla.core.clock import Clock
from sulla.core.cut import cut
from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord, NotFound, Refused, StoreUnavailable
from sulla.core.ids import MessageId, RunId, ThreadId
from sulla.core.words import Words, agent
from sulla.schedules.actions import ExternalActions, said_as
from sulla.schedules.records import Fired
from sulla.schedules.scheduler import Act, PlaybookEnd, StartedAction
from sulla.schedules.spec import MessageAction, PlaybookAction
from sulla.schedules.state import ScheduleState
from sulla.schedules.store import ScheduleStore
from sulla.store.base import Store
from sulla.threads.log.records import RunError, RunFinished, TextMessageEnd
from sulla.threads.offers import run_of
from sulla.threads.store import ThreadStore
from sulla.tools.builtin.notify import MAX_NOTE, PersonNote

log = logging.getLogger(__name__)

LOOK_S: Final = 30.0
"""How often turns are looked at of which no word came: another daemon may work on them."""
MOST_OPEN: Final = 4_096
"""Turns that are followed at once; of one more nobody is told, but its answer stands in its thread."""
_PAGE: Final = 64
_MOST_PAGES: Final = 64
"""Records that are looked through for a turn's end and its last words: 4,096, the newest first."""


class Reports(Protocol):
    """Is told how firings ended; the scheduler is."""

    opened: asyncio.Event

    async def report(self, schedule_id: str, slot: str, failure: str) -> None:
        """Say how what was begun for a firing has ended."""

    async def told_end(self, schedule_id: str, slot: str, end: PlaybookEnd) -> None:
        """Say how the playbook has ended that a firing began."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn that a schedule began."""

    schedule_id: str
    title: str
    slot: str
    thread_id: ThreadId
    run_id: RunId | None
    """None where it is a playbook, which has a thread of its own."""
    tainted: bool


@dataclass(frozen=True, slots=True)
class _Ending:
    """How a turn ended."""

    text: str
    failure: str
    agent: str


class AnswerNews:
    """Follows the turns that schedules begin. It lives as long as the daemon; after a restart it finds those that are
    not told yet in the schedules' own notes. Any number of daemons may tell of the same turn: it is kept once.

    Args:
        threads: where the turns are.
        store: has their logs.
        schedules: have what was begun.
        begins: tells people, once under a key, and knows how playbooks have ended.
        clock: for the looks.
    """

    def __init__(
        self,
        threads: ThreadStore,
        store: Store,
        schedules: ScheduleStore,
        begins: ExternalActions,
        clock: Clock,
    ) -> None:
        self._threads = threads
        self._store = store
        self._schedules = schedules
        self._begins = begins
        self._clock = clock
        self._open: dict[tuple[str, str], _Turn] = {}
        self._news = asyncio.Event()

    def following(self, act: Act) -> Act:
        """Do what a schedule says, and follow the turn that it begins.

        Args:
            act: does it.
        """

        async def begin(state: ScheduleState, fired: Fired) -> StartedAction:
            started = await act(state, fired)
            self._follow(state, fired.slot, started.thread_id)
            return started

        return begin

    def wake(self, thread_id: ThreadId) -> None:
        """Somebody has worked on a thread. Never waits, never fails."""
        if any(turn.thread_id == thread_id for turn in self._open.values()):
            self._news.set()

    async def run(self, reports: Reports) -> None:
        """Tell what turns came to, until cancelled.

        Args:
            reports: is told, too.
        """
        await reports.opened.wait()
        for one in self._schedules.page("", MOST_OPEN):
            if one.state is not None:
                for slot, thread_id in _untold(one.state):
                    self._follow(one.state, slot, thread_id)
        while True:
            for turn in list(self._open.values()):
                await self._look_at(turn, reports)
            await self._wait()

    def _follow(self, state: ScheduleState, slot: str, thread_id: str) -> None:
        action = state.spec.action
        if isinstance(action, MessageAction | PlaybookAction) and thread_id and len(self._open) < MOST_OPEN:
            where, says = ThreadId(thread_id), isinstance(action, MessageAction)
            run_id = run_of(where, MessageId(said_as(state.id, slot))) if says else None
            title, tainted = state.spec.title or state.id, isinstance(action, MessageAction) and action.tainted
            self._open[state.id, slot] = _Turn(state.id, title, slot, where, run_id, tainted)
            self._news.set()

    async def _wait(self) -> None:
        try:
            async with self._clock.timeout(LOOK_S):
                await self._news.wait()
        except TimeoutError:
            return
        self._news.clear()

    async def _look_at(self, turn: _Turn, reports: Reports) -> None:
        key = (turn.schedule_id, turn.slot)
        try:
            state = await self._threads.load(turn.thread_id, messages=False)
            if state is None:
                self._open.pop(key, None)
                return
            if turn.run_id is None:
                if (end := self._begins.playbook_end(state)) is not None:
                    await reports.told_end(turn.schedule_id, turn.slot, end)
                    self._open.pop(key, None)
                return
            waits = any(item.run_id == turn.run_id for item in state.inbox.waiting.values())
            if waits or (state.run is not None and state.run.id == turn.run_id):
                return
            ending = await self._ending(turn, state.identity.agent)
            tainted = turn.tainted or state.context.tainted
            await self._say(turn, ending, turn.run_id, tainted=tainted)
            await reports.report(turn.schedule_id, turn.slot, ending.failure)
        except StoreUnavailable as error:
            log.info("what schedule %s came to is told later: %s", turn.schedule_id, error.message)
            return
        except (CorruptRecord, NotFound, Refused) as error:
            log.warning("nobody can be told what schedule %s came to: %s", turn.schedule_id, error.message)
        self._open.pop(key, None)

    async def _say(self, turn: _Turn, ending: _Ending, run_id: RunId, *, tainted: bool) -> None:
        said = f"failed: {ending.failure}" if ending.failure else ending.text or "is done, without a word"
        text = cut(f"{turn.title}: {said}", MAX_NOTE)
        key = f"answer:{turn.schedule_id}:{turn.slot}"
        words = Words(text, agent(tainted=tainted))
        note = PersonNote(turn.thread_id, run_id, ending.agent, words, "normal", key, unattended=True)
        await self._begins.tell(note)

    async def _ending(self, turn: _Turn, agent: str) -> _Ending:
        """How the turn ended, and what was said last in it; what lies too far back is not looked for."""
        before: int | None = None
        failure, ended = "", False
        for _ in range(_MOST_PAGES):
            page = await self._store.read(turn.thread_id, before=before, limit=_PAGE, reverse=True)
            for record in page:
                entry = self._threads.schema.decode(record, turn.thread_id)
                mine = entry.origin.run_id == turn.run_id
                match entry.fact:
                    case RunFinished(outcome=outcome, joined=None) if mine and not ended:
                        ended = True
                        if outcome.status in ("blocked", "cancelled"):
                            failure = outcome.blocker_reason or outcome.reason or outcome.status
                    case RunError(message=message) if mine and not ended:
                        ended, failure = True, message
                    case TextMessageEnd(hidden=False) as reply if mine and reply.text.strip():
                        return _Ending(reply.text.strip(), failure, entry.origin.agent or agent)
            if len(page) < _PAGE:
                break
            before = page[-1].seq
        return _Ending("", failure, agent)


def _untold(state: ScheduleState) -> list[tuple[str, str]]:
    """The firings whose turn was begun and of whose end nobody was told: each with its thread."""
    ended = {note.slot for note in state.notes if note.what in ("succeeded", "failed", "cancelled", "skipped")}
    return [(note.slot, note.said) for note in state.notes if note.what == "begun" and note.slot not in ended]
