"""What the models of a home cost: by its settings, else by the lists of their services. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.units import MICRO
from sulla.daemon.settings.config import Settings
from sulla.models.catalog import ModelName
from sulla.models.tokens.list_prices import ListPrice, as_price, listed
from sulla.models.tokens.prices import Price, Prices, read_prices

_ADDRESSES: Final = {"anthropic": "anthropic_base_url", "openai": "openai_base_url"}
"""The settings that say where a service is, by its provider."""


def prices_of(settings: Settings) -> Prices:
    """The prices.

    Args:
        settings: have the home's own, and say where services are.

    Raises:
        SettingsError: one of the home's own is no price.
    """

    def by_list(model: ModelName) -> Price | None:
        found = listed_for(settings, model)
        return as_price(found) if found is not None else None

    return read_prices(settings.prices, else_of=by_list)


@dataclass(frozen=True, slots=True)
class _Read:
    """Tokens that a model reads."""

    input_tokens: int
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


def reading_cost(settings: Settings, model: ModelName, tokens: int) -> float | None:
    """What it costs that a model reads so many tokens, in the unit of `[prices]`; None if it is unpriced.

    Args:
        settings: as in `prices_of`.
        model: which one.
        tokens: how many, none of them cached.
    """
    cost_micro = prices_of(settings).cost_micro(_Read(tokens), model)
    return None if cost_micro is None else cost_micro / MICRO


def listed_for(settings: Settings, model: ModelName) -> ListPrice | None:
    """The list price that counts for a model; None if there is none, or the home has its own, or the model is asked at
    another address than its service's: there it may cost anything.

    Args:
        settings: as in `prices_of`.
        model: which one.
    """
    address = _ADDRESSES.get(model.provider, "")
    elsewhere = bool(address and getattr(settings.model, address))
    if elsewhere or not settings.model.list_prices or read_prices(settings.prices).has(model):
        return None
    return listed(model)
