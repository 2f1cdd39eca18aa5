"""What a model call costs, where a price is set. Pure.

A person's own prices go before the lists of services (`list_prices`), which change: a wrong price is worse than none.
A model without a price is *unpriced*, never free.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from decimal import ROUND_CEILING, Decimal, InvalidOperation
from typing import Protocol

from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError
from sulla.core.jsontypes import Json
from sulla.models.catalog import ModelName

MOST_PER_MILLION = Decimal(100_000)
"""A higher price is a mistake in the settings."""

CACHE_WRITE_FACTOR = Decimal(2)
"""A price that says nothing of cache writes takes the dearest rate in use, twice that of input."""

_FIELDS = ("input", "output", "cache_read", "cache_write")
_REQUIRED = ("input", "output")


class Used(Protocol):
    """Tokens of one call or of many; `models.TokenUsage` and `threads.Usage` are such."""

    @property
    def input_tokens(self) -> int:
        """Read in full, without those that a cache gave or kept."""

    @property
    def output_tokens(self) -> int:
        """Written."""

    @property
    def cache_read_tokens(self) -> int:
        """Read from the service's cache."""

    @property
    def cache_write_tokens(self) -> int:
        """Read in full and put into the service's cache."""


@dataclass(frozen=True, slots=True)
class Price:
    """Of a million tokens each, in the unit of whatever currency the settings speak of."""

    input: Decimal
    output: Decimal
    cache_read: Decimal
    cache_write: Decimal

    def cost_micro(self, used: Used) -> int:
        """What it costs, in millionths, rounded up."""
        exact = (
            self.input * used.input_tokens
            + self.output * used.output_tokens
            + self.cache_read * used.cache_read_tokens
            + self.cache_write * used.cache_write_tokens
        )
        return int(exact.to_integral_value(ROUND_CEILING))


class Prices:
    """The price table.

    Args:
        table: by model as in `SULLA_MODEL`, e.g. ``anthropic:claude-x``; a name that ends in ``*`` stands for all that
            begin so, the longest such name first.
        else_of: gives the price of a model that the table has not; None where nobody knows it.
    """

    __slots__ = ("_else_of", "_exact", "_prefixes")

    def __init__(
        self, table: Mapping[str, Price], else_of: Callable[[ModelName], Price | None] = lambda model: None
    ) -> None:
        self._else_of = else_of
        self._exact = {name: price for name, price in table.items() if not name.endswith("*")}
        prefixes = [(name[:-1], price) for name, price in table.items() if name.endswith("*")]
        self._prefixes = tuple(sorted(prefixes, key=lambda entry: -len(entry[0])))

    def of(self, model: ModelName) -> Price | None:
        """The model's price, or None if it is unpriced."""
        name = str(model)
        exact = self._exact.get(name)
        if exact is not None:
            return exact
        found = next((price for prefix, price in self._prefixes if name.startswith(prefix)), None)
        return found if found is not None else self._else_of(model)

    def has(self, model: ModelName) -> bool:
        """Whether the table itself has a price for the model."""
        name = str(model)
        return name in self._exact or any(name.startswith(prefix) for prefix, _ in self._prefixes)

    def cost_micro(self, used: Used, model: ModelName) -> int | None:
        """What it costs, in millionths, rounded up; None, and never 0, if the model is unpriced."""
        price = self.of(model)
        return None if price is None else price.cost_micro(used)


def read_prices(
    table: Mapping[str, Json],
    place: str = "prices",
    else_of: Callable[[ModelName], Price | None] = lambda model: None,
) -> Prices:
    """Make the table from settings.

    ``cache_read`` may be left out, then cached tokens cost as much as others; ``cache_write`` too, then they cost twice
    as much: an unknown price is taken too high rather than too low.

    Args:
        table: by model: ``{"input": 3, "output": "15.00", "cache_read": 0.3, "cache_write": 3.75}``.
        place: where it stands in the settings, for messages.
        else_of: see `Prices`.

    Raises:
        SettingsError: a price is missing, unknown, negative or no number.
    """
    return Prices({name: _price(value, f"{place}.{name!r}") for name, value in table.items()}, else_of)


def _price(value: Json, place: str) -> Price:
    if not isinstance(value, dict):
        raise SettingsError(f"{place} is {value!r}; expected a table with {', '.join(_REQUIRED)}")
    for key in value:
        if key not in _FIELDS:
            near = difflib.get_close_matches(key, _FIELDS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"expected {', '.join(_FIELDS)}"
            raise SettingsError(f"{place} has an unknown key {key!r}: {hint}")
    missing = [key for key in _REQUIRED if key not in value]
    if missing:
        raise SettingsError(f"{place} lacks {missing[0]!r}: the price of a million tokens")
    given = {key: _amount(amount, f"{place}.{key}") for key, amount in value.items()}
    return Price(
        given["input"],
        given["output"],
        given.get("cache_read", given["input"]),
        given.get("cache_write", given["input"] * CACHE_WRITE_FACTOR),
    )


def _amount(value: Json, place: str) -> Decimal:
    expected = f"expected a number from 0 to {MOST_PER_MILLION}, the price of a million tokens"
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise SettingsError(f"{place} is {value!r}; {expected}")
    try:
        amount = Decimal(str(value))
    except InvalidOperation as error:
        raise SettingsError(f"{place} is {value!r}; {expected}") from error
    if not amount.is_finite() or not 0 <= amount <= MOST_PER_MILLION:
        raise SettingsError(f"{place} is {value!r}; {expected}")
    return amount
