"""Nothing of a password is shown, also where its special characters are not written as `%XX`: such a URL is refused."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from sulla.core.errors import SettingsError
from sulla.store.postgres.url import parse_address
from sulla.store.redis.url import address_of
from sulla.store.url import check_login, secrets_in_url, shown_url

TAIL = "S3cretTail"
SPECIAL = "@/?#"
"""What ends a login, a host or a path for one reader of URLs or another."""
HARMLESS = ":%[] &=+\\"
"""What has no place in a URL either, and ends none of them."""
READERS: dict[str, Callable[[str], str]] = {
    "postgresql": lambda url: parse_address(url).shown,
    "postgres": lambda url: parse_address(url).shown,
    "redis": lambda url: address_of(url).shown,
    "rediss": lambda url: address_of(url).shown,
    "unix": lambda url: address_of(url).shown,
}
PLACES = {"unix": "/run/redis.sock?db=1"}


def _url(scheme: str, user: str, password: str) -> str:
    return f"{scheme}://{user}:{password}@{PLACES.get(scheme, 'host:1/0')}"


@pytest.mark.parametrize(
    ("scheme", "user", "before", "sign"), [*product(READERS, ("me", ""), ("ab", "12", ""), SPECIAL + HARMLESS)]
)
def test_no_reader_shows_any_of_a_password(scheme: str, user: str, before: str, sign: str) -> None:
    url = _url(scheme, user, f"{before}{sign}{TAIL}")
    try:
        shown = READERS[scheme](url)
    except SettingsError as error:
        shown = error.message
    assert TAIL not in shown
    assert TAIL not in shown_url(url)


@pytest.mark.parametrize(("scheme", "sign"), [*product(READERS, SPECIAL)])
def test_a_character_that_is_not_encoded_is_named_and_how_it_is_written(scheme: str, sign: str) -> None:
    with pytest.raises(SettingsError) as told:
        READERS[scheme](_url(scheme, "me", f"ab{sign}{TAIL}"))
    said = f"the user or the password in the URL has {sign!r} in it: write that as %{ord(sign):02X} there"
    assert told.value.message.startswith(said)
    check_login(_url(scheme, "me", f"ab%{ord(sign):02X}{TAIL}"))


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://u:hun/ter2@host/db", "postgresql://…"),
        ("postgresql://u:hun#ter2@host/db", "postgresql://…"),
        ("postgresql://u:hun?ter2@host/db", "postgresql://…"),
        ("postgresql://u:hun@ter2@host/db", "postgresql://u@host/db"),
    ],
)
def test_what_is_of_a_login_beyond_doubt_is_left_out_and_else_all(url: str, shown: str) -> None:
    assert shown_url(url) == shown


@pytest.mark.parametrize("url", ["redis://host/1@2", "postgresql://host/db?user=me@example.org"])
def test_a_sign_further_on_may_be_of_a_password_and_is_to_be_encoded_too(url: str) -> None:
    with pytest.raises(SettingsError, match="and as %40 an '@' that belongs to neither"):
        check_login(url)
    check_login(url.replace("@", "%40"))


@pytest.mark.parametrize(
    ("url", "secrets"),
    [
        ("redis://me:ab@S3cretTail@host", {"ab@S3cretTail"}),
        ("redis://me:ab/S3cretTail@host", {"ab/S3cretTail"}),
        ("redis://:ab%2FS3cretTail@host", {"ab%2FS3cretTail", "ab/S3cretTail"}),
        ("https://host:8443/@scope/name", {""}),
        ("https://[host", {""}),
    ],
)
def test_the_whole_of_a_password_is_known_as_a_secret(url: str, secrets: set[str]) -> None:
    assert set(secrets_in_url(url)) == secrets
