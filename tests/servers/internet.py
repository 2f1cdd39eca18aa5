"""An internet of made-up names and addresses whose servers are real ones on loopback."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit


class FakeInternet:
    """Keeps `tools.Resolve` and `tools.Connect`, and remembers what it was asked.

    Args:
        names: the addresses of each name. A list of lists is what it stands for at each look-up in turn, the last
            for good.
        servers: where an address and port really lead: the URL of a server on loopback.
    """

    def __init__(
        self, names: Mapping[str, Sequence[str] | Sequence[Sequence[str]]], servers: Mapping[tuple[str, int], str]
    ) -> None:
        self._names = dict(names)
        self._servers = dict(servers)
        self.looked_up: list[str] = []
        """Names, in order."""
        self.connected: list[tuple[str, int]] = []
        """Addresses and ports, in order, also those where nobody is."""
        self.shown: list[str | None] = []
        """Under which name a certificate was asked for, with each connection; None without TLS."""

    async def resolve(self, name: str, port: int) -> Sequence[str]:
        """See `tools.Resolve`."""
        self.looked_up.append(name)
        found = self._names.get(name)
        if found is None:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        turns = [found] if all(isinstance(each, str) for each in found) else found
        turn = turns[min(self.looked_up.count(name), len(turns)) - 1]
        return [str(address) for address in turn]

    async def connect(
        self, address: str, port: int, tls: ssl.SSLContext | None, name: str | None
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """See `tools.Connect`."""
        self.connected.append((address, port))
        self.shown.append(name)
        url = self._servers.get((address, port))
        if url is None:
            raise ConnectionRefusedError(111, "Connection refused")
        place = urlsplit(url)
        return await asyncio.open_connection(place.hostname, place.port, ssl=tls, server_hostname=name)
