"""The provider's side of SMTP (RFC 5321) with authentication (RFC 4954), as far as handing mail in needs it."""

from __future__ import annotations

import asyncio
import base64
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable
from contextlib import suppress

from sulla.testing.channels.mail.connections import Connections
from sulla.testing.channels.network import Network

Take = Callable[[list[str], bytes], Awaitable[None]]
"""Takes a mail: who gets it, and all of it."""


class SmtpSide:
    """Takes mails in by SMTP. It lives as long as its fake.

    Args:
        login: name and password that are good.
        take: takes each.
        network: what goes wrong on the way.
    """

    def __init__(self, login: tuple[str, str], take: Take, network: Network) -> None:
        self._login = login
        self._take = take
        self._network = network
        self.connections = Connections()
        self.refusal = ""
        """What every mail is refused with; empty for none."""

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        """One connection, to its end."""
        with self.connections.held(writer), suppress(ConnectionError, asyncio.IncompleteReadError):
            if not self._network.gone:
                await self._talk(reader, writer)
            writer.transport.abort()

    async def _talk(self, reader: StreamReader, writer: StreamWriter) -> None:
        known, to = False, list[str]()

        async def say(line: str) -> None:
            writer.write(line.encode() + b"\r\n")
            await writer.drain()

        await say("220 here ESMTP")
        while line := (await reader.readline()).decode("utf-8", "replace").rstrip("\r\n"):
            name, _, said = line.partition(" ")
            match name.upper():
                case "EHLO":
                    await say("250-here\r\n250-SIZE 35000000\r\n250 AUTH PLAIN")
                case "AUTH":
                    known = self._is_known(said)
                    await say("235 in" if known else "535 5.7.8 Username and Password not accepted")
                case "MAIL" if known:
                    to = []
                    await say("250 ok")
                case "RCPT" if known:
                    to.append(said.partition("<")[2].partition(">")[0])
                    await say("250 ok")
                case "DATA" if to:
                    if not await self._data(reader, say, to):
                        return
                case "QUIT":
                    await say("221 bye")
                    return
                case _:
                    await say("503 5.5.1 not now")

    async def _data(self, reader: StreamReader, say: Callable[[str], Awaitable[None]], to: list[str]) -> bool:
        """Take one mail; False where the connection ends over it."""
        await say("354 go on")
        raw = await _until_dot(reader)
        if (rest_s := self._network.refuses()) is not None:
            await say(f"451 4.7.1 Too many messages, try again in {rest_s:g} seconds")
            return True
        if self.refusal:
            await say(self.refusal)
            return True
        await self._take(to, raw)
        if self._network.loses():
            return False
        await say("250 2.0.0 queued")
        return True

    def _is_known(self, said: str) -> bool:
        method, _, given = said.partition(" ")
        try:
            _, user, password = base64.b64decode(given).decode().split("\x00")
        except ValueError:
            return False
        return method.upper() == "PLAIN" and (user, password) == self._login


async def _until_dot(reader: StreamReader) -> bytes:
    lines: list[bytes] = []
    while (line := await reader.readuntil(b"\r\n")) != b".\r\n":
        lines.append(line.removeprefix(b"."))
    return b"".join(lines)
