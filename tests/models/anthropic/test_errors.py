"""What a failure of Anthropic's means."""

from __future__ import annotations

import pytest

from sulla.core.errors import (
    ContextTooLong,
    ProviderError,
    ProviderProtocol,
    ProviderRejected,
    ProviderTransient,
    ProviderUnauthorized,
)
from sulla.models.anthropic.errors import status_error, stream_error


@pytest.mark.parametrize(
    ("status", "kind", "said", "expected"),
    [
        (400, "invalid_request_error", "tools.0: bad", ProviderRejected),
        (400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum", ContextTooLong),
        (
            400,
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit: 9 + 9 > 10",
            ContextTooLong,
        ),
        (401, "authentication_error", "", ProviderUnauthorized),
        (402, "billing_error", "no credit", ProviderRejected),
        (403, "permission_error", "", ProviderUnauthorized),
        (404, "not_found_error", "model: x", ProviderRejected),
        (408, "", "", ProviderTransient),
        (413, "request_too_large", "", ContextTooLong),
        (422, "", "", ProviderRejected),
        (429, "rate_limit_error", "", ProviderTransient),
        (500, "api_error", "prompt is too long", ProviderTransient),
        (529, "overloaded_error", "Overloaded", ProviderTransient),
        (599, "", "", ProviderTransient),
    ],
)
def test_a_status_has_its_class(status: int, kind: str, said: str, expected: type[ProviderError]) -> None:
    error = status_error("claude-x", status, kind, said)
    assert type(error) is expected
    assert "'claude-x'" in error.message
    assert str(status) in error.message


@pytest.mark.parametrize(
    ("kind", "said", "expected"),
    [
        ("overloaded_error", "Overloaded", ProviderTransient),
        ("rate_limit_error", "", ProviderTransient),
        ("api_error", "Internal server error", ProviderTransient),
        ("timeout_error", "", ProviderTransient),
        ("authentication_error", "", ProviderUnauthorized),
        ("request_too_large", "", ContextTooLong),
        ("invalid_request_error", "prompt is too long: 9 > 8", ContextTooLong),
        ("invalid_request_error", "bad", ProviderRejected),
        ("", "", ProviderProtocol),
    ],
)
def test_an_error_in_a_stream_has_its_class(kind: str, said: str, expected: type[ProviderError]) -> None:
    assert type(stream_error("claude-x", kind, said)) is expected
