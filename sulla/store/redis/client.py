"""The way to one Redis: connected when it is needed, with a deadline on every call and the scripts in place."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha1

from redis.exceptions import RedisError

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import StoreUnavailable
from sulla.store.redis import index_scripts as index
from sulla.store.redis import scripts as steps
from sulla.store.redis.keys import INCARNATION
from sulla.store.redis.line import CLOSED, Command, RedisLine, RedisRefusal, Reply, Word
from sulla.store.redis.line_direct import DirectLine
from sulla.store.redis.line_library import LibraryLine
from sulla.store.redis.url import RedisAddress, explained, is_replicas

CALL_S = 0.9
"""How long one call may take, in seconds: a failure shows within a second."""

MAX_WAITING = 4096
"""How many calls may wait for answers; more are refused at once."""

_WHICH: Command = ("GET", INCARNATION)


@dataclass(frozen=True, slots=True)
class Script:
    """A script that the server knows by its hash."""

    text: str
    sha: str

    def on(self, keys: Sequence[str], *arguments: Word) -> Command:
        """The command that runs it."""
        return ("EVALSHA", self.sha, len(keys), *keys, *arguments)


def _script(text: str) -> Script:
    return Script(text, sha1(text.encode(), usedforsecurity=False).hexdigest())


OFFER, ACQUIRE, APPEND, RENEW = map(_script, (steps.OFFER, steps.ACQUIRE, steps.APPEND, steps.RENEW))
RELEASE, DELETE, READ, LOOK = map(_script, (steps.RELEASE, steps.DELETE, steps.READ, steps.LOOK))
SWAP = _script(steps.SWAP)
ANNOUNCE, SETTLE, CANDIDATES, CLEAN = map(_script, (index.ANNOUNCE, index.SETTLE, index.CANDIDATES, index.CLEAN))
_ALL = (OFFER, ACQUIRE, APPEND, RENEW, RELEASE, DELETE, READ, LOOK, SWAP, ANNOUNCE, SETTLE, CANDIDATES, CLEAN)


class RedisClient:
    """Sends commands over one connection and makes a new one when that has ended.

    Nothing runs beside the calls: whoever calls while the server is away is told at once, and the first call after it
    is back gets through.

    Args:
        address: where it is.
        clock: for deadlines.
        call_s: the deadline of one call, in seconds.
    """

    def __init__(self, address: RedisAddress, clock: Clock, *, call_s: float = CALL_S) -> None:
        self._address = address
        self._clock = clock
        self._call_s = call_s
        self._line: RedisLine | None = None
        self._connecting = asyncio.Lock()
        self._open = False
        self._waiting = 0
        self.incarnation = ""
        """Which store every call must meet; empty before that is known."""

    @property
    def where(self) -> str:
        """The URL as it may be shown."""
        return self._address.shown

    @property
    def is_open(self) -> bool:
        """Whether calls are taken."""
        return self._open

    def open(self) -> None:
        """Take calls; nothing is connected yet."""
        self._open = True

    async def close(self) -> None:
        """Take no more calls, wait for the answers of those that were sent, and disconnect."""
        self._open = False
        async with self._connecting:
            line, self._line = self._line, None
        if line is not None:
            with suppress(TimeoutError):
                async with self._clock.timeout(self._call_s):
                    await line.settle()
            await line.close()

    async def call(self, *commands: Command) -> list[Reply]:
        """Run commands in this order, in one round trip, on the store that this client is for.

        Returns:
            Their answers.

        Raises:
            StoreUnavailable: the server does not answer in time or refuses one, and what it did until then stays; or
                the store is another one by now.
            CorruptRecord: a script found the data damaged.
        """
        which, *replies = await self._answers((_WHICH, *commands))
        if self.incarnation and which != self.incarnation.encode():
            raise emptied(self.where, self.incarnation, which)
        return replies

    async def first(self, *commands: Command) -> list[Reply]:
        """As `call`, before it is known which store this is."""
        return await self._answers(commands)

    async def _answers(self, commands: Sequence[Command]) -> list[Reply]:
        self._check()
        if self._waiting >= MAX_WAITING:
            said = f"{MAX_WAITING} calls wait for the store {self.where} already: ask again later"
            raise StoreUnavailable(said, retry_after_s=1.0)
        line: RedisLine | None = None
        self._waiting += 1
        try:
            async with self._clock.timeout(self._call_s):
                line = await self._connected()
                replies = await line.ask(commands)
                if any(_is_unknown(reply) for reply in replies):
                    replies = await self._again(line, commands, replies)
        except TimeoutError:
            silence = f"no answer within {self._call_s:g} s"
            if line is not None:  # It may answer some day, but to whom?
                await self._drop(line, silence)  # others wait on it, and their time may not be over by a hair
            said = f"the store {self.where}: {silence}: look after the server and the network"
            raise StoreUnavailable(said, retry_after_s=1.0) from None
        except (RedisError, RedisRefusal, OSError) as error:
            raise explained(self.where, error) from error
        finally:
            self._waiting -= 1
        for reply in replies:
            if isinstance(reply, RedisRefusal):
                if is_replicas(reply):  # Behind the same name there may be a primary by now.
                    await self._drop(line)
                raise explained(self.where, reply) from reply
        return replies

    def _check(self) -> None:
        if not self._open:
            raise StoreUnavailable(f"the store {self.where} is not open")

    async def _connected(self) -> RedisLine:
        line = self._line
        if line is not None and line.error is None:
            return line
        async with self._connecting:
            self._check()
            if self._line is None or self._line.error is not None:
                if self._line is not None:
                    await self._line.close()
                self._line = None
                self._line = await connect(self._address)
            return self._line

    async def _again(self, line: RedisLine, commands: Sequence[Command], replies: list[Reply]) -> list[Reply]:
        """Somebody made the server forget its scripts: what was not run for that is run now, in the same order."""
        await load_scripts(line)
        places = [at for at, reply in enumerate(replies) if _is_unknown(reply)]
        for at, reply in zip(places, await line.ask([commands[at] for at in places]), strict=True):
            replies[at] = reply
        return replies

    async def _drop(self, line: RedisLine, why: str = CLOSED) -> None:
        if self._line is line:
            self._line = None
        await line.close(why)


async def connect(address: RedisAddress, told: Callable[[Reply], None] | None = None) -> RedisLine:
    """A new line; one that is not a listener's knows the scripts.

    Raises:
        RedisError: it does not answer as it should.
        Refusal: it does not take the scripts.
        OSError: it cannot be reached.
    """
    kind = DirectLine if address.direct else LibraryLine
    line = kind(address.connection(), told)
    await line.open()
    if told is None:
        try:
            await load_scripts(line)
        except BaseException:
            await line.close()
            raise
    return line


async def load_scripts(line: RedisLine) -> None:
    """Teach the server all scripts.

    Raises:
        RedisError: the connection ended.
        Refusal: it does not take them.
    """
    for reply in await line.ask([("SCRIPT", "LOAD", script.text) for script in _ALL]):
        if isinstance(reply, RedisRefusal):
            raise reply


def _is_unknown(reply: Reply) -> bool:
    return isinstance(reply, RedisRefusal) and str(reply).startswith("NOSCRIPT")


def emptied(where: str, known: str, found: Reply) -> StoreUnavailable:
    """What there is to say about a store that is not the one that it was."""
    now = "it has no mark of ours any more" if not isinstance(found, bytes) else f"it is {found.decode()!r} now"
    return StoreUnavailable(
        f"the store {where} was emptied or exchanged: it was {known!r}, and {now}. "
        "Bring its data back; what is there now is not what Sulla acknowledged"
    )
