"""How a model's own count of tokens compares with ours, learned from what its service reports. Pure.

A local count is off by much the same factor each time: another tokenizer, prompts that are wrapped in a template. So
one ratio per model is kept, moved towards each report, and bounded, so that one odd report cannot spoil it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.jsontypes import Json, JsonObject
from sulla.models.catalog import ModelName

LOWEST, HIGHEST = 0.5, 3.0
"""The ratio stays between these, whatever is reported."""

LEAST_TOKENS = 50
"""A shorter request tells nothing: what surrounds it outweighs it."""

IMPLAUSIBLE = 0.25
"""A report below this share of the prediction counts only what was read anew, not what was sent: it tells nothing."""

GAIN = 0.3
"""The least that a report moves the ratio by, as a share of the difference. The first ones count for more."""

SETTLED_TURNS = 5
"""After so many reports a prediction is within `SETTLED_MARGIN` of what the service will report (issue 2)."""

FIRST_MARGIN, SETTLED_MARGIN = 0.10, 0.03
"""What `Calibration.at_most` adds, before and after it has settled."""

MOST_MODELS = 64
"""How many models `Calibrations` remembers."""

_FIRST_RATIOS = {"anthropic": 1.3, "offline": 1.0}
"""Newer Claude models cut a text into some 30 % more tokens than cl100k_base does."""

_FIRST_RATIO = 1.1
"""Of any other: models that people run themselves have 1.0 to 1.1."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What is known of one model.

    Raises:
        ValueError: `ratio` is outside its bounds or `turns` is negative.
    """

    ratio: float
    """The service's tokens for each of ours."""
    turns: int = 0
    """How many reports it rests on."""

    def __post_init__(self) -> None:
        """Refuse what no report can lead to."""
        if not LOWEST <= self.ratio <= HIGHEST or self.turns < 0:
            raise ValueError(f"expected a ratio from {LOWEST} to {HIGHEST} and turns >= 0, got {self!r}")

    @property
    def settled(self) -> bool:
        """Whether enough was reported to rely on it."""
        return self.turns >= SETTLED_TURNS

    def predict(self, counted: int) -> int:
        """What the service will report.

        Args:
            counted: our own count of the whole request: prompt, tools and messages.
        """
        return math.ceil(counted * self.ratio)

    def at_most(self, counted: int) -> int:
        """The same with a margin: what a ceiling has to hold for."""
        margin = SETTLED_MARGIN if self.settled else FIRST_MARGIN
        return math.ceil(counted * self.ratio * (1 + margin))

    def room(self, ceiling_tokens: int) -> int:
        """The inverse of `at_most`: how much by our own count fits below the service's ceiling."""
        margin = SETTLED_MARGIN if self.settled else FIRST_MARGIN
        fits = int(ceiling_tokens / (self.ratio * (1 + margin)))
        while fits and self.at_most(fits) > ceiling_tokens:  # rounding
            fits -= 1
        return fits

    def observe(self, counted: int, reported: int) -> Calibration:
        """Learn from one call.

        Args:
            counted: our own count of the whole request, as given to `predict`.
            reported: what the service counted, cached tokens included.
        """
        if counted < LEAST_TOKENS or reported < counted * self.ratio * IMPLAUSIBLE:
            return self
        seen = min(max(reported / counted, LOWEST), HIGHEST)
        gain = max(1 / (self.turns + 1), GAIN)
        # Between bounds, so it stays between them; rounding alone could step over.
        ratio = min(max(self.ratio + gain * (seen - self.ratio), LOWEST), HIGHEST)
        return Calibration(ratio, self.turns + 1)

    def to_json(self) -> JsonObject:
        """As it is kept."""
        return {"ratio": self.ratio, "turns": self.turns}


def first_calibration(model: ModelName) -> Calibration:
    """What is assumed of a model that has reported nothing yet."""
    return Calibration(_FIRST_RATIOS.get(model.provider, _FIRST_RATIO))


def calibration_from_json(value: Json) -> Calibration:
    """The inverse of `Calibration.to_json`.

    Raises:
        CorruptRecord: `value` is not a calibration.
    """
    match value:
        case {"ratio": int() | float() as ratio, "turns": int() as turns}:
            if (
                LOWEST <= ratio <= HIGHEST
                and turns >= 0
                and not isinstance(ratio, bool)
                and not isinstance(turns, bool)
            ):
                return Calibration(float(ratio), turns)
    raise CorruptRecord(f"not a calibration: {str(value)[:200]!r}")


class Calibrations:
    """What is known of each model. The one that was looked at longest ago is forgotten first.

    Keys are of the caller's choosing, e.g. ``str(model)``; counts made in two ways (estimated, exact) need two keys.

    Args:
        known: from `to_json`'s form, read by `calibration_from_json`.
    """

    __slots__ = ("_known",)

    def __init__(self, known: Mapping[str, Calibration] | None = None) -> None:
        self._known: dict[str, Calibration] = {}
        for key, calibration in (known or {}).items():
            self._keep(key, calibration)

    def of(self, key: str, model: ModelName) -> Calibration:
        """What is known of a model, or what is assumed at first."""
        known = self._known.pop(key, None)
        if known is None:
            return first_calibration(model)
        self._known[key] = known
        return known

    def observe(self, key: str, model: ModelName, counted: int, reported: int) -> Calibration:
        """Learn from one call; see `Calibration.observe`."""
        learned = self.of(key, model).observe(counted, reported)
        if learned.turns:
            self._keep(key, learned)
        return learned

    def to_json(self) -> JsonObject:
        """As it is kept."""
        return {key: calibration.to_json() for key, calibration in self._known.items()}

    def _keep(self, key: str, calibration: Calibration) -> None:
        self._known.pop(key, None)
        self._known[key] = calibration
        while len(self._known) > MOST_MODELS:
            del self._known[next(iter(self._known))]
