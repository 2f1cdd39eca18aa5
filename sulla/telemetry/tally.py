"""Counts and distributions, as cheap to add to as a dictionary; the exposition has the library. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import field
from itertools import accumulate
from typing import Final

from sulla.core.dataclass import dataclass

MOST_COUNTS: Final = 200
"""Combinations of label values of one counter that are told apart; what comes after them is counted as `OTHER`."""
MOST_SPREADS: Final = 40
"""The same for a histogram: each of these is a dozen lines of a scrape."""
OTHER: Final = "other"

Labels = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Counter:
    """Something that is counted."""

    name: str
    help: str
    labels: Labels = ()


@dataclass(frozen=True, slots=True)
class Histogram:
    """Something that is measured in seconds."""

    name: str
    help: str
    buckets_s: tuple[float, ...]
    """Upper bounds, rising; one without a bound follows by itself."""
    labels: Labels = ()


@dataclass(frozen=True, slots=True)
class Distribution:
    """What was observed of a histogram with certain labels."""

    counts: tuple[int, ...]
    """For each bucket, and for the one without a bound, how many observations were at most so large."""
    sum_s: float


@dataclass(slots=True)
class _Spread:
    counts: list[int]
    sum_s: float = 0.0


@dataclass(slots=True)
class Tally:
    """What one process has counted since it began. It is added to and read on one thread.

    Raises:
        KeyError: by `count` and `observe`, for a family that is not among its own.
    """

    counters: tuple[Counter, ...]
    histograms: tuple[Histogram, ...]
    _counts: dict[str, dict[Labels, float]] = field(init=False)
    _spreads: dict[str, dict[Labels, _Spread]] = field(init=False)

    def __post_init__(self) -> None:
        # What has no labels is there from the start, so that its absence means something.
        self._counts = {family.name: {} if family.labels else {(): 0.0} for family in self.counters}
        self._spreads = {
            family.name: {} if family.labels else {(): _Spread([0] * (len(family.buckets_s) + 1))}
            for family in self.histograms
        }

    def count(self, family: Counter, *labels: str, by: float = 1.0) -> None:
        """Add to a counter.

        Args:
            family: which.
            labels: one value for each of its labels.
            by: how much; not negative.
        """
        kept = self._counts[family.name]
        known = _bounded(kept, labels, MOST_COUNTS)
        kept[known] = kept.get(known, 0.0) + by

    def observe(self, family: Histogram, seconds: float, *labels: str) -> None:
        """Add an observation to a histogram; a negative one, as a clock that was set back makes it, counts as none.

        Args:
            family: which.
            seconds: how long it took.
            labels: one value for each of its labels.
        """
        kept = self._spreads[family.name]
        known = _bounded(kept, labels, MOST_SPREADS)
        spread = kept.get(known)
        if spread is None:
            spread = kept[known] = _Spread([0] * (len(family.buckets_s) + 1))
        seconds = max(0.0, seconds)
        spread.counts[bisect_left(family.buckets_s, seconds)] += 1
        spread.sum_s += seconds

    def counted(self) -> Iterator[tuple[Counter, dict[Labels, float]]]:
        """Every counter, with a copy of what it has by label values."""
        for family in self.counters:
            yield family, dict(self._counts[family.name])

    def observed(self) -> Iterator[tuple[Histogram, dict[Labels, Distribution]]]:
        """Every histogram, with a copy of what it has by label values."""
        for family in self.histograms:
            spreads = self._spreads[family.name].items()
            yield (
                family,
                {labels: Distribution(tuple(accumulate(spread.counts)), spread.sum_s) for labels, spread in spreads},
            )


def _bounded(kept: Collection[Labels], labels: Labels, most: int) -> Labels:
    """The labels, or `OTHER` in the place of each where too many are known: names come from outside, too."""
    if labels in kept or len(kept) < most:
        return labels
    return (OTHER,) * len(labels)
