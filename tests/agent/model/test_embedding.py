"""Embeddings are asked for within the day's limits, and paid for whatever comes of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sulla.agent.limits.ledger import DayLimits, Ledger
from sulla.agent.model.breaker import Breaker
from sulla.agent.model.embedding import embed
from sulla.agent.model.model import Model
from sulla.agent.model.token_estimator import ModelInfo, TokenEstimator
from sulla.core.errors import LimitReached, ProviderTransient, ProviderUnreachable, SettingsError
from sulla.models.catalog import parse_model
from sulla.models.tokens.calibration import Calibrations
from sulla.models.tokens.prices import Prices
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider


class Places(ScriptedProvider):
    """Gives every text one place, or fails."""

    error: Exception | None = None

    async def embed(self, model: str, texts: Sequence[str], timeout_s: float = 1.0) -> list[list[float]]:
        assert (model, timeout_s) == ("nomic", 7.0)
        if self.error is not None:
            raise self.error
        return [[1.0, 0.0]] * len(texts)


def model_of(provider: ScriptedProvider, day: int = 1_000) -> Model:
    info = ModelInfo(parse_model("ollama:nomic"), 8_000, Prices({}))
    return Model(provider, TokenEstimator(info, Calibrations()), Ledger(DayLimits(day)), Breaker(), lambda: 0.0)


async def test_a_call_is_charged_to_the_day_and_not_made_beyond_it(manual_clock: ManualClock) -> None:
    model = model_of(Places([]), 20)
    assert await embed(model, ["some words"] * 2, "emb_1", manual_clock, 7.0) == [[1.0, 0.0]] * 2
    used = model.ledger.used(manual_clock.now()).tokens
    assert 0 < used <= 20
    with pytest.raises(LimitReached):
        await embed(model, ["many words " * 50], "emb_2", manual_clock, 7.0)
    assert model.ledger.used(manual_clock.now()).tokens == used


async def test_what_was_asked_in_vain_is_charged_and_a_service_that_fails_is_left_alone(
    manual_clock: ManualClock,
) -> None:
    provider = Places([])
    model = model_of(provider)
    provider.error = ProviderTransient("overloaded")
    for number in range(10):
        with pytest.raises(ProviderTransient):
            await embed(model, ["words"], f"emb_{number}", manual_clock, 7.0)
    used = model.ledger.used(manual_clock.now()).tokens
    assert used > 0
    provider.error = None
    with pytest.raises(ProviderTransient, match="left alone"):
        await embed(model, ["words"], "emb_x", manual_clock, 7.0)
    assert model.ledger.used(manual_clock.now()).tokens == used
    await manual_clock.advance(3600.0)
    assert await embed(model, ["words"], "emb_y", manual_clock, 7.0) == [[1.0, 0.0]]


async def test_a_service_that_was_never_asked_costs_nothing(manual_clock: ManualClock) -> None:
    provider = Places([])
    provider.error = ProviderUnreachable("nobody is there")
    model = model_of(provider)
    with pytest.raises(ProviderUnreachable):
        await embed(model, ["words"], "emb_1", manual_clock, 7.0)
    asked = provider.error.asked if isinstance(provider.error, ProviderUnreachable) else True
    assert bool(model.ledger.used(manual_clock.now()).tokens) is asked


async def test_a_model_that_embeds_nothing_is_named(manual_clock: ManualClock) -> None:
    with pytest.raises(SettingsError, match="'ollama:nomic' is no embedding model"):
        await embed(model_of(ScriptedProvider([])), ["words"], "emb_1", manual_clock, 7.0)
