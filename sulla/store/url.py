"""What in the URL of a server is secret, and how it is shown without that.

A password whose special characters are not written as `%XX` is read by each library in a way of its own, and a part of
it may come to stand for a host, a port or a database, which everybody shows. So such a URL is refused before anybody
reads it, and everything before its last `@` counts as secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from sulla.core.errors import SettingsError

ENCODED: Final = "with special characters in the password written as %XX"
"""What is said behind the form of a URL that cannot be read."""
_ENDING: Final = "@/?#"
"""Characters that end what stands before a host, so that one which belongs to a password has to be encoded."""
_QUERY_SECRETS: Final = frozenset("password passwd pwd sslpassword secret token access_token key api_key".split())
"""Fields of a URL's query that hold one."""
_CHANCE: Final = re.compile(r"(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9_:.~-]{16,}")
"""What looks like a token: as long as one, letters and digits by chance."""


def check_login(url: str) -> None:
    """See that everybody reads the same user and password in the URL of a store.

    Args:
        url: of a server.

    Raises:
        SettingsError: a character that has to be encoded is not; no other one of the URL is told.
    """
    login = _login(url)
    if (sign := next((one for one in login if one in _ENDING), "")) == "":
        return
    further = "" if sign == "@" else ", and as %40 an '@' that belongs to neither"
    raise SettingsError(
        f"the user or the password in the URL has {sign!r} in it: write that as %{ord(sign):02X} there{further}"
    )


def shown_url(url: str) -> str:
    """A server's URL without what may be secret: its password, and its options, where one could stand too."""
    scheme, _, rest = url.partition("://")
    netloc, slash, path = rest.partition("?")[0].partition("/")
    login, at, host = netloc.rpartition("@")
    if ("@" in rest and not at) or "@" in path or "#" in netloc:
        return f"{scheme}://…"  # a sign in the password that is not encoded: nobody knows what is what
    return f"{scheme}://{login.partition(':')[0]}{at}{host}{slash}{path}"


def secrets_in_url(url: str) -> Iterator[str]:
    """The secrets of a URL, as they are written and as they are meant."""
    try:
        parts = urlsplit(url)
        password, query = parts.password or "", parts.query
        _ = parts.port  # asked for, because it is only now that one which is no number raises
    except ValueError:
        # No URL, whose user will say so. What stands where a port should is mostly a password that is not encoded.
        password, query = _login(url).partition(":")[2], ""
    yield from (password, unquote(password))
    yield from (value for name, value in parse_qsl(query) if name.lower() in _QUERY_SECRETS)


def likely_secrets_in_url(url: str) -> Iterator[str]:
    """The same, and what looks like a token in the place of a user, in the path or in the query: for addresses of which
    nobody knows what the service makes of them.
    """
    yield from secrets_in_url(url)
    try:
        parts = urlsplit(url)
    except ValueError:
        return  # no URL: all that stands before a host has been told
    user = parts.username or "" if parts.password is None else ""
    values = (user, *parts.path.split("/"), *(value for _, value in parse_qsl(parts.query)))
    yield from (one for value in values for one in {value, unquote(value)} if _CHANCE.fullmatch(one))


def _login(url: str) -> str:
    """The user and the password: all that stands between the scheme and the last `@`."""
    return url.partition("://")[2].rpartition("@")[0]
