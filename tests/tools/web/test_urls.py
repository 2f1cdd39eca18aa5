from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.core.errors import InvalidInput
from sulla.tools.web.urls import MAX_URL, Target, join_url, parse_url, read_own_hosts


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://example.org", "http://example.org/"),
        (" HTTPS://Example.ORG:443/A?b=C#d\n", "https://example.org/A?b=C"),
        ("http://example.org:8080", "http://example.org:8080/"),
        ("http://example.org./x", "http://example.org/x"),
        ("https://bücher.example/ä?q=ü", "https://xn--bcher-kva.example/%C3%A4?q=%C3%BC"),
        ("http://example.org/a%20b%2Fc?x=%26", "http://example.org/a%20b%2Fc?x=%26"),
        ("http://[2606:4700::1]:8080/", "http://[2606:4700::1]:8080/"),
        ("http://127。0。0。1/", "http://127.0.0.1/"),
        ("http://①②⑦.⓪.⓪.①/", "http://127.0.0.1/"),
        ("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
        ("http://a_b.example/", "http://a_b.example/"),
        ("http://example.org?x=1", "http://example.org/?x=1"),
    ],
)
def test_a_url_is_read_in_one_spelling(text: str, url: str) -> None:
    assert parse_url(text).url == url
    assert parse_url(url).url == url


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("file:///etc/passwd", "begins with 'file'"),
        ("ftp://example.org/", "begins with 'ftp'"),
        ("gopher://example.org/_x", "begins with 'gopher'"),
        ("javascript:alert(1)", "begins with 'javascript'"),
        ("example.org", "has no scheme"),
        ("//example.org/", "has no scheme"),
        ("", "has no scheme"),
        ("http://user:pass@example.org/", "user name or a password"),
        ("http://example.org@127.0.0.1/", "user name or a password"),
        ("http://@example.org/", "user name or a password"),
        ("http://example.org\\@127.0.0.1/", "backslash"),
        ("http://exam\tple.org/", "invisible"),
        ("http://example.org/a b", "as %20"),
        ("http://example.org/\r\nHost: evil", "invisible"),
        ("http://exam\u200bple.org/", "invisible"),
        ("http://127.1/", "spelling of its own"),
        ("http://2130706433/", "spelling of its own"),
        ("http://0x7f000001/", "spelling of its own"),
        ("http://0x7f.0.0.1/", "spelling of its own"),
        ("http://0177.0.0.1/", "spelling of its own"),
        ("http://127.0.0.01/", "spelling of its own"),
        ("http://1.2.3.4.5/", "spelling of its own"),
        ("http://0/", "spelling of its own"),
        ("http://[fe80::1%25eth0]/", "not an IPv6 address"),
        ("http://[::1/", "not a URL"),
        ("http://[v1.x]/", "not a"),
        ("http://example.org:99999/", "not a URL"),
        ("http://example.org:x/", "not a URL"),
        ("http://exa%6dple.org/", "not a host name"),
        ("http://a..b/", "not a host name"),
        ("http://-a.example/", "not a host name"),
        (f"http://{'a' * 64}.example/", "not a host name"),
        (f"http://{'a.' * 127}example/", "not a host name"),
        ("http://", "names no host"),
        ("http:///path", "names no host"),
        ("http://example.org/" + "a" * MAX_URL, "characters"),
    ],
)
def test_what_could_be_read_in_two_ways_is_not_read_at_all(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        parse_url(text)


@given(st.text(max_size=60))
def test_any_text_is_a_url_or_says_that_it_is_none(text: str) -> None:
    try:
        target = parse_url(f"http://{text}")
    except InvalidInput:
        return
    assert target.host
    assert target.url.isascii()
    assert not set(target.url) & set(" \t\r\n\\@#") - {"@"}
    assert parse_url(target.url) == target


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("/b", "https://example.org/b"),
        ("c?d", "https://example.org/a/c?d"),
        ("//other.example/x", "https://other.example/x"),
        ("http://example.org/", "http://example.org/"),
        ("?q", "https://example.org/a/b?q"),
    ],
)
def test_a_redirect_is_read_from_where_it_came(location: str, url: str) -> None:
    assert join_url(parse_url("https://example.org/a/b"), location).url == url


@pytest.mark.parametrize("location", ["file:///etc/passwd", "http://u@h/", "http://[::1", "\x00", "http://0x7f.1/"])
def test_a_redirect_is_read_as_strictly(location: str) -> None:
    with pytest.raises(InvalidInput):
        join_url(parse_url("https://example.org/a/b"), location)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://example.org/", "https://www.example.org/x", True),
        ("http://www.example.org/", "http://example.org/", True),
        ("http://example.org/", "http://evil.example.org/", False),
        ("http://example.org/", "http://example.com/", False),
        ("http://93.184.215.14/", "http://93.184.215.15/", False),
    ],
)
def test_a_site_is_one_name(one: str, other: str, same: bool) -> None:
    assert parse_url(one).same_site(parse_url(other)) is same


def test_the_owners_hosts_are_read_with_their_ports() -> None:
    own = read_own_hosts(["NAS.lan", "127.0.0.1:9000", "[::1]:9001"])
    assert own.allow(Target("http", "nas.lan", 80, "/"))
    assert own.allow(Target("https", "nas.lan", 8443, "/"))
    assert not own.allow(Target("http", "nas.lan", 22, "/"))
    assert own.allow(Target("http", "127.0.0.1", 9000, "/"))
    assert not own.allow(Target("http", "127.0.0.1", 80, "/"))
    assert own.allow(Target("http", "::1", 9001, "/"))
    assert not own.allow(Target("http", "evil.nas.lan", 80, "/"))


@pytest.mark.parametrize(
    "entry", ["", "http://nas.lan", "nas.lan/x", "u@nas.lan", "nas.lan:x", "10.0.0.0/8", "*.lan", "127.1"]
)
def test_what_is_no_host_is_refused_with_what_was_expected(entry: str) -> None:
    with pytest.raises(InvalidInput, match="expected a host or host:port"):
        read_own_hosts([entry])
