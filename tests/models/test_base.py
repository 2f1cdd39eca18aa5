"""The values of the promise."""

from __future__ import annotations

from sulla.models.base import TokenUsage


def test_every_token_counts_in_the_total() -> None:
    assert TokenUsage(1, 20, 300, 4000).total == 4321
