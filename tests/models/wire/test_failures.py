"""What services' failures have in common."""

from __future__ import annotations

import socket

import pytest

from sulla.core.errors import ProviderTransient, ProviderUnreachable
from sulla.models.wire.failures import HERE_S, innermost, no_connection, refused, retry_after_s, took_too_long


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({}, None),
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "9", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 90.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:01 GMT"}, 0.0),
    ],
)
def test_the_wait_is_read_in_each_of_its_forms(headers: dict[str, str], wait_s: float | None) -> None:
    assert retry_after_s(headers, now_s=10.0) == wait_s


def test_the_innermost_words_of_a_failure_are_told() -> None:
    outer = ValueError("it failed")
    outer.__cause__ = OSError("connection refused")
    assert innermost(outer) == "connection refused"
    assert innermost(OSError()) == "OSError"


def test_what_a_library_says_of_an_answer_that_was_cut_is_one_short_line() -> None:
    aiohttp = ValueError("400, message:\n  Not enough data to satisfy transfer length header.")
    assert innermost(aiohttp) == "Not enough data to satisfy transfer length header"
    httpx = ValueError("peer closed connection without sending complete message body (incomplete chunked read)")
    assert innermost(httpx) == "incomplete chunked read"


def test_a_name_that_cannot_be_looked_up_is_told_with_why_that_may_be() -> None:
    outer = ValueError("it failed")
    outer.__context__ = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    message = no_connection("m", "https://api.there.com/v1", "X_BASE_URL", outer).message
    assert "https://api.there.com/v1 for the model 'm' (its name could not be looked up; perhaps there is no" in message


@pytest.mark.parametrize(
    ("address", "asked_s", "wait_s"),
    [
        ("http://localhost:11434", None, HERE_S),
        ("http://127.0.0.1:8000/v1", None, HERE_S),
        ("http://127.0.0.1:8000/v1", 20.0, 20.0),
        ("https://api.there.com", None, None),
    ],
)
def test_a_service_on_this_machine_that_failed_is_asked_again_soon(
    address: str, asked_s: float | None, wait_s: float | None
) -> None:
    assert refused(ProviderTransient("no", retry_after_s=asked_s), 500, address).retry_after_s == wait_s
    assert refused(ProviderTransient("no"), 529, address).retry_after_s is None, "a proxy may pass it on"


def test_nobody_there_is_told_from_a_connection_that_broke() -> None:
    outer = ValueError("it failed")
    outer.__cause__ = ConnectionRefusedError("refused")
    nobody = no_connection("m", "http://there", "X_BASE_URL", outer, ConnectionRefusedError)
    assert type(nobody) is ProviderUnreachable
    assert type(no_connection("m", "http://there", "X_BASE_URL", outer, TimeoutError)) is ProviderTransient
    assert all(word in nobody.message for word in ("'m'", "http://there", "X_BASE_URL", "refused"))


@pytest.mark.parametrize("secret", ["user:hunter2@there:8000/v1", "there:8000/v1?api_key=hunter2"])
def test_the_address_is_told_without_the_secrets_in_it(secret: str) -> None:
    message = no_connection("m", f"http://{secret}", "X_BASE_URL", OSError("refused")).message
    assert "no connection to http://there:8000/v1 for" in message
    assert "hunter2" not in message


def test_too_long_says_how_long_is_allowed() -> None:
    assert "'m' took longer than 2.5 s" in took_too_long("m", 2.5).message


def _refused(address: str, *causes: type[Exception]) -> float | None:
    outer = ValueError("it failed")
    outer.__context__ = ExceptionGroup("both were tried", [cause("no") for cause in causes])
    return no_connection("m", address, "X_BASE_URL", outer).retry_after_s


def test_this_machine_saying_that_nobody_listens_is_soon_sure_and_no_other_failure_is() -> None:
    refused = ConnectionRefusedError
    told = [
        _refused("http://127.0.0.1:9", refused),
        _refused("http://localhost:9/v1", refused, refused),
        _refused("http://[::1]:9", refused),
        _refused("http://there:9", refused),
        _refused("http://127.0.0.1:9", refused, TimeoutError),
        _refused("http://127.0.0.1:9", ConnectionResetError),
        _refused("http://10.0.0.1:9", refused),
        _refused("http://[no", refused),
    ]
    assert told == [HERE_S, HERE_S, HERE_S, None, None, None, None, None]
