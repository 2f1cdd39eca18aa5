"""At which of this machine's names the console's page is. Pure.

A browser keeps cookies for each name apart. Where the page were at two of them, who is signed in at the one would not
be known at the other, and a link could sign somebody else in there without a word.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from ipaddress import ip_address
from typing import Final, cast

from sulla.gateway.server.perimeter import host_name, is_loopback

NAME: Final = "127.0.0.1"
"""Where it is; the others lead here."""


def moved(scope: Mapping[str, object], listens_at: str, allowed_hosts: Collection[str]) -> str | None:
    """Where the page is that a request asks for; None where it is served as it was called.

    Args:
        scope: the request's, past the perimeter.
        listens_at: the address that the daemon listens on, as the settings have it.
        allowed_hosts: names under which it may be called beside loopback ones; one that stands here is meant.

    Returns:
        The address without its scheme, so that the browser keeps the one it came by, and what stands behind ``#``.
    """
    headers = cast(list[tuple[bytes, bytes]], scope["headers"])
    host = next((value.decode("latin-1").strip().lower() for name, value in headers if name == b"host"), "")
    name = host_name(host)
    if name is None or name == NAME or name in allowed_hosts or not is_loopback(name):
        return None
    if not _is_here(cast(tuple[str, int | None] | None, scope.get("server")), listens_at):
        return None
    port, query = host.rpartition(":")[2], cast(bytes, scope["query_string"]).decode("latin-1")
    return f"//{NAME}{f':{port}' if port.isdecimal() else ''}{scope['path']}{'?' if query else ''}{query}"


def _is_here(server: tuple[str, int | None] | None, listens_at: str) -> bool:
    """Whether a browser that came this way reaches the daemon at `NAME`, too.

    It came there itself, or the daemon listens at every address: so it does in a container, where what comes in has the
    container's own.
    """
    came_to = "" if server is None else server[0].removeprefix("::ffff:")
    return came_to == NAME or (":" not in listens_at and _is_every(listens_at))


def _is_every(address: str) -> bool:
    try:
        return ip_address(address).is_unspecified
    except ValueError:
        return False
