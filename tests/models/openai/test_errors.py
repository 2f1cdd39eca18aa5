"""What a failure of OpenAI's API, or of a server that speaks it, means."""

from __future__ import annotations

import pytest

from sulla.core.errors import (
    ContextTooLong,
    ProviderError,
    ProviderProtocol,
    ProviderRejected,
    ProviderTransient,
    ProviderUnauthorized,
    ToolsRefused,
)
from sulla.models.openai.errors import WireError, said_of, status_error, stream_error


@pytest.mark.parametrize(
    ("status", "kind", "said", "expected"),
    [
        (400, "invalid_request_error", "bad schema", ProviderRejected),
        (400, "context_length_exceeded", "", ContextTooLong),
        (400, "400 exceed_context_size_error", "request (9) exceeds the available context size (8)", ContextTooLong),
        (400, "BadRequestError", "This model's maximum context length is 8 tokens", ContextTooLong),
        (400, "", "The number of tokens is greater than the context length", ContextTooLong),
        (401, "invalid_api_key", "", ProviderUnauthorized),
        (403, "", "", ProviderUnauthorized),
        (404, "model_not_found", "", ProviderRejected),
        (408, "", "", ProviderTransient),
        (413, "", "", ContextTooLong),
        (429, "rate_limit_exceeded", "", ProviderTransient),
        (429, "insufficient_quota", "You exceeded your current quota", ProviderRejected),
        (500, "server_error", "", ProviderTransient),
        (400, "api_error", "registry.ollama.ai/library/x:1b does not support tools", ToolsRefused),
        (400, "BadRequestError", '"auto" tool choice requires --enable-auto-tool-choice and …', ToolsRefused),
        (404, "404", "No endpoints found that support tool use. To learn more, visit …", ToolsRefused),
        (500, "server_error", "tools param requires --jinja flag", ToolsRefused),
        (
            400,
            "unsupported_parameter",
            "Unsupported parameter: 'tools' is not supported with this model.",
            ToolsRefused,
        ),
        (400, "invalid_request_error", "`tool calling` is not supported with this model", ToolsRefused),
        (429, "", "does not support tools", ProviderTransient),
        (503, "unavailable_error", "Loading model", ProviderTransient),
        (529, "", "", ProviderTransient),
    ],
)
def test_a_status_has_its_class(status: int, kind: str, said: str, expected: type[ProviderError]) -> None:
    error = status_error("m", status, kind, said, 3.0)
    assert type(error) is expected
    assert "'m'" in error.message
    assert str(status) in error.message
    assert error.retry_after_s == (3.0 if expected is ProviderTransient else None)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"message": "no", "type": "InternalServerError", "code": 500}, ProviderTransient),
        ({"message": "no", "type": "BadRequestError", "code": 400}, ProviderRejected),
        ({"message": "no", "type": "BadRequestError"}, ProviderRejected),
        ({"message": "The server had an error", "type": "server_error"}, ProviderTransient),
        ({"code": "rate_limit_exceeded", "message": "slow down"}, ProviderTransient),
        ({"code": "insufficient_quota", "message": "pay"}, ProviderRejected),
        ({"code": "context_length_exceeded", "message": ""}, ContextTooLong),
        ({"code": "invalid_prompt", "message": ""}, ProviderRejected),
        ({"code": 401, "message": "key"}, ProviderUnauthorized),
        ({"message": "the model has crashed"}, ProviderProtocol),
        ({}, ProviderProtocol),
    ],
)
def test_an_error_in_a_stream_has_its_class(said: WireError, expected: type[ProviderError]) -> None:
    assert type(stream_error("m", said)) is expected


def test_the_words_are_found_in_each_form() -> None:
    assert said_of({"message": "no"}) == said_of("no") == "no"
    assert said_of({"message": 3}) == said_of(None) == said_of([]) == ""
