"""What `GET /metrics` answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from sulla.core.dataclass import dataclass
from sulla.telemetry.reading import Gauge, MetricReading
from sulla.telemetry.tally import Tally


@dataclass(frozen=True, slots=True)
class Metrics:
    """Reads on the loop what is counted there, and shows it on a thread: a scrape holds nobody up."""

    tally: Tally
    gauges: Callable[[], Iterable[Gauge]]
    """Asked at each scrape."""

    def read(self) -> MetricReading:
        """What there is now."""
        return MetricReading(tuple(self.gauges()), tuple(self.tally.counted()), tuple(self.tally.observed()))

    async def scrape(self, accept: str) -> tuple[str, bytes]:
        """The metrics as text.

        Args:
            accept: the forms that the client understands, as in the HTTP header of that name.

        Returns:
            The content type, and the text.
        """
        return await asyncio.to_thread(_expose, self.read(), accept)


def _expose(reading: MetricReading, accept: str) -> tuple[str, bytes]:
    from sulla.telemetry.exposition import expose  # its library takes some 40 ms and 3 MiB: not before anybody asks

    return expose(reading, accept)
