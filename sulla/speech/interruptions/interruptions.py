"""Speech over an answer: what it ends at once, what it leaves alone, and what the person had heard by then."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord, NotFound, StoreUnavailable, SullaError
from sulla.core.ids import MessageId, ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.speech.interruptions.barge import ENGLISH_SIGNS, Signs, is_enough, is_listening
from sulla.speech.interruptions.going_on import LATE_S, go_on
from sulla.speech.interruptions.ongoing_reply import OngoingReply, ongoing_reply_of
from sulla.speech.service import Playing
from sulla.speech.slice import Overheard
from sulla.speech.turn_taking.events import Cancelled, End, Event, Partial, TurnStarted
from sulla.threads.log.spoken import BargedIn, Heard
from sulla.threads.store import ThreadStore

log = logging.getLogger(__name__)

GO_ON_S: Final = 2.0
"""An answer goes on if nothing follows an interruption that was none for so long."""
LOOK_AGAIN_S: Final = 1.0
"""While a run is open and somebody speaks on, it is looked at so often whether it has begun to answer."""
DEADLINE_S: Final = 10.0
"""How long one look at a thread, or one word to it, may take."""
MOST_AT_ONCE: Final = 32
"""Threads that are looked at at once."""
MOST_THREADS: Final = 2_000
"""Threads whose speech is remembered, twice those that may be live; the longest unused is forgotten first."""
NEWEST: Final = 64
"""Records of a thread among which the words that are played are looked for."""

Show = Callable[[ThreadId, str, JsonObject], None]
"""Shows people a moment: the thread, its type, its data."""


@dataclass(frozen=True, slots=True)
class TurnVerdict:
    """What becomes of a turn that has ended."""

    deliver: bool
    """False if it is no message: the person only said that they are listening. It is noted already then."""
    heard: Heard | None = None
    """How much of the agent's words the person had heard whom this interrupts; for `Spoken.heard`."""


@dataclass(slots=True)
class _Overlap:
    """What is known of the speech in one thread."""

    turn_id: str = ""
    playing: Playing | None = None
    asked: bool = False
    """Whether it waits to be looked at."""
    look_s: float | None = 0.0
    """From when on it may be looked at again; None if nothing of this turn can interrupt anything any more."""
    stopped: tuple[str, MessageId, int] | None = None
    """The turn that ended an answer, its message, and how much of that was played; until the answer is over with."""
    due_s: float | None = None
    """When the answer goes on if nothing follows."""
    waiting: bool = False
    """Whether somebody waits for that."""
    verdict: tuple[str, TurnVerdict] | None = None
    """The last one, and on which turn."""


class Interruptions:
    """Ends an answer when somebody speaks over it, and has it go on if that came to nothing.

    Args:
        threads: where conversations are kept.
        show: tells clients; must not raise.
        clock: all time.
        wake: has a thread worked on soon.
        signs: what people say while they listen.
    """

    def __init__(
        self,
        threads: ThreadStore,
        show: Show,
        clock: Clock,
        wake: Callable[[ThreadId], None],
        signs: Signs = ENGLISH_SIGNS,
    ) -> None:
        self._threads = threads
        self._show = show
        self._clock = clock
        self._wake = wake
        self._signs = signs
        self._overlaps: OrderedDict[ThreadId, _Overlap] = OrderedDict()
        # At most two of each thread are in here.
        self._jobs: asyncio.Queue[Callable[[], Awaitable[None]]] = asyncio.Queue()
        self._room = asyncio.Semaphore(MOST_AT_ONCE)

    def heard(self, thread_id: ThreadId, event: Event, playing: Playing | None) -> None:
        """Something happened in a live buffer; to be called at once, before anything is written.

        Args:
            thread_id: the conversation.
            event: what happened.
            playing: what the client plays, as it last said.
        """
        overlap = self._overlap(thread_id)
        match event:
            case TurnStarted(turn_id):
                overlap.turn_id, overlap.playing, overlap.look_s = turn_id, playing, 0.0
                overlap.due_s = overlap.verdict = None
            case Partial(turn_id, text):
                if playing is not None and (
                    overlap.playing is None or overlap.playing.message_id != playing.message_id
                ):
                    overlap.look_s = 0.0  # it begins to play something
                overlap.turn_id, overlap.playing = turn_id, _furthest(overlap.playing, playing)
                if self._is_due(overlap) and is_enough(text, self._signs):
                    overlap.asked = True
                    self._jobs.put_nowait(partial(self._look, thread_id, overlap))
            case Cancelled():
                self.came_to_nothing(thread_id)
            case _:
                pass

    def came_to_nothing(self, thread_id: ThreadId) -> None:
        """Nobody is speaking (any more) in a thread, and nothing came of it: an answer that it ended may go on.

        To be called too for a thread whose speech was taken over from a process that is gone, if nobody speaks there.

        Args:
            thread_id: the conversation.
        """
        overlap = self._overlap(thread_id)
        overlap.look_s, overlap.due_s = None, self._clock.elapsed() + GO_ON_S
        if not overlap.waiting:
            overlap.waiting = True
            self._jobs.put_nowait(partial(self._go_on_soon, thread_id, overlap))

    async def judge(self, thread_id: ThreadId, end: End, playing: Playing | None) -> TurnVerdict:
        """Say what becomes of a turn that has ended, before it is delivered. The verdict is to be kept: asked again
        later on, it may be another.

        Args:
            thread_id: the conversation.
            end: the turn.
            playing: what the client played, as it last said.

        Raises:
            StoreUnavailable: ask again later.
        """
        overlap = self._overlap(thread_id)
        if overlap.verdict is not None and overlap.verdict[0] == end.turn_id:
            return overlap.verdict[1]
        told = _furthest(overlap.playing, playing) if overlap.turn_id == end.turn_id else playing
        try:
            async with self._clock.timeout(DEADLINE_S):
                verdict = await self._judge(thread_id, overlap, end, told)
        except NotFound:  # whoever delivers it finds that out, too
            return TurnVerdict(deliver=True)
        except CorruptRecord as error:  # it stays so: what is said has to come through all the same
            log.warning("%s: nobody knows what was spoken over: %s", thread_id, error.message)
            return TurnVerdict(deliver=True)
        except TimeoutError:
            raise StoreUnavailable(f"{thread_id}: the store takes too long to say what it is doing") from None
        overlap.verdict = (end.turn_id, verdict)
        if verdict.deliver:
            overlap.stopped = overlap.due_s = None
        if overlap.turn_id == end.turn_id:  # else somebody speaks again already
            overlap.look_s = None
            if not verdict.deliver:
                self.came_to_nothing(thread_id)
        return verdict

    async def run(self) -> None:
        """Do what follows from what was heard, until cancelled."""
        async with asyncio.TaskGroup() as group:
            while True:
                group.create_task(self._carefully(await self._jobs.get()))

    # -------------------------------------------------------------------------------------------------- private

    def _overlap(self, thread_id: ThreadId) -> _Overlap:
        if (overlap := self._overlaps.get(thread_id)) is None:
            overlap = self._overlaps[thread_id] = _Overlap()
        self._overlaps.move_to_end(thread_id)
        while len(self._overlaps) > MOST_THREADS:
            self._overlaps.popitem(last=False)
        return overlap

    def _is_due(self, overlap: _Overlap) -> bool:
        return not overlap.asked and overlap.look_s is not None and self._clock.elapsed() >= overlap.look_s

    async def _look(self, thread_id: ThreadId, overlap: _Overlap) -> None:
        """Somebody has said enough to be meant: end what is being answered."""
        turn_id = overlap.turn_id
        try:
            async with self._room, self._clock.timeout(DEADLINE_S):
                reply = await self._ongoing_reply(thread_id, overlap.playing)
                if overlap.turn_id != turn_id or overlap.look_s is None:
                    return  # it is over, and was judged
                await self._interrupt(thread_id, overlap, turn_id, reply)
            # A run that is open may begin to speak, or speak again, while the person does.
            overlap.look_s = self._clock.elapsed() + LOOK_AGAIN_S if reply.busy else None
        except (StoreUnavailable, TimeoutError):
            overlap.look_s = self._clock.elapsed() + LOOK_AGAIN_S
            raise
        finally:
            overlap.asked = False

    async def _interrupt(self, thread_id: ThreadId, overlap: _Overlap, turn_id: str, reply: OngoingReply) -> None:
        """End what the assistant is saying, if anything."""
        said = reply.interrupted
        if not reply.speaking or said is None:
            return
        if overlap.stopped is None or overlap.stopped[:2] != (turn_id, said):
            playing = reply.playing
            chars = playing.played_chars if playing is not None and playing.message_id == said else 0
            overlap.stopped = (turn_id, said, chars)
            self._show(thread_id, "SPEECH_BARGE_IN", {"turn_id": turn_id, "message_id": said, "played_chars": chars})
        if reply.making is not None:
            fact = BargedIn(turn_id, reply.making)
            await self._threads.tell(thread_id, fact, f"{turn_id}:{reply.making}")

    async def _judge(self, thread_id: ThreadId, overlap: _Overlap, end: End, told: Playing | None) -> TurnVerdict:
        reply = await self._ongoing_reply(thread_id, told)
        listening = end.reason != "forced" and is_listening(end.text, self._signs)
        stopped = overlap.stopped is not None and overlap.stopped[0] == end.turn_id
        if listening and not reply.asking and (reply.speaking or stopped):
            await self._threads.tell(thread_id, Overheard(end.turn_id, end.text), end.turn_id)
            return TurnVerdict(deliver=False)
        await self._interrupt(thread_id, overlap, end.turn_id, reply)
        return TurnVerdict(deliver=True, heard=reply.heard(told))

    async def _ongoing_reply(self, thread_id: ThreadId, told: Playing | None) -> OngoingReply:
        info, state = await self._threads.get(thread_id)
        if state is None:
            return OngoingReply()  # it cannot be read, and `sulla doctor` says so
        if told is None:
            return ongoing_reply_of(state, (), None)
        newest = await self._threads.entries(thread_id, after=max(0, info.last_seq - NEWEST), limit=NEWEST)
        return ongoing_reply_of(state, reversed(newest), told)

    async def _go_on_soon(self, thread_id: ThreadId, overlap: _Overlap) -> None:
        until_s = self._clock.elapsed() + LATE_S
        try:
            while (due_s := overlap.due_s) is not None:
                left_s = due_s - self._clock.elapsed()
                if left_s > 0:
                    await self._clock.sleep(left_s)  # it may be put off meanwhile, or called off
                    continue
                overlap.due_s = None
                done = await self._gone_on(thread_id, overlap)
                if not done and due_s < until_s and overlap.due_s is None and overlap.look_s is None:
                    overlap.due_s = self._clock.elapsed() + GO_ON_S  # the store is away, and nobody speaks again
        finally:
            overlap.waiting = False

    async def _gone_on(self, thread_id: ThreadId, overlap: _Overlap) -> bool:
        """Whether that is done with; if not, the store is away."""
        stopped, overlap.stopped = overlap.stopped, None
        if stopped is not None:
            turn_id, message_id, chars = stopped
            shown: JsonObject = {"turn_id": turn_id, "message_id": message_id, "from_chars": chars}
            self._show(thread_id, "SPEECH_GO_ON", shown)
        try:
            async with self._room, self._clock.timeout(DEADLINE_S):
                if await go_on(self._threads, thread_id, self._clock.now()):
                    self._wake(thread_id)
        except (StoreUnavailable, TimeoutError) as error:
            log.warning("an answer cannot go on yet; trying again soon: %s", str(error) or "the store takes too long")
            return False
        return True

    async def _carefully(self, job: Callable[[], Awaitable[None]]) -> None:
        try:
            await job()
        except NotFound:
            pass  # it was deleted meanwhile
        except (SullaError, TimeoutError) as error:
            log.warning("cannot look after speech over an answer: %s", str(error) or "it took too long")
        except Exception:
            # Nobody's turn depends on it, so it must not end the daemon either.
            log.exception("speech over an answer failed in a way that nobody foresaw")


def _furthest(before: Playing | None, now: Playing | None) -> Playing | None:
    """What a client says that it plays; what has been heard once stays heard."""
    if before is None or now is None:
        return now or before
    return before if before.message_id == now.message_id and before.played_chars > now.played_chars else now
