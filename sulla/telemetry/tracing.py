"""Where spans go, if somebody wants them."""

from __future__ import annotations

from collections.abc import Callable

from opentelemetry.trace import Tracer

from sulla.core.dataclass import dataclass
from sulla.core.distribution import install_hint
from sulla.core.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Tracing:
    """What makes spans, and sends them."""

    tracer: Tracer
    close: Callable[[], None]
    """Send what is left; blocks, but not for long."""


def trace_to(endpoint: str, version: str) -> Tracing:
    """Send spans to a collector.

    Args:
        endpoint: its URL for traces, e.g. ``http://127.0.0.1:4318/v1/traces``.
        version: of the daemon.

    Raises:
        SettingsError: the extra `otel` is not installed.
    """
    try:
        from sulla.telemetry.otlp import export_spans
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"telemetry.otlp_endpoint needs the library {error.name!r}: {install_hint('otel')}"
        ) from error
    return Tracing(*export_spans(endpoint, version))
