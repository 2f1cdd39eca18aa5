"""A channel's book: bytes that are handed to the store for each message, with few places and with many.

Each message is taken in, its answer planned, sent and done with, and the book is kept after each of these, as a daemon
does; where the journal is due to end, it ends, so the book that is then written whole is in the figures. The limit is
what a message costs with ten places. So many places as here are never remembered (`MOST_PLACES`); it shows the slope.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from bench.frame import Frame, Row
from sulla.channels.base import Manners, Place, Sent
from sulla.channels.machine.outbox import Outbox
from sulla.channels.machine.seen import MOST_SEEN
from sulla.channels.machine.values import Talk
from sulla.channels.run.shelf import Shelf
from sulla.host.system import SystemClock, random_id
from sulla.store.memory import MemoryStore
from sulla.store.values import Draft, Head, Lease

NAME = "channel_book"

PLACES: Final = (10, 1_000, 10_000)
MESSAGES: Final = 8_000
BAR: Final = 2.0


class Weighed:
    """Passes everything on to a store, and adds up what is written to logs.

    Args:
        inner: the store that does the work.
    """

    def __init__(self, inner: MemoryStore) -> None:
        self._inner = inner
        self.size_bytes = 0

    def __getattr__(self, name: str) -> Callable[..., object]:
        method: Callable[..., object] = getattr(self._inner, name)
        return method

    async def append(self, lease: Lease, write_no: int, drafts: Sequence[Draft], head: Head, claimed: int) -> int:
        """See `Store.append`."""
        self.size_bytes += len(head.body) + sum(len(draft.body) for draft in drafts)
        return await self._inner.append(lease, write_no, drafts, head, claimed)


def run(frame: Frame) -> list[Row]:
    """Measure."""
    found = {places: asyncio.run(_bytes(places)) for places in PLACES}
    least = found[PLACES[0]]
    return [
        Row(f"a message among {places:,} places", size, "B", ratio := size / least, "10 places", BAR, ratio <= BAR)
        for places, size in found.items()
    ]


async def _bytes(places: int) -> float:
    clock = SystemClock()
    inner = MemoryStore(clock, random_id)
    await inner.open()
    store = Weighed(inner)
    shelf = Shelf(store, clock, "home:boot", "tg")  # type: ignore[arg-type]  # it passes on the rest
    await shelf.open()
    outbox = Outbox(shelf.book, Manners(most_chars=4_096, sends_per_s=30, place_sends_per_s=1))
    for number in range(places):
        shelf.book.talks[f"p{number}"] = Talk(Place(f"p{number}", name="Person"), thread=random_id("thr"))
    for number in range(MOST_SEEN):
        shelf.book.seen.add(f"before {number}")
    await shelf.keep()
    await shelf.shorten()
    before = store.size_bytes
    for number in range(MESSAGES):
        await _message(shelf, outbox, f"p{number % places}", number)
    return (store.size_bytes - before) / MESSAGES


async def _message(shelf: Shelf, outbox: Outbox, place: str, number: int) -> None:
    book = shelf.book
    book.talks[place] = replace(book.talks.pop(place), used_ms=number)
    book.seen.add(f"m{number}")
    book.cursor = str(number)
    await shelf.keep()
    outbox.say(place, "It is done, and this is what came of it.", f"m{number}")
    book.talks[place] = replace(book.talks[place], told_seq=number)
    await shelf.keep()
    if (item := outbox.head(place)) is not None:
        item = outbox.begin(item)
        await shelf.keep()
        outbox.ended(item, Sent("1"), number)
        await shelf.keep()
    await shelf.shorten()
