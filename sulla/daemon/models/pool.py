"""The models that agents answer with."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping

from sulla.agent.limits.ledger import Ledger
from sulla.agent.model.breaker import Breaker, BreakerLimits
from sulla.agent.model.model import Model
from sulla.agent.model.token_estimator import ModelInfo, TokenEstimator
from sulla.core.clock import Clock
from sulla.core.errors import SettingsError
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import Json
from sulla.daemon.models.choice import Choice
from sulla.daemon.models.prices import prices_of
from sulla.daemon.models.providers import asker, make_provider, native_tools, service_address
from sulla.daemon.models.ranks import LazyRanks
from sulla.daemon.settings.config import Settings
from sulla.host.place import Place
from sulla.models.base import Provider, Warmable
from sulla.models.catalog import OFFLINE, parse_model, window_of
from sulla.models.tokens.calibration import Calibrations
from sulla.models.wire.failures import is_loopback

log = logging.getLogger(__name__)

HERE = BreakerLimits(open_s=2.0, max_open_s=10.0)
"""For a service on this machine: it fails fast, and whoever starts it again sits before it. The figures are ours."""


class ModelPool:
    """The models that agents answer with, each made once, however many agents it has. It lives as long as the daemon.

    Args:
        settings: everything that can be set.
        choice: the daemon's own model.
        place: what the daemon stands on.
        ledger: what all agents use.
        ranks: who counts near a ceiling.
        written: says where the name of a model stands that is not the daemon's own, for messages.
    """

    def __init__(
        self,
        settings: Settings,
        choice: Choice,
        place: Place,
        ledger: Ledger,
        ranks: LazyRanks,
        written: Callable[[str], str],
    ) -> None:
        self._settings = settings
        self.choice = choice
        self._place = place
        self._ledger = ledger
        self._ranks = ranks
        self._written = written
        self._made: dict[str, Model] = {}
        self._warmed: dict[str, None] = {}
        """Those that were loaded, or cannot be."""
        self._warming = asyncio.Lock()
        self.home = self.of("")

    def of(self, name: str) -> Model:
        """The model of that name; the daemon's own if it is empty.

        Raises:
            SettingsError: it names no known provider.
        """
        choice = Choice(parse_model(name), "the agent says so") if name else self.choice
        key = str(choice.model)
        if key not in self._made:
            self._made[key] = self._make(choice, self._written(name) if name else "")
        return self._made[key]

    @property
    def clock(self) -> Clock:
        """All time."""
        return self._place.clock

    @property
    def breakers(self) -> Mapping[str, Breaker]:
        """Of each model's service, by the model's name."""
        return {name: model.breaker for name, model in self._made.items()}

    @property
    def without_tools(self) -> list[Json]:
        """The names of the models whose services have refused tools since the start."""
        return [name for name, model in self._made.items() if model.tool_use.refused]

    async def warm(self) -> None:
        """Load what the models' services need, one after the other and each once; whoever comes meanwhile waits. What
        cannot be loaded is for the first turn to say.
        """
        if self._warmed.keys() == self._made.keys():
            return
        async with self._warming:
            for name, model in [*self._made.items()]:
                if name not in self._warmed and isinstance(model.provider, Warmable):
                    try:
                        await model.provider.warm()
                    except SettingsError as error:
                        log.warning("the model %s cannot be asked: %s", name, error.message)
                self._warmed[name] = None

    async def before(self, attend: Callable[[ThreadId], Awaitable[None]], thread_id: ThreadId) -> None:
        """Attend to a thread once its agents' models are loaded: a run's time begins with the run, and what it may
        take of that is not spent on loading.

        Args:
            attend: takes a thread's turns.
            thread_id: which thread.
        """
        await self.warm()
        await attend(thread_id)

    async def close(self) -> None:
        """Let go of every service."""
        for model in self._made.values():
            await model.provider.close()

    def _make(self, choice: Choice, named_in: str) -> Model:
        settings = self._settings
        if choice.model != self.choice.model:
            # The setting speaks of the daemon's own model; another one has what its provider usually has.
            settings = settings.model_copy(update={"model": settings.model.model_copy(update={"window_tokens": 0})})
        provider: Provider = self._place.wrap_provider(make_provider(settings, choice, self._place, named_in))
        window = window_of(choice.model, settings.model.window_tokens)
        stand_in = parse_model(settings.model.fallback) if settings.model.fallback else None
        metered = choice.model.provider != OFFLINE
        native = native_tools(settings.model, choice.model.provider)
        info = ModelInfo(choice.model, window, prices_of(settings), stand_in, metered, native)
        estimator = TokenEstimator(info, Calibrations(), self._ranks, asker(provider))
        breaker = Breaker(HERE if is_loopback(service_address(settings.model, choice.model.provider)) else None)
        return Model(provider, estimator, self._ledger, breaker, self._place.jitter)
