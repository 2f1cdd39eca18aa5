"""What models cost by the lists of their services, as far as these were looked up. Pure.

A list is right on its day, so each figure has one, and people are told it. What is not here is unpriced: a model whose
price nobody looked up, or depends on how long a request is; and each model of Ollama or of a server of one's own.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final, NamedTuple

from sulla.models.catalog import ModelName
from sulla.models.tokens.prices import Price

ANTHROPIC: Final = "Pricing, platform.claude.com"
OPENAI: Final = "Pricing, developers.openai.com"


class ListPrice(NamedTuple):
    """Of a million tokens each, in US dollars."""

    model: str
    """With its provider; dated names of the same model (``-20250929``) cost the same."""
    input: str
    output: str
    cache_read: str
    cache_write: str
    """Anthropic's is for five minutes, which is how long its cache is asked to keep things."""
    as_of: str
    """The day on which the list was looked at."""
    source: str
    """The list."""


LIST_PRICES: Final[tuple[ListPrice, ...]] = (
    ListPrice("anthropic:claude-fable-5-1", "10", "50", "0.25", "12.50", "2026-10-24", ANTHROPIC),
    ListPrice("anthropic:claude-opus-5-5", "4", "20", "0.20", "5", "2026-10-24", ANTHROPIC),
    ListPrice("anthropic:claude-opus-5", "5", "25", "0.50", "6.25", "2026-10-24", ANTHROPIC),
    ListPrice("anthropic:claude-opus-4-8", "5", "25", "0.50", "6.25", "2026-10-24", ANTHROPIC),
    ListPrice("anthropic:claude-opus-4-7", "5", "25", "0.50", "6.25", "2026-10-24", ANTHROPIC),
    ListPrice("anthropic:claude-opus-4-6", "5", "25", "0.50", "6.25", "2026-10-24", ANTHROPIC),
    ListPrice("anthropic:claude-opus-4-5", "5", "25", "0.50", "6.25", "2026-10-24", ANTHROPIC),
    ListPrice("anthropic:claude-sonnet-5-5", "2", "10", "0.10", "2.50", "2026-10-24", ANTHROPIC),
    ListPrice("anthropic:claude-sonnet-5", "2", "10", "0.20", "2.50", "2026-10-24", ANTHROPIC),
    ListPrice("anthropic:claude-sonnet-4-6", "3", "15", "0.30", "3.75", "2026-10-24", ANTHROPIC),
    ListPrice("anthropic:claude-sonnet-4-5", "3", "15", "0.30", "3.75", "2026-10-24", ANTHROPIC),
    ListPrice("anthropic:claude-haiku-4-5", "1", "5", "0.10", "1.25", "2026-10-24", ANTHROPIC),
    ListPrice("openai:gpt-6.1-sol", "2", "10", "0.10", "2.50", "2026-10-01", OPENAI),
    ListPrice("openai:gpt-6-sol", "2", "10", "0.20", "2.50", "2026-09-23", OPENAI),
    ListPrice("openai:gpt-6-luna", "0.10", "0.50", "0.01", "0.125", "2026-09-23", OPENAI),
)
"""The lists. OpenAI's are for requests of up to 272,000 tokens, which no window here reaches unless it is set."""

_BY_NAME: Final = {one.model: one for one in LIST_PRICES}
_DATED: Final = "-20"
"""How the end of a dated name begins, in this century."""


def listed(model: ModelName) -> ListPrice | None:
    """The list price of a model at its service's own address; None if nobody looked it up.

    Args:
        model: which one.
    """
    name = str(model)
    return _BY_NAME.get(name) or _BY_NAME.get(name.rpartition(_DATED)[0])


def as_price(one: ListPrice) -> Price:
    """The same, to reckon with."""
    return Price(Decimal(one.input), Decimal(one.output), Decimal(one.cache_read), Decimal(one.cache_write))
