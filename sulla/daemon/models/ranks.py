"""A tokenizer that is loaded when a count first has to be exact, off the loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from sulla.core.errors import RanksUnusable
from sulla.models.tokens.estimate import CountText

log = logging.getLogger(__name__)


class LazyRanks:
    """Gives the count of a real tokenizer, once somebody asks.

    Args:
        load: gets it; takes a fifth of a second and raises `RanksUnusable` if it cannot.
    """

    def __init__(self, load: Callable[[], CountText]) -> None:
        self._load = load
        self._count: CountText | None = None
        self._asked = False
        self._lock = asyncio.Lock()

    @property
    def usable(self) -> bool | None:
        """Whether counts near a ceiling are exact; None as long as nobody has asked."""
        return self._count is not None if self._asked else None

    async def __call__(self) -> CountText | None:
        """The count of a text's tokens; None if there is no tokenizer, and then estimates have to do."""
        async with self._lock:
            if not self._asked:
                try:
                    self._count = await asyncio.to_thread(self._load)
                except RanksUnusable as error:
                    log.warning("%s", error)
                self._asked = True
        return self._count
