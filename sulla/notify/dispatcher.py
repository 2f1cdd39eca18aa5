"""Sends what the outbox decides, and writes down what comes of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Final, Protocol

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound, SullaError
from sulla.core.ids import ThreadId
from sulla.notify.book import OutboxBook
from sulla.notify.composed import composed
from sulla.notify.facts import Fact
from sulla.notify.metrics import FAILED, LEFT_OUT, SENT
from sulla.notify.outbox import Outbox
from sulla.notify.sending import FaultOf, Send
from sulla.notify.sources import of_broken, of_notice, of_thread, thread_asking
from sulla.notify.values import Message, News
from sulla.notify.ways import Ways
from sulla.people.notices import NoticeInfo
from sulla.telemetry.tally import Tally
from sulla.threads.log.state import ThreadState

log = logging.getLogger(__name__)

SEND_S: Final = 60.0
"""How long a channel may take for one message; then nobody knows whether it arrived."""
LOOK_S: Final = 60.0
"""How often it looks by itself."""
RETRY_S: Final = 10.0
"""How long it rests after a failure of the store or the disk."""
MAX_WOKEN: Final = 2_000
"""Threads that are known to have news; of more, those that wait for people are found by a look at all that do."""
MOST_NOTICES: Final = 200
"""The newest notices that are looked at: as many as one day may have."""
_PAGE: Final = 200


class Notices(Protocol):
    """What is needed of the notices (`people.inbox.NoticeInbox`)."""

    async def list(self, after: str, limit: int, unseen_by: str) -> Sequence[NoticeInfo]:
        """Notices, the newest first."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where news come from and go to."""

    notices: Notices
    load: Callable[[ThreadId], Awaitable[ThreadState | None]]
    """Loads a thread without its messages."""
    suspended: Callable[[], Awaitable[Sequence[ThreadId]]]
    """The threads that wait for people."""
    send: Send
    addresses: Mapping[str, str]
    """By channel."""
    fault_of: FaultOf
    """Judges an address."""
    ways: Ways = field(default_factory=Ways)
    """How else messages are sent, by address."""


class Dispatcher:
    """Has news sent by all channels. It lives as long as the daemon.

    Args:
        outbox: decides.
        book: keeps what it decided.
        places: where news come from and go to.
        clock: all time.
        tally: takes figures.
    """

    def __init__(self, outbox: Outbox, book: OutboxBook, places: Places, clock: Clock, tally: Tally) -> None:
        self.outbox = outbox
        self._book = book
        self._places = places
        self._clock = clock
        self._tally = tally
        self.unusable: dict[str, str] = {}
        """Why nothing can be sent to a channel's address, by channel: of what Apprise sends known from the start on,
        of the ways beside it as of the last look."""
        self._woken: dict[ThreadId, None] = {}
        self._all = True
        """Whether all threads that wait have to be looked at."""
        self._news = asyncio.Event()
        self._writing = asyncio.Lock()  # facts count in the order in which they stand in the file

    def wake(self, thread_id: ThreadId) -> None:
        """Have a thread looked at soon. Never waits, never fails."""
        if len(self._woken) < MAX_WOKEN:
            self._woken[thread_id] = None
        else:
            self._all = True
        self._news.set()

    def changed(self) -> None:
        """There may be notices. Never waits, never fails."""
        self._news.set()

    async def open(self) -> None:
        """Take up what the last daemon left.

        Raises:
            Unavailable: the outbox cannot be read.
        """
        for fact in await asyncio.to_thread(self._book.read):
            self.outbox.apply(fact)
        await self._keep(self.outbox.opened(self._now_ms()))

    async def judge(self) -> None:
        """See which addresses nothing can be sent to. No message goes out for it."""
        self.look_at_ways()
        for name, address in self._places.addresses.items():
            if self._places.ways.of(address) is not None:
                continue
            if why := await asyncio.to_thread(self._places.fault_of, address):
                self._note_unusable(name, why)

    def look_at_ways(self) -> None:
        """See it of the ways beside Apprise alone: who has written where changes while the daemon runs."""
        for name, address in self._places.addresses.items():
            if (way := self._places.ways.of(address)) is not None:
                self._note_unusable(name, way.fault_of(address))

    def _note_unusable(self, name: str, why: str) -> None:
        if why and self.unusable.get(name) != why:
            log.warning("the channel %s can take no messages: %s", name, why)
        if why:
            self.unusable[name] = why
        else:
            self.unusable.pop(name, None)

    async def run(self) -> None:
        """Send until cancelled."""
        opened = False
        while True:
            try:
                if not opened:
                    await self.open()
                    opened = True
                    await self.judge()
                await self.round()
                rest_s = self._rest_s()
            except SullaError as error:
                log.warning("notices go out later: %s", error.message)
                rest_s = RETRY_S
            with suppress(TimeoutError):
                async with self._clock.timeout(rest_s):
                    await self._news.wait()

    async def round(self) -> None:
        """Hear what is new, and send all that may be sent now.

        Raises:
            StoreUnavailable: the store does not answer.
            Unavailable: the disk does not take what is to be written down.
        """
        self._news.clear()
        self.look_at_ways()
        for news in await self._heard():
            await self._keep(self.outbox.heard(news, self._now_ms()))
        while batch := await self._begun():
            await asyncio.gather(*(self._send(message) for message in batch))
        if self._book.long:
            await asyncio.to_thread(self._book.rewrite, [*self.outbox.live()])

    async def test(self, channel: str) -> str:
        """Send a message that says that it is a test, at once; why it was not taken, empty if it was. One that arrives
        marks the channel well, and what waits for it goes out; of one that does not it is kept why.

        Raises:
            NotFound: there is no such channel.
            Unavailable: the disk does not take what came of it.
        """
        if channel not in self._places.addresses:
            raise NotFound(
                f"there is no channel {channel[:60]!r}; there are: {', '.join(self._places.addresses) or 'none'}"
            )
        why, _ = await self._attempt(channel, "Sulla: a test", "This channel works.", f"test:{self._now_ms()}", "")
        if why:
            await self._keep(self.outbox.disproved(channel, why))
            return why
        await self._keep(self.outbox.proved(channel, self._now_ms()))
        self._news.set()
        return ""

    # -------------------------------------------------------------------------------------------------------- private

    async def _heard(self) -> Sequence[News]:
        notices = reversed(await self._places.notices.list("", MOST_NOTICES, ""))
        found = [of_notice(one, await self._places.load(ThreadId(one.thread_id))) for one in notices]
        if self._all:
            self._all = False
            self._woken.update(dict.fromkeys(await self._places.suspended()))
        for thread_id in [*self._woken]:
            if (state := await self._places.load(thread_id)) is not None:
                found += of_thread(state)
            self._woken.pop(thread_id, None)
        return found

    async def _begun(self) -> Sequence[Message]:
        batch: list[Message] = []
        while (message := self.outbox.next(now_ms := self._now_ms())) is not None:
            if await self._answered(message):
                await self._keep(self.outbox.overtaken(message.id, now_ms))
                continue
            await self._keep(self.outbox.sending(message.id, now_ms))
            batch.append(self.outbox.waiting[message.id])
        return batch

    async def _answered(self, message: Message) -> bool:
        """Whether it is a question that nobody has to answer any more."""
        if not (thread_id := thread_asking(message.matter)):
            return False
        state = await self._places.load(thread_id)
        return state is None or all(news.id != message.matter for news in of_thread(state))

    async def _send(self, message: Message) -> None:
        title, text = composed(message, self.outbox.states[message.channel], self._now_ms(), self.outbox.zone)
        why, unknown = await self._attempt(message.channel, title, text, message.id, message.matter)
        now_ms = self._now_ms()
        if not why:
            self._tally.count(SENT, message.channel)
            await self._keep(self.outbox.sent(message.id, now_ms))
            return
        log.warning("the channel %s did not take a message: %s", message.channel, why)
        self._tally.count(FAILED, message.channel)
        await self._keep(self.outbox.failed(message.id, why, now_ms, unknown=unknown))
        await self._tell_broken()

    async def _attempt(self, channel: str, title: str, text: str, key: str, matter: str) -> tuple[str, bool]:
        """Why a message was not taken, empty if it was, and whether it may have arrived all the same."""
        address = self._places.addresses[channel]
        try:
            async with self._clock.timeout(SEND_S):
                if (way := self._places.ways.of(address)) is not None:
                    return await way.send(address, title, text, key, matter), False
                said = await asyncio.to_thread(self._places.send, address, title, text)
                return said, False
        except TimeoutError:
            return f"no answer within {SEND_S:g} s", True
        except SullaError as error:
            return error.message, False
        except Exception as error:  # noqa: BLE001 # a library's own, whose words may hold the address
            return f"the library failed with {type(error).__name__}", True

    async def _tell_broken(self) -> None:
        for name, state in self.outbox.broken().items():
            news = of_broken(name, state.why, state.broken_ms)
            await self._keep(self.outbox.heard(news, self._now_ms(), besides=name))

    async def _keep(self, facts: Sequence[Fact]) -> None:
        if not facts:
            return
        async with self._writing:
            lost = self.outbox.left_out
            await asyncio.to_thread(self._book.write, facts)
            for fact in facts:
                self.outbox.apply(fact)
        for name, count in self.outbox.left_out.items():
            if (more := count - lost.get(name, 0)) > 0:
                self._tally.count(LEFT_OUT, name, by=more)

    def _rest_s(self) -> float:
        due_ms = self.outbox.next_due_ms()
        if due_ms is None:
            return LOOK_S
        return min(LOOK_S, max(0.1, (due_ms - self._now_ms()) / 1_000))

    def _now_ms(self) -> int:
        return round(self._clock.now() * 1_000)
