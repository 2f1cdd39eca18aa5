"""What people are asked at this moment, for whoever watches."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Iterable, Iterator
from typing import Final

from sulla.core.clock import Clock
from sulla.core.cut import cut
from sulla.core.errors import CorruptRecord, NotFound
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import Json, JsonObject
from sulla.daemon import questions
from sulla.gateway.methods.asked import MOST_ASKING, QuestionGone
from sulla.gateway.wire import QuestionRow
from sulla.rpc.row import dump
from sulla.store.base import Store
from sulla.store.values import LogInfo
from sulla.threads.board import Look, ThreadBoard
from sulla.threads.log.records import Answer
from sulla.threads.pulse import PULSE_S, ThreadPulse
from sulla.threads.store import ThreadStore

log = logging.getLogger(__name__)

_Id = tuple[str, str]
NEWEST: Final = 128
"""Records at the end of a log in which the answer to a question is looked for that was asked a moment ago."""
ANSWER_CHARS: Final = 300


class AskedBoard:
    """Does `gateway.methods.asked`. It lives as long as the daemon.

    Args:
        store: finds heads.
        threads: reads them.
        pulse: says what has changed.
        clock: all time.
    """

    def __init__(self, store: Store, threads: ThreadStore, pulse: ThreadPulse, clock: Clock) -> None:
        self._threads = threads
        self._clock = clock
        looks = (Look(status="suspended"), Look(status="open"))  # of a playbook, other steps may be at work
        self.board = ThreadBoard(store, pulse, clock, self._asked, looks, MOST_ASKING)
        """The questions of each thread that asks, as they are sent."""

    async def now(self) -> JsonObject:
        """See `AskedService`."""
        await self.board.read()
        return {"questions": [*_by_id(self.board.rows.values()).values()], "more": self.board.more}

    async def follow(self, told: JsonObject) -> AsyncGenerator[JsonObject, None]:
        """See `AskedService`."""
        known, more = _by_id([told["questions"]]), told["more"]
        with self.board.watch() as news:
            while True:
                await news.wait()
                news.clear()
                now, still = _by_id(self.board.rows.values()), self.board.more
                added: list[Json] = [row for id_, row in now.items() if known.get(id_) != row]
                gone: list[Json] = [await self._gone(*id_) for id_ in known if id_ not in now]
                if added or gone or still != more:
                    known, more = now, still
                    yield {"added": added, "gone": gone, "more": still}
                    await self._clock.sleep(PULSE_S)

    async def _gone(self, thread_id: str, wait_id: str) -> Json:
        """What became of a question: its answer stands near the end of its thread's log."""
        answer: Answer | None = None
        try:
            info, _ = await self._threads.get(ThreadId(thread_id))
            page = await self._threads.entries(ThreadId(thread_id), after=max(0, info.last_seq - NEWEST), limit=NEWEST)
            facts = (entry.fact for entry in page)
            answer = next((one for one in facts if isinstance(one, Answer) and one.wait_id == wait_id), None)
        except (CorruptRecord, NotFound) as error:
            log.info("it is not known what was answered in %s: %s", thread_id, error)
        if answer is None:
            return dump(QuestionGone, QuestionGone(thread_id, wait_id))
        said = cut(answer.text, ANSWER_CHARS)
        return dump(QuestionGone, QuestionGone(thread_id, wait_id, answer.verdict, said, answer.by))

    async def _asked(self, info: LogInfo) -> Json:
        state = self._threads.state_of(info)
        if state is None or (info.head.status == "open" and not state.kind.waits_while_working):
            return None
        asked = await questions.asked_now(self._threads, info, state)
        return [dump(QuestionRow, one) for one in asked] or None


def _by_id(rows: Iterable[Json]) -> dict[_Id, Json]:
    return {(str(row["thread_id"]), str(row["id"])): row for row in _each(rows)}


def _each(rows: Iterable[Json]) -> Iterator[JsonObject]:
    for asked in rows:
        for row in asked if isinstance(asked, list) else ():
            if isinstance(row, dict):
                yield row
