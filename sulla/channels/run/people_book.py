"""Keeps who may write by channels, once for all daemons of a store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from sulla.channels.machine.people import (
    ALPHABET,
    CODE_CHARS,
    ChannelScope,
    Code,
    Identity,
    People,
    Person,
    decode,
    encode,
)
from sulla.core.clock import Clock
from sulla.core.errors import Conflict, NotFound
from sulla.core.ids import MakeId
from sulla.store.base import Store

KEY: Final = "channels:people"
MOST_TRIES: Final = 20
"""How often a change is made anew because somebody else made another one meanwhile."""


class PeopleBook:
    """The people of a store's channels. It lives as long as the daemon; nothing of them is kept in it.

    Args:
        store: where they are kept.
        clock: for codes.
        make_id: gives what nobody can guess.
    """

    def __init__(self, store: Store, clock: Clock, make_id: MakeId) -> None:
        self._store = store
        self._clock = clock
        self._make_id = make_id
        self._changing = asyncio.Lock()  # one daemon's own changes need not get into each other's way

    async def read(self) -> People:
        """Who is known now.

        Raises:
            StoreUnavailable: the store does not answer.
            CorruptRecord: what it has cannot be read.
        """
        return decode(await self._store.get(KEY)).at(self._clock.now())

    async def ask(self, identity: Identity, place: str, called: str = "") -> str:
        """A code for a stranger; empty where he gets none.

        Args:
            identity, place, called: see `People.asking`.
        """
        fresh = fresh_code(self._make_id)
        given = ""

        def change(people: People) -> People:
            nonlocal given
            changed, given = people.asking(identity, place, fresh, self._clock.now(), called)
            return changed

        await self._change(change)
        return given

    async def confirm(
        self, code: str, name: str, scopes: tuple[ChannelScope, ...] | None, *, less: bool = False
    ) -> tuple[Person, Code, tuple[ChannelScope, ...]]:
        """Let somebody in; who it is, his code, and what he might before, nothing if he was not known. See
        `People.confirmed`.

        Raises:
            NotFound: the code is not good.
            InvalidInput: the name is none.
            Conflict: too many wrong codes were tried, there are too many people, or he would lose what he may.
        """
        found: tuple[Person | None, Code | None] = None, None
        before: tuple[ChannelScope, ...] = ()

        def change(people: People) -> People:
            nonlocal found, before
            changed, person, good = people.confirmed(code, name, scopes, self._clock.now(), less=less)
            found, was = (person, good), people.named(name)
            before = was.scopes if was is not None else ()
            return changed

        await self._change(change)
        person, confirmed = found
        if person is None or confirmed is None:
            raise NotFound("the code is not good, or no longer: have the person write again, and take the new one")
        return person, confirmed, before

    async def refuse(self, code: str) -> None:
        """Let a stranger not in.

        Raises:
            NotFound: there is no such code, or no longer.
        """
        await self._change(lambda people: people.refused(code, self._clock.now()))

    async def forget(self, name: str) -> None:
        """Somebody may no longer write.

        Raises:
            NotFound: there is nobody of that name.
        """
        await self._change(lambda people: people.without(name))

    async def _change(self, change: Callable[[People], People]) -> None:
        async with self._changing:
            for _ in range(MOST_TRIES):
                old = await self._store.get(KEY)
                new = encode(change(decode(old)))
                if new == old or await self._store.swap(KEY, old, new):
                    return
        raise Conflict("others change who may write at this moment: try again")


def fresh_code(make_id: MakeId) -> str:
    """A code that nobody can guess, from a new id.

    Args:
        make_id: of what has at least 60 bits of chance.
    """
    number = int.from_bytes(make_id("code").encode()[-24:], "big")
    letters = ""
    for _ in range(CODE_CHARS):
        number, at = divmod(number, len(ALPHABET))
        letters += ALPHABET[at]
    return letters
