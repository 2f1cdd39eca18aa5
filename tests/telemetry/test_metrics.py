"""A scrape is what Prometheus reads, and it holds nobody up."""

from __future__ import annotations

import subprocess
import sys

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_open
from prometheus_client.parser import text_string_to_metric_families as read

from sulla.telemetry import families as of
from sulla.telemetry.exposition import expose
from sulla.telemetry.families import new_tally
from sulla.telemetry.metrics import Metrics
from sulla.telemetry.reading import Gauge, MetricReading

OPEN = "application/openmetrics-text; version=1.0.0"


@pytest.fixture
def metrics() -> Metrics:
    """Some figures."""
    tally = new_tally()
    tally.count(of.TURNS, "sulla", "done", by=3)
    tally.observe(of.TURN_S, 0.2, "sulla")
    tally.observe(of.TURN_S, 7000.0, "sulla")
    gauges = (
        Gauge("sulla_ready", "Whether.", {(): 1.0}),
        Gauge("sulla_loop_stalls", "How often.", {(): 2.0}, rises=True),
        Gauge("sulla_trouble", "What.", {('with "quotes"\n',): 1.0}, ("what",)),
    )
    return Metrics(tally, lambda: gauges)


@pytest.mark.parametrize(("accept", "parse"), [("", read), ("text/plain", read), (OPEN, read_open)])
async def test_the_figures_are_there_in_the_form_that_is_asked_for(
    metrics: Metrics, accept: str, parse: type[object]
) -> None:
    content_type, text = await metrics.scrape(accept)
    assert content_type.startswith(accept.partition(";")[0] or "text/plain")
    samples = {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in parse(text.decode())  # type: ignore[call-arg, attr-defined]  # a function that gives families
        for sample in family.samples
    }
    assert samples["sulla_turns_total", ("agent", "sulla"), ("outcome", "done")] == 3
    assert samples["sulla_ready",] == 1
    assert samples["sulla_loop_stalls_total",] == 2
    assert samples["sulla_trouble", ("what", 'with "quotes"\n')] == 1
    assert samples["sulla_turn_duration_seconds_bucket", ("agent", "sulla"), ("le", "0.25")] == 1
    assert samples["sulla_turn_duration_seconds_bucket", ("agent", "sulla"), ("le", "+Inf")] == 2
    assert samples["sulla_turn_duration_seconds_sum", ("agent", "sulla")] == 7000.2
    assert samples["process_resident_memory_bytes",] > 1e6


def test_what_libraries_count_by_the_way_is_not_shown() -> None:
    _, text = expose(MetricReading((), (), ()), "")
    assert {line.partition("_")[0] for line in text.decode().splitlines() if not line.startswith("#")} == {"process"}


def test_no_library_is_loaded_before_anybody_asks() -> None:
    line = "import sulla.daemon.run, sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    assert {"prometheus_client", "structlog", "opentelemetry.sdk"}.isdisjoint(run.stdout.split())
    assert "sulla.telemetry.metrics" in run.stdout.split()


def test_names_follow_the_conventions() -> None:
    tally = new_tally()
    for counter, _ in tally.counted():
        assert counter.name.startswith("sulla_")
        assert not counter.name.endswith("_total"), "the exposition adds it"
        assert counter.help.endswith(".")
    for histogram, _ in tally.observed():
        assert histogram.name.endswith("_seconds")
        assert list(histogram.buckets_s) == sorted(histogram.buckets_s)
