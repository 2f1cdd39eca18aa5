"""Tries playbooks of the home out for clients, beside the event loop and for a bounded time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from threading import Event
from typing import TYPE_CHECKING, Final, TypeVar

from sulla.core.clock import Clock
from sulla.core.errors import Aborted, TooLarge
from sulla.core.jsontypes import Json
from sulla.daemon.models.prices import reading_cost
from sulla.daemon.settings.config import Settings
from sulla.gateway.methods.rehearsals import PlaybookTested, PlaybookWays
from sulla.models.catalog import ModelName
from sulla.playbooks.catalog import PlaybookCatalog

if TYPE_CHECKING:
    from sulla.playbooks.rehearsal.told import ReadingPrices

GoOn = Callable[[], None]
"""Raises `Aborted` once nobody waits any more."""
_Answer = TypeVar("_Answer", PlaybookTested, PlaybookWays)

REHEARSAL_S: Final = 20.0
"""How long trying a playbook out may take, with what waits before it: less than a request may (`Limits.call_s`)."""


class HomePrices:
    """What it costs that the home's model reads something; see `ReadingPrices`. For one dry run.

    Args:
        settings: name the home, and its prices.
        model: the one that answers.
        clock: all time.
    """

    def __init__(self, settings: Settings, model: ModelName, clock: Clock) -> None:
        self._settings = settings
        self._model = model
        self._clock = clock

    @cached_property
    def prompt_tokens(self) -> int:
        """What the home's own agent is told before anything else, by its files as they are now: they are read here."""
        from sulla.daemon.doctor.prompt import prompt_of  # noqa: PLC0415 - few daemons ever need it

        return prompt_of(self._settings, self._clock).told_tokens

    def reading_cost(self, tokens: int) -> float | None:
        """See `ReadingPrices`."""
        return reading_cost(self._settings, self._model, tokens)


class Rehearsals:
    """Does `gateway.methods.rehearsals`. It lives as long as the daemon.

    Args:
        catalog: knows the playbooks.
        prices: says anew for each dry run what models cost; asked on a worker thread.
        clock: all time.
    """

    def __init__(self, catalog: PlaybookCatalog, prices: Callable[[], ReadingPrices], clock: Clock) -> None:
        self._catalog = catalog
        self._prices = prices
        self._clock = clock
        self._one_at_a_time = asyncio.Lock()

    async def test(self, name: str, text: str | None, most_bytes: int) -> PlaybookTested:
        """See `RehearsalService`."""
        return await self._beside(name, partial(self._tested, name, text, most_bytes))

    async def dry_run(self, name: str, inputs: Mapping[str, Json], text: str | None, most_bytes: int) -> PlaybookWays:
        """See `RehearsalService`."""
        return await self._beside(name, partial(self._ways, name, inputs, text, most_bytes))

    async def _beside(self, name: str, work: Callable[[GoOn], _Answer]) -> _Answer:
        """Do it on a worker thread, which ends soon after nobody waits for it any more."""
        left = Event()

        def go_on() -> None:
            if left.is_set():
                raise Aborted("nobody waits for this rehearsal any more")

        try:
            async with self._clock.timeout(REHEARSAL_S), self._one_at_a_time:
                await self._catalog.look()
                return await asyncio.to_thread(work, go_on)
        except TimeoutError:
            raise TooLarge(
                f"trying the playbook {name[:100]!r} out takes longer than {REHEARSAL_S:g} s, those before it included:"
                " try again later, or use `sulla flow test` and `sulla flow dry-run`, which may take their time"
            ) from None
        finally:
            left.set()

    def _tested(self, name: str, text: str | None, most_bytes: int, go_on: GoOn) -> PlaybookTested:
        from sulla.daemon.console.rehearsing import tested  # noqa: PLC0415 - it brings what reads expressions along

        return tested(self._catalog, name, text, most_bytes, go_on)

    def _ways(
        self, name: str, inputs: Mapping[str, Json], text: str | None, most_bytes: int, go_on: GoOn
    ) -> PlaybookWays:
        from sulla.daemon.console.rehearsing import ways  # noqa: PLC0415 - it brings what reads expressions along

        return ways(self._catalog, self._prices(), name, inputs, text, most_bytes, go_on)
