"""Keeps one channel going: takes it up when no other daemon has it, reads and sends, and begins anew after troubles."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from sulla.channels.base import Account, Channel, Refusal
from sulla.channels.machine import untaken
from sulla.channels.machine.admission import Rules
from sulla.channels.machine.book import Book
from sulla.channels.machine.hurry import WHY as HURRIED
from sulla.channels.machine.hurry import Hurry
from sulla.channels.machine.outbox import Outbox
from sulla.channels.machine.pace import Pace
from sulla.channels.machine.standing import Refusals, Standing, State
from sulla.channels.machine.values import Owner
from sulla.channels.run.ending import each_ending, ending, finished
from sulla.channels.run.files import Inbox
from sulla.channels.run.held import Around, Held
from sulla.channels.run.incoming import Incoming
from sulla.channels.run.making import made
from sulla.channels.run.reading import Reader
from sulla.channels.run.shelf import LEASE_S, Shelf
from sulla.channels.run.talking import Talking
from sulla.core.dataclass import dataclass
from sulla.core.errors import SullaError, Unauthorized, Unavailable
from sulla.core.ids import ThreadId
from sulla.threads.log.state import ThreadState

log = logging.getLogger(__name__)

PAUSE_S: Final = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""How long it rests after each trouble in a row."""
CLOSE_S: Final = 2.0
"""How long a channel may take to let go of everything, once the daemon ends."""
REFUSED_S: Final = 300.0
"""How long it rests where the service does not know the credentials."""
SWEEP_S: Final = 60.0
"""How often it looks by itself whether something is to be said anywhere."""
MOST_STRAYS: Final = 1_000
_PAGE: Final = 200
MOST_TALKING: Final = 500
"""Places that are worked at at once."""


@dataclass(frozen=True, slots=True)
class LineRules:
    """What the settings say of one channel."""

    name: str
    kind: str
    rules: Rules


class Line:
    """One channel of the settings. It lives as long as the daemon; `run` keeps it going.

    Args:
        said: what the settings say of it.
        make: makes the channel, anew for each time that it is taken up.
        inbox: saves files.
        around: what it works with.
    """

    def __init__(self, said: LineRules, make: Callable[[], Channel], inbox: Inbox, around: Around) -> None:
        self.said = said
        self.make = make
        self._inbox = inbox
        self._around = around
        self.standing = Standing(since_ms=around.now_ms())
        self.account = Account("", "")
        self.held: Held | None = None
        """While this daemon has it."""
        self._places: dict[str, Talking] = {}
        self._wanted: OrderedDict[str, None] = OrderedDict()
        """Places where something is to be done and nobody works yet. To find the first of a plain dict looks at all
        that were taken from it before."""
        self._strays: dict[ThreadId, None] = {}
        """Conversations that are held at no place; they may work for one that is."""
        self._news = asyncio.Event()
        self._hurry = Hurry(0.0)

    @property
    def state(self) -> str:
        """See `Standing`."""
        return self.standing.state

    @property
    def why(self) -> str:
        """See `Standing`."""
        return self.standing.why

    def redact(self, text: str) -> str:
        """A text without the daemon's secrets."""
        return self._around.redact(text)

    def wake(self, thread_id: ThreadId) -> None:
        """Something happened in a conversation. Never waits, never fails."""
        held = self.held
        if held is None:
            return
        if place := held.book.talks.held_at(thread_id):
            self._wake(place)
        elif held.book.talks and len(self._strays) < MOST_STRAYS:
            self._strays[thread_id] = None
            self._news.set()

    async def tell(self, place: str, text: str, key: str = "", exact: Sequence[str] = ()) -> bool:
        """Tell somebody something at a place where he has written; whether this daemon could.

        Args:
            place: its key, or the service's id of it (`Held.key_of`).
            text: what.
            key: the same for the same words; empty for words that are told once in any case.
            exact: see `Outbox.say`.

        Raises:
            StoreUnavailable, StaleLease: nobody knows whether it will be said.
        """
        held = self.held
        if held is None or not (place := held.key_of(place)):
            return False
        mark = f"told:{key or self._around.fresh('told')}"
        if mark not in held.seen:
            held.outbox.say(place, text, mark, exact=exact)
            held.seen.add(mark)
            await held.shelf.keep()
            self._wake(place)
        return True

    async def send_file(self, thread_id: ThreadId, path: str, caption: str, key: str, size: int) -> str | None:
        """Have a file sent where a conversation is held, once under a key.

        Args:
            thread_id, path, caption, key, size: see `tools.SendFile`.

        Returns:
            Why it is not sent, empty if it will be; None where the conversation is not held here.

        Raises:
            StoreUnavailable, StaleLease: nobody knows whether it will be sent.
        """
        held, mark = self.held, f"file:{key}"
        place = held.book.talks.held_at(thread_id) if held is not None else ""
        if held is None or not place or held.book.talks[place].thread != thread_id:
            return None
        if size > (most := held.channel.manners.most_file_bytes):
            return f"it has {size} bytes, and {most} may be sent here"
        if mark not in held.seen:
            held.outbox.send_file(place, path, caption, key)
            held.seen.add(mark)
            await held.shelf.keep()
            self._wake(place)
        return ""

    async def run(self) -> None:
        """Keep it going until cancelled."""
        troubles = 0
        while True:
            rest_s, began_s = 0.0, self._around.clock.elapsed()
            try:
                if await self._once():
                    return
                self.standing, rest_s = self.standing.at(self._around.now_ms(), "held by another daemon"), LEASE_S / 3
            except* Unauthorized as refused:
                rest_s = self._trouble("refused", refused, REFUSED_S)
            except* SullaError as failed:
                troubles, rest_s = self._failing(failed, troubles, began_s)
            except* Exception as unforeseen:
                log.exception("the channel %s failed as nobody foresaw", self.said.name)
                troubles, rest_s = self._failing(unforeseen, troubles, began_s)
            await self._around.clock.sleep(rest_s)

    def _failing(self, errors: BaseExceptionGroup[Exception], troubles: int, began_s: float) -> tuple[int, float]:
        """How many troubles in a row there are with one more, and how long it rests now, in seconds; behind a long time
        without any it is the first.
        """
        lasted_s = self._around.clock.elapsed() - began_s
        troubles = 1 if lasted_s > 2 * PAUSE_S[-1] else troubles + 1
        return troubles, self._trouble("failing", errors, PAUSE_S[min(troubles, len(PAUSE_S)) - 1])

    def _trouble(self, state: State, errors: BaseExceptionGroup[Exception], rest_s: float) -> float:
        error: BaseException = errors
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        why = self._around.plain(error.message) if isinstance(error, SullaError) else type(error).__name__
        self.standing = self.standing.at(self._around.now_ms(), state, why)
        log.warning("the channel %s rests: %s", self.said.name, self.why)
        told_s = getattr(error, "retry_after_s", None)
        return max(rest_s, told_s or 0.0)

    async def _once(self) -> bool:
        """Take the channel up and work, until something is wrong; False where another daemon has it."""
        shelf = Shelf(self._around.store, self._around.clock, self._around.owner, self.said.name)
        try:
            if not await shelf.open():
                return False
            channel = await made(self.make)
            try:
                await self._work(shelf, channel)
            finally:
                self.held = None
                self._hurry.refusals = None
                self._places.clear()
                self._wanted.clear()
                # Also where it ends while it lets go: half a connection would stay otherwise.
                await finished(channel.close(), self._around.clock, CLOSE_S)
        finally:
            await shelf.close()
        return True

    async def _work(self, shelf: Shelf, channel: Channel) -> None:
        account = self.account = await ending(channel.open())
        await self._begin(shelf, channel, account)
        outbox = Outbox(shelf.book, channel.manners, channel.measure)
        outbox.opened()
        await shelf.keep()
        rules, pace = self.said.rules, Pace(channel.manners)
        named = self.said.name, self.said.kind
        held = self.held = Held(
            *named, channel, account, rules, shelf, outbox, pace, self._around, self._wake, self._well
        )
        reader, incoming = Reader(held), Incoming(held, self._inbox)
        async with asyncio.TaskGroup() as group:
            group.create_task(shelf.hold())
            group.create_task(self._receive(held, incoming))
            group.create_task(incoming.behind.run())
            group.create_task(self._sweep(held))
            group.create_task(self._talk(group, held, reader))

    async def _begin(self, shelf: Shelf, channel: Channel, account: Account) -> None:
        """See whose book it is; one that is new begins where its service says."""
        if shelf.book.owner.account == account.id:
            return
        if shelf.book.owner.account:
            log.warning("the channel %s is another account than before: it begins anew", self.said.name)
        shelf.book = Book(Owner(account.id, self._around.fresh("secret")), await ending(channel.first_cursor()))

    async def _receive(self, held: Held, incoming: Incoming) -> None:
        hurry = self._hurry
        hurry.begins(self._around.clock.elapsed())
        async for batch in each_ending(held.channel.receive(held.book.cursor)):
            if batch.refusal is not None:
                await self._around.clock.sleep(self._unreceived(batch.refusal))
                continue
            hurry.refusals = None
            self._well()
            moves = bool(batch.arrived) and batch.cursor != held.book.cursor
            fresh = await incoming.take(batch)
            if pause_s := hurry.came(self._around.clock.elapsed(), fresh=fresh, moves=moves):
                if hurry.slows:
                    self._slow()
                await self._around.clock.sleep(pause_s)
        raise Unavailable("the connection ended")

    def _slow(self) -> None:
        if self._hurry.tells(self._around.clock.elapsed()):
            log.warning("the channel %s: %s", self.said.name, HURRIED)
        self.standing = self.standing.at(self._around.now_ms(), "well", HURRIED)

    def _unreceived(self, refusal: Refusal) -> float:
        """The service hands nothing on; how long it is not asked for more, in seconds."""
        now_s, before = self._around.clock.elapsed(), self._hurry.refusals
        refusals = self._hurry.refusals = before.again() if before is not None else Refusals(now_s)
        why = self._around.plain(refusals.why(refusal, now_s))
        if why != self.why:
            log.warning("the channel %s: %s", self.said.name, why)
        self.standing = self.standing.at(self._around.now_ms(), "failing", why)
        return refusals.pause_s(refusal, now_s)

    def _well(self) -> None:
        """The service told something, or took something; where it hands nothing on, or nothing new again and again,
        the latter is not all.
        """
        if self._hurry.refusals is not None or self._hurry.slows:
            return
        self.standing = self.standing.at(self._around.now_ms(), "well")

    async def _sweep(self, held: Held) -> None:
        """Look everywhere once at the beginning, and then for what no wake told of."""
        while True:
            for item in held.outbox.heads():
                self._wake(item.place)
            for key, talk in list(held.book.talks.items()):
                if talk.left or untaken.of(talk).count:
                    self._wake(key)
                if not talk.thread:
                    continue
                info = await self._around.store.head(talk.thread)
                if info is None:
                    held.book.talks[key] = replace(talk, thread="", told_seq=0, begun=self._around.fresh("talk"))
                elif info.last_seq > talk.told_seq:
                    self._wake(key)
            await self._sweep_suspended(held)
            await self._around.clock.sleep(SWEEP_S)

    async def _sweep_suspended(self, held: Held) -> None:
        """Those who work for conversations of ours and ask, also where another daemon runs them."""
        after = ""
        while page := await self._around.threads.list(status="suspended", after=after, limit=_PAGE):
            for _, state in page:
                if state is not None and place_of(held, state):
                    self._strays[state.thread_id] = None
            after = page[-1][0].key
        asking = {question.thread for question in held.book.questions.values()}
        self._strays.update(dict.fromkeys(map(ThreadId, asking - {one.thread for one in held.book.talks.values()})))
        if self._strays:
            self._news.set()

    def _wake(self, place: str) -> None:
        talking = self._places.get(place)
        if talking is not None:
            talking.wake()
        else:
            self._wanted[place] = None
            self._news.set()

    async def _talk(self, group: asyncio.TaskGroup, held: Held, reader: Reader) -> None:
        """Begin to work at places where something is to be done."""
        room = asyncio.Semaphore(MOST_TALKING)
        while True:
            await self._news.wait()
            if self._strays:
                await self._heed(held, reader)
            if not self._wanted:
                self._news.clear()
                continue
            place, _ = self._wanted.popitem(last=False)
            if place in self._places:
                self._places[place].wake()
            elif place in held.book.talks:
                await room.acquire()
                self._places[place] = Talking(held, reader, place)
                group.create_task(self._until_done(place, room))

    async def _heed(self, held: Held, reader: Reader) -> None:
        """See whether somebody who works for a conversation of ours asks something."""
        strays, self._strays = self._strays, {}
        for thread_id in strays:
            state = await self._around.threads.load(thread_id, messages=False)
            if state is not None and (place := place_of(held, state)):
                await reader.heed(place, state)
                self._wake(place)

    async def _until_done(self, place: str, room: asyncio.Semaphore) -> None:
        talking = self._places[place]
        try:
            await talking.run()
        finally:
            room.release()
            if self._places.get(place) is talking:
                del self._places[place]
        if talking.woken:  # while it came to its end
            self._wake(place)


def place_of(held: Held, state: ThreadState) -> str:
    """Where the conversation is held that somebody works for; empty for nowhere, and for a place's own."""
    birth, talks = state.identity.birth, held.book.talks
    root = birth.root if birth is not None and not birth.unattended else ""
    return talks.played_at(state.thread_id) or talks.held_at(root)
