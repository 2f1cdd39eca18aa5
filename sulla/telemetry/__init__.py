"""The door to what a daemon tells about itself: figures, spans, its log, and whether its loop turns."""

from sulla.telemetry.beats import BEAT_S, LATE_S
from sulla.telemetry.entry import as_text
from sulla.telemetry.families import CONNECTIONS, LOOP_LAG_S, REFUSALS, REQUEST_S, REQUESTS, new_tally
from sulla.telemetry.logs import FILE, Form, Logs
from sulla.telemetry.measures import Measures
from sulla.telemetry.metrics import Metrics
from sulla.telemetry.reading import Gauge
from sulla.telemetry.run_entries import narrate
from sulla.telemetry.spans import Spans
from sulla.telemetry.stall import StallWatch
from sulla.telemetry.stream import Read, SpanFeed
from sulla.telemetry.tally import Counter, Histogram, Labels, Tally
from sulla.telemetry.tracing import Tracing, trace_to

__all__ = [
    "BEAT_S",
    "CONNECTIONS",
    "FILE",
    "LATE_S",
    "LOOP_LAG_S",
    "REFUSALS",
    "REQUESTS",
    "REQUEST_S",
    "Counter",
    "Form",
    "Gauge",
    "Histogram",
    "Labels",
    "Logs",
    "Measures",
    "Metrics",
    "Read",
    "SpanFeed",
    "Spans",
    "StallWatch",
    "Tally",
    "Tracing",
    "as_text",
    "narrate",
    "new_tally",
    "trace_to",
]
