"""How long the other side may take to answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import InvalidInput, Refused, Unavailable
from sulla.core.jsontypes import FrozenJson
from sulla.tools.base import TimeLimit
from sulla.tools.web.urls import Target, parse_url

TIME_S: Final = 30.0
"""What the other side may take for one fetch in all, redirects included, in seconds. What a fetch waits here for its
turn does not count.
"""


class AnswerTime:
    """What is left of `TIME_S` for one fetch, and whether anything was heard in it.

    Args:
        clock: all time.
    """

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.heard = asyncio.Event()
        self._left_s = TIME_S

    @asynccontextmanager
    async def of(self, target: Target) -> AsyncIterator[None]:
        """A part of the fetch, which takes of it.

        Args:
            target: who is asked.

        Raises:
            Refused: it is over, and something was heard: what drips would do so again.
            Unavailable: it is over, and nothing was heard: somebody may only have been away.
        """
        since = self.clock.elapsed()
        try:
            async with self.clock.timeout(self._left_s):
                yield
        except TimeoutError:
            kind = Refused if self.heard.is_set() else Unavailable
            raise kind(_late(target.authority)) from None
        self._left_s -= self.clock.elapsed() - since


def late_answer(args: FrozenJson) -> TimeLimit:
    """What becomes of a call whose service does not answer.

    Args:
        args: the call's; where its `url` is none yet, the service has no name.
    """
    url = args.get("url")
    try:
        asked = parse_url(url).authority if isinstance(url, str) else "the service"
    except InvalidInput:
        asked = "the service"
    return TimeLimit(TIME_S, _late(asked), passing=True)


def _late(asked: str) -> str:
    return f"{asked} did not answer in full within {TIME_S:g} s"
