"""Spans by OTLP over HTTP to a collector: needs the extra `otel`.

The provider of tracers is our own and never made the global one: libraries that make spans of the same calls, as
Anthropic's SDK does, ask the global one, so nothing is told twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Tracer

from sulla.telemetry import names

_SEND_S: Final = 5.0
_MOST_WAITING: Final = 2048
_CLOSE_MS: Final = 2000


def export_spans(endpoint: str, version: str) -> tuple[Tracer, Callable[[], None]]:
    """Begin to send spans, on a thread of the SDK's own.

    Args:
        endpoint: the collector's URL for traces, e.g. ``http://127.0.0.1:4318/v1/traces``.
        version: of the daemon.

    Returns:
        What makes them, and what sends the rest of them at the end.
    """
    resource = Resource.create({"service.name": "sulla", "service.version": version})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=endpoint, timeout=_SEND_S)
    batches = BatchSpanProcessor(exporter, max_queue_size=_MOST_WAITING, export_timeout_millis=_SEND_S * 1000)
    provider.add_span_processor(batches)

    def close() -> None:
        provider.force_flush(_CLOSE_MS)
        provider.shutdown()

    return provider.get_tracer(names.SCOPE, version), close
