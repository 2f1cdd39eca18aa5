"""The way between a simulated process and the store's machine: it takes its time, and things are lost on it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, Literal, TypeVar

from sulla.core.errors import StoreUnavailable, SullaError
from tests.simulation.clock import at_once
from tests.simulation.loop import SimulatedLoop

T = TypeVar("T")

LATE_S = 2.0
"""What is late is done within so many seconds."""

Fate = Literal["fine", "refused", "lost", "late"]
"""`refused`: nothing is done. `lost`: it is done and the answer does not come. `late`: it is done after the caller was
told that it failed."""


@dataclass(frozen=True, slots=True)
class Weather:
    """How likely faults are, each from 0 to 1."""

    refused: float = 0.0
    lost: float = 0.0
    late: float = 0.0
    signals_lost: float = 0.0
    signals_doubled: float = 0.0
    slow_s: float = 0.002
    """How long a message takes at the most."""


class Wire:
    """One process's way to the store's machine.

    Args:
        loop: whose time it takes.
        random: draws what happens.
        weather: how likely faults are now.
        told: hears of each call: method, log, what becomes of it.
    """

    def __init__(
        self,
        loop: SimulatedLoop,
        random: Random,
        weather: Callable[[], Weather],
        told: Callable[[str, str, Fate], None],
    ) -> None:
        self.cut = False
        """Nothing gets through."""
        self._loop = loop
        self._random = random
        self._weather = weather
        self._told = told
        self._context = loop.context_of(loop.world)

    async def call(self, method: str, key: str, ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Have the store's machine do something.

        Raises:
            StoreUnavailable: so it seems.
        """
        reply: Any = self._loop.create_future()
        fate, there_s, back_s = self._fate(), self._takes(), self._takes()
        self._told(method, key, fate)

        def serve() -> None:
            try:
                answer = at_once(ask())
            except (SullaError, ValueError) as failure:
                settle = partial(reply.set_exception, failure)
            else:
                settle = partial(reply.set_result, answer)
            if fate == "fine":
                self._later(back_s, lambda: reply.done() or settle())

        if fate != "fine":
            error = StoreUnavailable(f"simulated: {method} {fate}")
            self._later(there_s + back_s, lambda: reply.done() or reply.set_exception(error))
        if fate != "refused":
            self._later(there_s + (self._random.random() * LATE_S if fate == "late" else 0.0), serve)
        return await reply  # type: ignore[no-any-return]  # what `ask` gives

    def signal(self, send: Callable[[], None]) -> None:
        """Pass a message on the bus on: perhaps not, perhaps twice, perhaps late."""
        if self.cut or self._random.random() < self._weather().signals_lost:
            return
        for _ in range(1 + (self._random.random() < self._weather().signals_doubled)):
            self._later(self._takes(), send)

    def _later(self, delay_s: float, act: Callable[[], object]) -> None:
        self._loop.call_later(delay_s, act, context=self._context)

    def _takes(self) -> float:
        return self._random.random() * self._weather().slow_s

    def _fate(self) -> Fate:
        if self.cut:
            return "refused"
        drawn, weather = self._random.random(), self._weather()
        if drawn < weather.refused:
            return "refused"
        if drawn < weather.refused + weather.lost:
            return "lost"
        return "late" if drawn < weather.refused + weather.lost + weather.late else "fine"
