"""Everything that is measured, as it was at one moment. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from sulla.core.dataclass import dataclass
from sulla.telemetry.tally import Counter, Distribution, Histogram, Labels


@dataclass(frozen=True, slots=True)
class Gauge:
    """A metric that is not counted but asked for at each scrape."""

    name: str
    help: str
    values: Mapping[Labels, float]
    """By label values; with ``()`` for one without labels."""
    labels: Labels = ()
    rises: bool = False
    """Whether it only goes up: then it is shown as a counter."""


@dataclass(frozen=True, slots=True)
class MetricReading:
    """All metrics of a process at one moment: what one scrape shows."""

    gauges: tuple[Gauge, ...]
    counts: tuple[tuple[Counter, dict[Labels, float]], ...]
    spreads: tuple[tuple[Histogram, dict[Labels, Distribution]], ...]
