"""Whose price counts: the home's own, then the list of the service, and nobody's at another address."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.daemon.models.prices import listed_for, prices_of
from sulla.daemon.settings.config import load_settings
from sulla.models.base import TokenUsage
from sulla.models.catalog import ModelName

HAIKU = ModelName("anthropic", "claude-haiku-4-5")
OWN = '[prices."anthropic:claude-haiku*"]\ninput = 7\noutput = 7\n'


@pytest.mark.parametrize(
    ("toml", "environ", "cost_micro"),
    [
        ("", {}, 1_000_000),
        (OWN, {}, 7_000_000),
        ("[model]\nlist_prices = false\n", {}, None),
        ("", {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}, None),
        (OWN, {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}, 7_000_000),
        ("", {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, 1_000_000),
    ],
    ids=["by the list", "its own", "without the list", "at another address", "its own, elsewhere", "another's address"],
)
def test_a_model_costs_what_the_home_says_or_else_the_list(
    tmp_path: Path, toml: str, environ: dict[str, str], cost_micro: int | None
) -> None:
    (tmp_path / "sulla.toml").write_text(toml)
    settings = load_settings(environ, {}, tmp_path)
    assert prices_of(settings).cost_micro(TokenUsage(input_tokens=1_000_000), HAIKU) == cost_micro
    assert (listed_for(settings, HAIKU) is not None) == (cost_micro == 1_000_000)
