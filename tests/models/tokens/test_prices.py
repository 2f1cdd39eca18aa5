"""Money is exact, rounded up, and unknown where no price is set."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.errors import SettingsError
from sulla.core.jsontypes import Json
from sulla.core.units import MICRO
from sulla.models.base import TokenUsage
from sulla.models.catalog import ModelName
from sulla.models.tokens.prices import Price, Prices, read_prices
from sulla.threads.log.usage import Usage as KeptUsage

SONNET = ModelName("anthropic", "claude-sonnet-x")
FULL: Json = {"input": 3, "output": "15.00", "cache_read": 0.3, "cache_write": 3.75}
COUNTS = st.integers(min_value=0, max_value=10**9)
AMOUNTS = st.decimals(min_value=0, max_value=1000, places=4)


def _of(**prices: Json) -> Prices:
    return read_prices({str(SONNET): dict(prices)})


def test_each_kind_of_token_has_its_price() -> None:
    prices = read_prices({str(SONNET): FULL})
    used = TokenUsage(input_tokens=1000, output_tokens=100, cache_read_tokens=10_000, cache_write_tokens=2000)
    assert prices.cost_micro(used, SONNET) == 3000 + 1500 + 3000 + 7500


def test_a_million_tokens_cost_their_price() -> None:
    assert _of(input=3, output=15).cost_micro(TokenUsage(input_tokens=1_000_000), SONNET) == 3 * MICRO


def test_what_is_less_than_a_millionth_is_rounded_up() -> None:
    prices = _of(input="0.05", output=1)
    assert prices.cost_micro(TokenUsage(input_tokens=1), SONNET) == 1
    assert prices.cost_micro(TokenUsage(input_tokens=21), SONNET) == 2
    assert prices.cost_micro(TokenUsage(), SONNET) == 0


def test_a_price_written_as_a_float_is_taken_as_it_reads() -> None:
    assert _of(input=0.1, output=0).cost_micro(TokenUsage(input_tokens=30), SONNET) == 3


def test_an_unpriced_model_costs_nobody_knows_what() -> None:
    assert (
        read_prices({str(SONNET): FULL}).cost_micro(TokenUsage(1, 1), ModelName("anthropic", "claude-opus-x")) is None
    )
    assert read_prices({}).cost_micro(TokenUsage(), SONNET) is None


def test_free_is_a_price() -> None:
    prices = read_prices({"ollama:*": {"input": 0, "output": 0}})
    assert prices.cost_micro(TokenUsage(5000, 5000), ModelName("ollama", "qwen3:8b")) == 0


def test_an_unknown_cache_price_is_taken_too_high_rather_than_too_low() -> None:
    prices = _of(input=3, output=15)
    assert prices.cost_micro(TokenUsage(cache_read_tokens=100), SONNET) == 300
    assert prices.cost_micro(TokenUsage(cache_write_tokens=100), SONNET) == 600


@pytest.mark.parametrize(
    ("model", "cost"),
    [("claude-sonnet-x", 1), ("claude-sonnet-y", 2), ("claude-sonnet", 3), ("claude-opus", 3), ("other", None)],
)
def test_the_exact_name_wins_and_then_the_longest_beginning(model: str, cost: int | None) -> None:
    names = {"anthropic:claude-sonnet-x": 1, "anthropic:claude-*": 3, "anthropic:claude-sonnet-*": 2}
    prices = read_prices({name: {"input": price, "output": 0} for name, price in names.items()})
    assert prices.cost_micro(TokenUsage(input_tokens=1), ModelName("anthropic", model)) == cost


def test_usage_in_either_form_costs_the_same() -> None:
    prices = read_prices({str(SONNET): FULL})
    assert prices.cost_micro(TokenUsage(1, 2, 3, 4), SONNET) == prices.cost_micro(KeptUsage(1, 2, 3, 4), SONNET)


@given(st.builds(Price, AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS), st.builds(TokenUsage, COUNTS, COUNTS, COUNTS, COUNTS))
def test_a_cost_is_exact_up_to_the_last_millionth(price: Price, used: TokenUsage) -> None:
    exact = (
        price.input * used.input_tokens
        + price.output * used.output_tokens
        + price.cache_read * used.cache_read_tokens
        + price.cache_write * used.cache_write_tokens
    )
    assert exact <= price.cost_micro(used) < exact + 1


@pytest.mark.parametrize(
    ("price", "words"),
    [
        (3, "expected a table"),
        ({"input": 3}, "lacks 'output'"),
        ({}, "lacks 'input'"),
        ({"input": 3, "output": 1, "cache_reed": 1}, "did you mean 'cache_read'"),
        ({"input": 3, "output": 1, "xyz": 1}, "expected input, output, cache_read, cache_write"),
        ({"input": -1, "output": 1}, "from 0 to 100000"),
        ({"input": True, "output": 1}, "expected a number"),
        ({"input": None, "output": 1}, "expected a number"),
        ({"input": "three", "output": 1}, "expected a number"),
        ({"input": "NaN", "output": 1}, "expected a number"),
        ({"input": float("inf"), "output": 1}, "expected a number"),
        ({"input": 100_001, "output": 1}, "expected a number"),
    ],
)
def test_a_bad_price_is_named_with_its_place(price: Json, words: str) -> None:
    with pytest.raises(SettingsError, match=words) as raised:
        read_prices({"anthropic:claude-x": price}, "money.prices")
    assert raised.value.message.startswith("money.prices.'anthropic:claude-x'")


def test_prices_are_exact_decimals() -> None:
    price = read_prices({str(SONNET): FULL}).of(SONNET)
    assert price == Price(Decimal(3), Decimal("15.00"), Decimal("0.3"), Decimal("3.75"))
