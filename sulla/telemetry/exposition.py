"""A tally in the form that Prometheus reads."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Metric, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from sulla.core.dataclass import dataclass
from sulla.telemetry.reading import Gauge, MetricReading


@dataclass(frozen=True, slots=True, eq=False)
class _ReadingCollector(Collector):
    """Shows a reading as metric families. Two are never the same: a registry looks them up."""

    reading: MetricReading

    def collect(self) -> Iterable[Metric]:
        """Every family."""
        for gauge in self.reading.gauges:
            yield _gauge(gauge)
        for counter, counts in self.reading.counts:
            family = CounterMetricFamily(counter.name, counter.help, labels=counter.labels)
            for labels, count in counts.items():
                family.add_metric(labels, count)
            yield family
        for histogram, spreads in self.reading.spreads:
            shown = HistogramMetricFamily(histogram.name, histogram.help, labels=histogram.labels)
            bounds = [*map(str, histogram.buckets_s), "+Inf"]
            for labels, spread in spreads.items():
                buckets = list(zip(bounds, map(float, spread.counts), strict=True))
                shown.add_metric(labels, buckets, spread.sum_s)
            yield shown


def expose(reading: MetricReading, accept: str) -> tuple[str, bytes]:
    """A reading as text, beside what the system says of this process.

    Args:
        reading: what was counted.
        accept: the forms that the client understands, as in the HTTP header of that name.

    Returns:
        The content type, and the text.
    """
    registry = CollectorRegistry()  # one of its own: nothing that a library counts by the way is shown
    registry.register(_ReadingCollector(reading))
    ProcessCollector(registry=registry)
    encode, content_type = choose_encoder(accept)
    return content_type, encode(registry)


def _gauge(gauge: Gauge) -> Metric:
    kind = CounterMetricFamily if gauge.rises else GaugeMetricFamily
    family = kind(gauge.name, gauge.help, labels=gauge.labels)
    for values, value in gauge.values.items():
        family.add_metric(values, value)
    return family
