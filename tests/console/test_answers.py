"""What is said beside a file."""

from __future__ import annotations

import pytest

from sulla.console.answers import content_type, is_known, policy, takes_gzip


@pytest.mark.parametrize(
    ("host", "named"),
    [
        ("127.0.0.1:8137", True),
        ("localhost", True),
        ("[::1]:8137", True),
        ("sulla.example", True),
        ("a; script-src *", False),
        ("a b", False),
        ("", False),
        ("x:1; report-uri //evil.test", False),
    ],
)
def test_a_host_adds_its_own_sockets_to_the_policy_and_nothing_else(host: str, named: bool) -> None:
    said = policy(host)
    assert (f"ws://{host} wss://{host};" in said) == named
    assert said.count(";") == policy("localhost").count(";")
    assert "evil" not in said
    assert "script-src 'self';" in said


@pytest.mark.parametrize(
    ("accepts", "takes"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("*", True),
        ("*;q=0", False),
        ("gzip;q=0", False),
        ("gzip; q=0.000, *", False),
        ("br", False),
        ("", False),
    ],
)
def test_gzip_is_sent_to_whoever_says_so(accepts: str, takes: bool) -> None:
    assert takes_gzip(accepts) == takes


@pytest.mark.parametrize(
    ("known", "is_it"),
    [('"a"', True), ('W/"a"', True), ('"b", W/"a"', True), ("*", True), ('"b"', False), ("", False), ("a", False)],
)
def test_a_known_content_is_seen(known: str, is_it: bool) -> None:
    assert is_known(known, '"a"') == is_it


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("index.html", "text/html; charset=utf-8"),
        ("assets/a.JS", "text/javascript; charset=utf-8"),
        ("assets/a.woff2", "font/woff2"),
        ("assets/a.exe", "application/octet-stream"),
        ("assets/a", "application/octet-stream"),
        ("assets/.js", "text/javascript; charset=utf-8"),
    ],
)
def test_each_file_has_its_type(name: str, kind: str) -> None:
    assert content_type(name) == kind
