"""The cookie of a session, and from which pages one counts."""

from __future__ import annotations

import pytest

from sulla.core.errors import Forbidden
from sulla.gateway.server.browser_session import check_own_page, cookies_of, drop_cookie, set_cookie


def scope(**headers: str | list[str]) -> dict[str, object]:
    said = [
        (name, value) for name, given in headers.items() for value in ([given] if isinstance(given, str) else given)
    ]
    return {
        "server": ("127.0.0.1", 8137),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in said],
    }


@pytest.mark.parametrize(
    ("cookie", "found"),
    [
        ("sulla_session_8137=abc", ["abc"]),
        ("a=1; sulla_session_8137=abc; b=2", ["abc"]),
        ("sulla_session_8138=abc", []),
        ("sulla_session_8137=planted; sulla_session_8137=abc", ["planted", "abc"]),
        (["sulla_session_8137=planted", "sulla_session_8137=abc"], ["planted", "abc"]),
        (["a=1", "sulla_session_8137=abc"], ["abc"]),
        ("; ".join(f"sulla_session_8137={n}" for n in range(10)), list("23456789")),
        ("xsulla_session_8137=abc", []),
        ("sulla_session_8137", []),
        ("", []),
    ],
)
def test_the_cookies_of_this_daemon_are_found_and_no_other_ones(cookie: str | list[str], found: list[str]) -> None:
    assert list(cookies_of(scope(cookie=cookie))) == found


def test_it_is_for_the_browser_alone_and_only_over_tls_where_the_page_came_over_it() -> None:
    name, value = set_cookie(scope(origin="http://127.0.0.1:8137"), "abc", 60)
    assert (name, value) == (
        b"set-cookie",
        b"sulla_session_8137=abc; HttpOnly; SameSite=Strict; Path=/; Max-Age=60",
    )
    assert set_cookie(scope(origin="https://sulla.example"), "abc", 60)[1].endswith(b"; Secure")
    assert drop_cookie(scope())[1] == b"sulla_session_8137=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0"
    assert set_cookie(scope() | {"server": None}, "abc", 60)[1].startswith(b"sulla_session_0=")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"host": "127.0.0.1:8137"},
        {"origin": "http://127.0.0.1:8137"},
        {"origin": "http://127.0.0.1:8138", "host": "127.0.0.1:8137"},
        {"origin": "http://localhost:8137", "host": "127.0.0.1:8137"},
        {"origin": "https://evil.test", "host": "127.0.0.1:8137"},
        {"origin": "null", "host": "127.0.0.1:8137"},
        {"origin": "https://127.0.0.1:8137", "host": "127.0.0.1:8137"},
        {"origin": "file://127.0.0.1:8137", "host": "127.0.0.1:8137"},
        {"origin": ["http://127.0.0.1:8137", "https://evil.test"], "host": "127.0.0.1:8137"},
        {"origin": "http://127.0.0.1:8137.evil.test", "host": "127.0.0.1:8137"},
        {"origin": "http://evil.test@127.0.0.1:8137", "host": "127.0.0.1:8137"},
    ],
)
def test_another_page_or_none_is_refused(headers: dict[str, str | list[str]]) -> None:
    with pytest.raises(Forbidden, match="expected the daemon's own"):
        check_own_page(scope(**headers))


@pytest.mark.parametrize(
    ("origin", "host", "scheme"),
    [
        ("http://127.0.0.1:8137", "127.0.0.1:8137", "http"),
        ("HTTP://127.0.0.1:8137", "127.0.0.1:8137", "http"),
        ("https://127.0.0.1:8137", "127.0.0.1:8137", "https"),
        ("https://sulla.example", "sulla.example", "http"),  # behind a proxy
    ],
)
def test_the_page_that_the_daemon_serves_counts(origin: str, host: str, scheme: str) -> None:
    check_own_page(scope(origin=origin, host=host) | {"scheme": scheme})
