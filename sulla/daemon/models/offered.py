"""The models that services offer, for whoever looks for another one."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable

from sulla.agent.rpc import ModelRow, Models
from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import SullaError
from sulla.daemon.models.check import START_S
from sulla.daemon.models.providers import known_models
from sulla.host.sections import ModelSettings
from sulla.models.catalog import OFFLINE, ModelName, parse_model

MOST_OFFERED = 200
"""So many models of one service are told; OpenAI lists about a hundred."""


@dataclass(frozen=True, slots=True)
class OfferedModels:
    """Asks the services that agents use what they have. Nothing is paid for that. It lives as long as the daemon.

    Args:
        settings: the keys and addresses.
        clock: for the deadlines.
    """

    settings: ModelSettings
    clock: Clock

    async def list(self, agents: Iterable[tuple[str, str]]) -> Models:
        """The models that agents have, the others that the same services offer, and who did not answer.

        Args:
            agents: the id of each, and its model.
        """
        whose: dict[str, tuple[str, ...]] = {}
        for agent, model in agents:
            whose[model] = (*whose.get(model, ()), agent)
        services = sorted({parse_model(model).provider for model in whose} - {OFFLINE})
        found = await asyncio.gather(*map(self._of, services))
        others = {name: () for names, _ in found for name in names if name not in whose}
        rows = (ModelRow(name, ids) for name, ids in (whose | others).items())
        return Models(tuple(rows), tuple(trouble for _, trouble in found if trouble))

    async def _of(self, provider: str) -> tuple[Collection[str], str]:
        """What a service has, by whole names, or why nobody knows."""
        try:
            names = await known_models(self.settings, ModelName(provider), self.clock, START_S)
        except SullaError as error:
            return (), error.message
        return [str(ModelName(provider, name)) for name in names[:MOST_OFFERED]], ""
