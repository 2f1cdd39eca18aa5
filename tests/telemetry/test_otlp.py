"""Spans reach a collector, and one that is away holds nobody up."""

from __future__ import annotations

import asyncio
import builtins
from typing import Any

import pytest

from sulla.core.errors import SettingsError
from sulla.telemetry.tracing import trace_to
from tests.servers.wire import WireRequest, WireResponse, WireServer


async def test_spans_are_sent_to_the_collector_before_the_end() -> None:
    got: list[WireRequest] = []

    async def collect(request: WireRequest, response: WireResponse) -> None:
        got.append(request)
        await response.whole(200, b"")

    async with WireServer(collect) as server:
        tracing = trace_to(f"{server.url}/v1/traces", "1.2.3")
        tracing.tracer.start_span("invoke_agent sulla").end()
        await asyncio.to_thread(tracing.close)
    (request,) = got
    assert (request.method, request.path) == ("POST", "/v1/traces")
    for said in (b"invoke_agent sulla", b"service.name", b"service.version", b"1.2.3"):
        assert said in request.body


def test_without_the_extra_a_setting_that_needs_it_is_refused_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "sulla.telemetry.otlp":
            raise ModuleNotFoundError("No module named 'opentelemetry.sdk'", name="opentelemetry.sdk")
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(SettingsError, match=r"telemetry.otlp_endpoint needs .*: pip install 'sulla-agent\[otel\]'"):
        trace_to("http://127.0.0.1:1", "1.2.3")
