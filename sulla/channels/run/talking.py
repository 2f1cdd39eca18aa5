"""Goes on at one place: sends what waits there, one after the other, and shows answers while they are written."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from sulla.channels.base import NotSent, Outcome, Place, Said, SaidFile, Sent, Unknown
from sulla.channels.machine import untaken
from sulla.channels.machine.cutting import beginning
from sulla.channels.machine.live import LiveText
from sulla.channels.machine.values import Item, Preview, Untaken
from sulla.channels.metrics import FAILED, GIVEN_UP, SENT
from sulla.channels.run.ending import ending, finished
from sulla.channels.run.held import Held
from sulla.channels.run.reading import Reader
from sulla.core.errors import SullaError
from sulla.core.ids import ThreadId
from sulla.threads.bus import LiveSignal, channel, live_channel, unpack
from sulla.tools.paths import open_file

log = logging.getLogger(__name__)

LINGER_S: Final = 120.0
"""How long a place is listened to after the last thing happened there."""
SEND_S: Final = 60.0
"""How long one attempt may take; then nobody knows whether it arrived."""
LAST_S: Final = 3.0
"""How long one that is under way may take when the channel rests or ends: less than whoever ends it waits."""
LEAST_WAIT_S: Final = 0.02


class Talking:
    """Works at one place until nothing has happened there for a while.

    Args:
        held: the channel.
        reader: plans what goes out.
        place: its key.
    """

    def __init__(self, held: Held, reader: Reader, place: str) -> None:
        self._held = held
        self._reader = reader
        self._place = place
        self._news = asyncio.Event()
        self._news.set()
        self._live = LiveText()
        self._typed_s = float("-inf")

    def wake(self) -> None:
        """Something may be to be done. Never waits, never fails."""
        self._news.set()

    @property
    def woken(self) -> bool:
        """Whether something happened that nobody has looked at."""
        return self._news.is_set()

    async def run(self) -> None:
        """Work, until there is nothing more to do.

        Raises:
            StoreUnavailable, StaleLease: the book cannot be kept.
        """
        thread, idle_s = "", self._held.around.clock.elapsed()
        while True:
            talk = self._held.book.talks.get(self._place)
            thread = talk.thread if talk is not None else ""
            async with self._listening(thread):
                while (now := self._held.book.talks.get(self._place)) is None or now.thread == thread:
                    self._news.clear()
                    if await self._step():
                        idle_s = self._held.around.clock.elapsed()
                        continue
                    if self._held.around.clock.elapsed() - idle_s > LINGER_S and not self._busy():
                        return
                    await self._rest()

    def _busy(self) -> bool:
        waits = self._held.outbox.waits_at(self._place) or bool(self._untaken().count)
        return waits or self._place in self._reader.at_work

    # ------------------------------------------------------------------------------------------------------- private

    @asynccontextmanager
    async def _listening(self, thread: str) -> AsyncIterator[None]:
        if not thread:
            yield
            return
        async with AsyncExitStack() as stack:
            store = self._held.around.store
            for where, hear in (
                (channel(ThreadId(thread)), self._advanced),
                (live_channel(ThreadId(thread)), self._said),
            ):
                heard = await stack.enter_async_context(store.subscribe(where))
                heard.attach(hear)
            yield

    def _advanced(self, payload: bytes | None) -> None:
        self._news.set()

    def _said(self, payload: bytes | None) -> None:
        signal = unpack(payload) if payload is not None else None
        if isinstance(signal, LiveSignal) and signal.type == "TEXT_MESSAGE_CONTENT" and not signal.depth:
            data = signal.data
            now_s = self._held.around.clock.elapsed()
            self._live.hear(str(data["message_id"]), int(str(data["offset"])), str(data["delta"]), now_s)
            self._news.set()

    async def _step(self) -> bool:
        """Do one thing; whether there was one that could be done now."""
        held = self._held
        if (item := held.outbox.head(self._place)) is not None:
            if item.due_ms > held.around.now_ms():
                return False
            await self._send(item)
            return True
        if await self._read_on() or await self._tell_untaken():
            return True
        await self._show_typing()
        return await self._show()

    async def _read_on(self) -> bool:
        """See `Reader.read_on`."""
        written = self._live.message_id
        planned = await self._reader.read_on(self._place)
        if self._place in self._reader.over:
            self._reader.over.discard(self._place)
            if self._live.message_id == written:  # else the next turn writes already
                self._live.forget()
        return planned

    def _untaken(self) -> Untaken:
        return untaken.of(self._held.book.talks.get(self._place))

    async def _tell_untaken(self) -> bool:
        """Plan that there was no room for messages, now that nothing else waits here; whether that was to be told."""
        held, gathered, now_ms = self._held, self._untaken(), self._held.around.now_ms()
        due_ms = untaken.due_ms(gathered)
        if due_ms is None or due_ms > now_ms:
            return False
        held.outbox.say(self._place, untaken.notice(gathered), gathered.mark, reply_to=gathered.ref)
        held.book.talks[self._place] = replace(held.book.talks[self._place], untaken=Untaken(told_ms=now_ms))
        await held.shelf.keep()
        return True

    async def _rest(self) -> None:
        """Until something happens, or is due."""
        held, clock = self._held, self._held.around.clock
        waits = [LINGER_S]
        if (item := held.outbox.head(self._place)) is not None:
            waits.append((item.due_ms - held.around.now_ms()) / 1_000)
        else:
            if (due_ms := untaken.due_ms(self._untaken())) is not None:
                waits.append((due_ms - held.around.now_ms()) / 1_000)
            if (due_s := self._live_due_s()) is not None:
                waits.append(due_s - clock.elapsed())
        if self._types():
            waits.append(self._typed_s + held.channel.manners.typing_s - clock.elapsed())
        with suppress(TimeoutError):
            async with clock.timeout(max(LEAST_WAIT_S, min(waits))):
                await self._news.wait()

    async def _send(self, item: Item) -> None:
        held, outbox, clock = self._held, self._held.outbox, self._held.around.clock
        place = held.book.talks[self._place].place
        if outbox.looks_up(item):
            outbox.found(item, await self._attempt(held.channel.looked_up(place, item.id)), held.around.now_ms())
            await held.shelf.keep()
            return
        edit, group = item.kind == "edit", place.kind == "group"
        wait_s = held.pace.take(self._place, clock.elapsed(), edit=edit, group=group) - clock.elapsed()
        while wait_s > 0:
            await clock.sleep(wait_s)
            wait_s = held.pace.rests_s(self._place, clock.elapsed())
        if outbox.head(self._place) != item:  # meanwhile there is something else to say
            return
        await finished(self._sent(place, item), clock, LAST_S)

    async def _sent(self, place: Place, item: Item) -> None:
        """Make one attempt, from when the book says so until it says what came of it."""
        held, outbox = self._held, self._held.outbox
        item = outbox.begin(item)
        await held.shelf.keep()
        outcome = await self._attempt(self._made(place, item))
        self._count(item, outcome)
        outbox.ended(item, outcome, held.around.now_ms())
        await held.shelf.keep()

    async def _made(self, place: Place, item: Item) -> Outcome:
        wire = self._held.channel
        said = Said(self._held.outbox.text_of(item), item.asks.buttons, item.reply_to, item.id, exact=item.asks.exact)
        match item.kind:
            case "edit":
                return await wire.edit(place, item.ref, said)
            case "delete":
                return await wire.delete(place, item.ref)
            case "file":
                return await self._file(place, item)
            case _:
                return await wire.send(place, said)

    async def _file(self, place: Place, item: Item) -> Outcome:
        try:
            content = await asyncio.to_thread(_content, self._held.around.workspace, item.ref)
        except SullaError as error:
            return NotSent(error.message, final=True)
        name, caption = Path(item.ref).name, self._held.outbox.text_of(item)
        return await self._held.channel.send_file(place, SaidFile(name, content, caption=caption, key=item.id))

    async def _attempt(self, work: Awaitable[Outcome]) -> Outcome:
        """What came of it; nothing that a library raises gets any further, and of what a service says a plain line."""
        around = self._held.around
        try:
            async with around.clock.timeout(SEND_S):
                outcome = await ending(work)
            if isinstance(outcome, Sent):
                self._held.served()
                return outcome
            return replace(outcome, why=around.plain(outcome.why))
        except TimeoutError:
            return Unknown(f"no answer within {SEND_S:g} s")
        except SullaError as error:
            return Unknown(around.plain(error.message))
        except Exception as error:  # noqa: BLE001 - a library's own, whose words may hold the address
            return Unknown(f"the library failed with {type(error).__name__}")

    def _count(self, item: Item, outcome: Outcome) -> None:
        held = self._held
        match outcome:
            case Sent():
                held.around.tally.count(SENT, held.name)
                return
            case NotSent(why, _, final):
                self._heed_rest(outcome)
                held.around.tally.count(GIVEN_UP if final else FAILED, held.name)
                log.log(logging.WARNING if final else logging.INFO, "%s: a message was not taken: %s", held.name, why)
            case Unknown(why):
                held.around.tally.count(FAILED, held.name)
                log.warning("%s: nobody knows whether a message arrived: %s", held.name, why)

    def _heed_rest(self, outcome: Outcome) -> None:
        """The service may want to be left alone for a while, here or altogether."""
        if isinstance(outcome, NotSent) and outcome.retry_after_s is not None:
            now_s = self._held.around.clock.elapsed()
            self._held.pace.rest(outcome.retry_after_s, self._place, now_s, outcome.rests)

    # ---------------------------------------------------------------------------------------------- while it is written

    def _live_due_s(self) -> float | None:
        held = self._held
        if self._live.message_id == self._reader.answered.get(self._place):
            self._live.forget()
        preview = held.book.previews.get(self._place)
        talk = held.book.talks.get(self._place)
        edit_s = held.pace.edit_s(group=talk is not None and talk.place.kind == "group")
        if not edit_s or (preview is not None and preview.status != "shown"):
            return None
        due_s = self._live.due_s(edit_s)
        if due_s is None:
            return None
        return held.pace.due_s(self._place, max(due_s, held.around.clock.elapsed()), edit=preview is not None)

    async def _show(self) -> bool:
        held, clock = self._held, self._held.around.clock
        due_s = self._live_due_s()
        if due_s is None or due_s > clock.elapsed():
            return False
        place = held.book.talks[self._place].place
        text = self._live.take(clock.elapsed())
        said = beginning(text, held.channel.manners.most_chars, held.channel.measure)
        preview = held.book.previews.get(self._place)
        held.pace.take(self._place, clock.elapsed(), edit=preview is not None, group=place.kind == "group")
        outcome = await finished(self._shown(place, preview, said), clock, LAST_S)
        self._heed_rest(outcome)
        return True

    async def _shown(self, place: Place, preview: Preview | None, text: str) -> Outcome:
        """Show what was written so far, in another message or in the one that shows some already."""
        held, message_id = self._held, self._live.message_id
        if preview is None:
            preview = held.outbox.show(self._place, message_id, text)
            await held.shelf.keep()
            outcome = await self._attempt(held.channel.send(place, Said(text, key=preview.id)))
            held.outbox.shown(self._place, outcome)
            await held.shelf.keep()
            return outcome
        held.outbox.goes_on(self._place, message_id, text)
        if preview.message_id != message_id:
            await held.shelf.keep()
        return await self._attempt(held.channel.edit(place, preview.ref, Said(text, quiet=True)))

    def _types(self) -> bool:
        return bool(self._held.channel.manners.typing_s) and self._place in self._reader.at_work

    async def _show_typing(self) -> None:
        held, clock = self._held, self._held.around.clock
        if not self._types() or clock.elapsed() < self._typed_s + held.channel.manners.typing_s:
            return
        self._typed_s = clock.elapsed()
        try:
            await ending(held.channel.typing(held.book.talks[self._place].place))
        except SullaError as error:
            log.debug("%s: no typing sign: %s", held.name, error.message)


def _content(workspace: Path, path: str) -> bytes:
    with open_file(workspace, path) as file:
        return file.read()
