"""How a browser's session is shown: the cookie, and from which pages it counts. Pure.

A browser sends a cookie for 127.0.0.1 to every port of that address, and with requests that any other program's page
there makes. So the cookie alone opens nothing: the page says the other half, which it keeps for its own origin, port
included, and the browser says from where the page comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, cast

from sulla.core.errors import Forbidden
from sulla.gateway.server.perimeter import own_origin

KEY_HEADER: Final = "x-sulla-session"
"""In which a request over HTTP says the page's half."""
_LOOPBACK: Final = ("localhost", "[::1]")
_ENDED: Final = 0
_MOST_COOKIES: Final = 8
"""Of one name that are looked at; a browser has one for each path that leads to the daemon's."""


def cookie_name(scope: Mapping[str, object]) -> str:
    """What the cookie is called: by the daemon's port, so that daemons on one machine keep theirs apart.

    Args:
        scope: the connection's, as ASGI has it.
    """
    server = cast(tuple[str, int | None] | None, scope.get("server"))
    return f"sulla_session_{server[1] if server is not None and server[1] is not None else 0}"


def cookies_of(scope: Mapping[str, object]) -> tuple[str, ...]:
    """What may be the browser's half of the session, as a request brings it; empty if it brings none.

    Any page on another port can plant one of the same name with another path, and the request does not say which is
    whose. A browser sends the one with the shortest path last, and that is ours: of too many the last ones are taken.

    Args:
        scope: the connection's, as ASGI has it.
    """
    name = cookie_name(scope)
    pairs = (pair.strip().partition("=") for value in _said(scope, b"cookie") for pair in value.split(";"))
    found = (value for key, _, value in pairs if key == name and value)
    return tuple(dict.fromkeys(found))[-_MOST_COOKIES:]


def set_cookie(scope: Mapping[str, object], value: str, age_s: int) -> tuple[bytes, bytes]:
    """The header that has the browser keep its half; only over TLS, where the page came over TLS.

    Args:
        scope: the request's.
        value: the half.
        age_s: for how long, in seconds.
    """
    secure = "; Secure" if any(origin.lower().startswith("https:") for origin in _said(scope, b"origin")) else ""
    text = f"{cookie_name(scope)}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={age_s}{secure}"
    return b"set-cookie", text.encode("latin-1")


def drop_cookie(scope: Mapping[str, object]) -> tuple[bytes, bytes]:
    """The header that has the browser forget its half.

    Args:
        scope: the request's.
    """
    return set_cookie(scope, "", _ENDED)


def check_own_page(scope: Mapping[str, object]) -> None:
    """Do nothing if a page makes this request that we have served ourselves.

    Args:
        scope: the request's.

    Raises:
        Forbidden: another page does, even one that may call with a token; or it is not said which.
    """
    origins, hosts = _said(scope, b"origin"), _said(scope, b"host")
    one_each = len(origins) == len(hosts) == 1
    if not one_each or not own_origin(origins[0].lower(), hosts[0].lower()) or _is_other_scheme(scope):
        said = repr(origins[0][:80]) if origins else "none"
        raise Forbidden(f"Origin: got {said}, expected the daemon's own: a session counts from its own page alone")


def _is_other_scheme(scope: Mapping[str, object]) -> bool:
    """Whether the page came by another scheme than the daemon speaks, though no proxy can be between: the browser names
    a loopback address with the daemon's own port.
    """
    (origin,), (host,) = _said(scope, b"origin"), _said(scope, b"host")
    name, _, port = host.lower().rpartition(":")
    server = cast(tuple[str, int | None] | None, scope.get("server"))
    direct = server is not None and port == str(server[1]) and (name in _LOOPBACK or name.startswith("127."))
    secure = scope.get("scheme") in ("https", "wss")
    return direct and origin.lower().startswith("https:") != secure


def _said(scope: Mapping[str, object], name: bytes) -> list[str]:
    headers = cast(Iterable[tuple[bytes, bytes]], scope["headers"])
    return [value.decode("latin-1").strip() for header, value in headers if header == name]
