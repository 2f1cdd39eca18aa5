from __future__ import annotations

import pytest

from sulla.gateway.server.perimeter import refuse

HOSTS = frozenset({"sulla.example"})
ORIGINS = frozenset({"https://console.example"})


def judged(host: str = "127.0.0.1:8137", origin: str | None = None, query: bytes = b"") -> int:
    headers = [(b"host", host.encode("latin-1"))]
    if origin is not None:
        headers.append((b"origin", origin.encode("latin-1")))
    refusal = refuse(headers, query, HOSTS, ORIGINS)
    return refusal.status if refusal is not None else 200


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:8137",
        "127.9.9.9",
        "localhost",
        "LOCALHOST:80",
        "[::1]:8137",
        "[::1]",
        "sulla.example",
        "Sulla.Example:1",
    ],
)
def test_our_own_names_pass(host: str) -> None:
    assert judged(host) == 200


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.example@127.0.0.1",
        "127.0.0.1/evil",
        "127.0.0.1:80:80",
        "127.0.0.1:x",
        "127.0.0.1, evil.example",
        "127.0.0.1\\.evil",
        "192.168.1.1",
        "0.0.0.0",
        "[::ffff:10.0.0.1]",
        "[::1",
        "::1",
        "localhost.",
        "\xff",
    ],
)
def test_any_other_name_is_refused(host: str) -> None:
    assert judged(host) == 403


def test_exactly_one_host_header_is_expected() -> None:
    for headers in ([], [(b"host", b"localhost"), (b"host", b"localhost")]):
        refusal = refuse(headers, b"", HOSTS, ORIGINS)
        assert refusal is not None
        assert refusal.status == 400


def test_a_length_and_chunks_at_once_are_two_readings_of_one_request() -> None:
    both = [(b"host", b"localhost"), (b"content-length", b"3"), (b"transfer-encoding", b"chunked")]
    refusal = refuse(both, b"", HOSTS, ORIGINS)
    assert refusal is not None
    assert refusal.status == 400
    assert refuse(both[:2], b"", HOSTS, ORIGINS) is refuse([both[0], both[2]], b"", HOSTS, ORIGINS) is None


def test_who_has_no_origin_is_no_browser_and_passes() -> None:
    assert judged(origin=None) == 200


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:8137", "http://127.0.0.1:8137"),
        ("localhost:8137", "http://localhost:8137"),
        ("sulla.example", "https://sulla.example"),
        ("127.0.0.1:8137", "https://console.example"),
        ("127.0.0.1:8137", "HTTPS://Console.Example"),
    ],
)
def test_our_own_pages_and_allowed_ones_pass(host: str, origin: str) -> None:
    assert judged(host, origin) == 200


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "",
        "https://evil.example",
        "http://127.0.0.1:8138",
        "http://localhost:8137",
        "http://127.0.0.1",
        "ftp://127.0.0.1:8137",
        "http://127.0.0.1:8137.evil.example",
        "http://127.0.0.1:8137@evil.example",
        "127.0.0.1:8137",
        "http://console.example",
        "https://console.example:444",
        "https://sub.console.example",
        "file://",
    ],
)
def test_pages_from_elsewhere_are_refused(origin: str) -> None:
    assert judged(origin=origin) == 403


def test_a_second_origin_does_not_help() -> None:
    headers = [(b"host", b"localhost"), (b"origin", b"http://localhost"), (b"origin", b"https://evil.example")]
    refusal = refuse(headers, b"", HOSTS, ORIGINS)
    assert refusal is not None
    assert refusal.status == 403


@pytest.mark.parametrize(
    "query", [b"token=s3cret", b"a=1&access_token=s3cret", b"TOKEN=", b"api%5Fkey=s3cret", b"%74oken=x"]
)
def test_a_secret_in_the_address_is_refused_and_not_repeated(query: bytes) -> None:
    refusal = refuse([(b"host", b"localhost")], query, HOSTS, ORIGINS)
    assert refusal is not None
    assert refusal.status == 400
    assert "s3cret" not in refusal.message


def test_other_queries_pass() -> None:
    assert judged(query=b"after=3&tokens=5&%ff=%00") == 200
