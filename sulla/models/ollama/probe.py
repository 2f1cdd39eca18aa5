"""Where an Ollama is and what it has, asked without loading its library: a fresh home asks at every start."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

import orjson

from sulla.core.clock import Clock
from sulla.core.errors import SettingsError

PROBE_S = 1.0
"""How long the answer may take: a person waits for the daemon meanwhile."""

MAX_LISTING_BYTES = 4 * 1024 * 1024
"""More than any list of models takes up."""


_PORTS = {"http": 80, "https": 443}
_DEFAULT_PORT = 11434


def address(host: str) -> str:
    """Where a service is, from what OLLAMA_HOST may hold: ``host``, ``host:port``, ``:port`` or a URL.

    The service itself takes the same variable for the address that it listens on, so "all addresses" means this
    machine.

    Args:
        host: empty for the default.

    Returns:
        A URL with a port and without a slash at its end.

    Raises:
        SettingsError: it is none of these.
    """
    scheme, marked, rest = host.strip().rpartition("://")
    try:
        parts = urlsplit(f"//{rest}")
        name, port = parts.hostname or "127.0.0.1", parts.port
    except ValueError as error:
        raise SettingsError(f"OLLAMA_HOST is {host!r}: expected host, host:port or a URL ({error})") from error
    scheme = scheme.lower() or "http"
    if scheme not in _PORTS or any(char.isspace() for char in name):
        raise SettingsError(f"OLLAMA_HOST is {host!r}: expected host, host:port or a URL with http or https")
    if port is None:
        port = _PORTS[scheme] if marked else _DEFAULT_PORT
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(name, name)  # noqa: S104  - translated, not listened on
    shown = f"[{name}]" if ":" in name else name
    return f"{scheme}://{shown}:{port}{parts.path.rstrip('/')}"


async def find_ollama(host: str, clock: Clock) -> tuple[str, ...] | None:
    """Ask which models an Ollama has.

    Args:
        host: as in OLLAMA_HOST; empty for the default.
        clock: for the deadline.

    Returns:
        Their names as it lists them; None if nothing answers there like an Ollama.
    """
    url = urlsplit(address(host))
    try:
        async with clock.timeout(PROBE_S):
            listing = orjson.loads(await _get(url.scheme, url.hostname or "", url.port or 0, f"{url.path}/api/tags"))
        return tuple(str(model["name"]) for model in listing["models"])
    except (TimeoutError, OSError, EOFError, asyncio.LimitOverrunError, ValueError, KeyError, TypeError):
        return None  # what is asked is whether it answers properly: no such answer is an answer


async def _get(scheme: str, host: str, port: int, path: str) -> bytes:
    reader, writer = await asyncio.open_connection(host, port, ssl=scheme == "https" or None)
    try:
        # By the older protocol, because its answers end with the connection and never come in chunks.
        writer.write(f"GET {path} HTTP/1.0\r\nHost: {host}:{port}\r\nAccept: application/json\r\n\r\n".encode())
        await writer.drain()
        head = await reader.readuntil(b"\r\n\r\n")
        status = head.split(b" ", 2)[1]
        if status != b"200":
            raise ValueError(f"answered {status!r}")
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                return await reader.readexactly(min(int(line.partition(b":")[2]), MAX_LISTING_BYTES))
        return await reader.read(MAX_LISTING_BYTES)
    finally:
        writer.close()
