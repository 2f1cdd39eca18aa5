"""The list of prices can be reckoned with, and says nothing of models that nobody looked up."""

from __future__ import annotations

from datetime import date

import pytest

from sulla.models.base import TokenUsage
from sulla.models.catalog import ModelName, parse_model
from sulla.models.tokens.list_prices import LIST_PRICES, as_price, listed


def test_each_row_is_a_price_of_a_model_on_a_day() -> None:
    assert len({one.model for one in LIST_PRICES}) == len(LIST_PRICES)
    for one in LIST_PRICES:
        assert listed(parse_model(one.model)) is one
        price = as_price(one)
        assert 0 < price.cache_read < price.input < price.output, one.model
        assert price.input < price.cache_write < price.output, one.model
        assert date.fromisoformat(one.as_of).year >= 2026
        assert one.source


def test_a_dated_name_costs_what_its_model_does() -> None:
    plain = listed(ModelName("anthropic", "claude-haiku-4-5"))
    assert plain is not None
    assert listed(ModelName("anthropic", "claude-haiku-4-5-20251001")) is plain
    assert as_price(plain).cost_micro(TokenUsage(1_000_000, 1_000_000)) == 6_000_000


@pytest.mark.parametrize("name", ["ollama:qwen3:8b", "anthropic:claude-x", "openai:claude-haiku-4-5", "anthropic:-20"])
def test_of_other_models_nothing_is_said(name: str) -> None:
    assert listed(parse_model(name)) is None
