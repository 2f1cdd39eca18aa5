"""Units that several parts count in. Pure."""

from __future__ import annotations

from typing import Final

DAY_S: Final = 86_400
DAY_MS: Final = 86_400_000
"""What is limited by the day begins anew at midnight, UTC: a time divided by the unit's length is the day's number."""

MICRO: Final = 1_000_000
"""Costs are whole millionths of the currency's unit."""
