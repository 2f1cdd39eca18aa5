"""The provider's side of IMAP4rev1 (RFC 3501) with IDLE (RFC 2177), as far as a reader needs it."""

from __future__ import annotations

import asyncio
import re
from asyncio import StreamReader, StreamWriter
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Final

from sulla.testing.channels.mail.connections import Connections
from sulla.testing.channels.mail.folders import Folder, Kept
from sulla.testing.channels.network import Network

_ARGUMENT: Final = re.compile(r'"((?:\\.|[^"\\])*)"|(\([^)]*\))|(\S+)')


class ImapSide:
    """Serves folders by IMAP. It lives as long as its fake.

    Args:
        folders: by name.
        login: name and password that are good.
        network: what goes wrong on the way.
    """

    def __init__(self, folders: Mapping[str, Folder], login: tuple[str, str], network: Network) -> None:
        self._folders = folders
        self._login = login
        self._network = network
        self.connections = Connections()
        self.idles = True
        """Whether it tells by itself that something came."""
        self.tells_status = True
        """Whether it says how a folder is before it says that it has said so."""

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        """One connection, to its end."""
        with self.connections.held(writer), suppress(ConnectionError, asyncio.IncompleteReadError):
            if self._network.gone:
                writer.transport.abort()
            else:
                await _Session(reader, writer, self._folders, self._login, self).run()


class _Session:
    """One connection."""

    def __init__(
        self,
        reader: StreamReader,
        writer: StreamWriter,
        folders: Mapping[str, Folder],
        login: tuple[str, str],
        server: ImapSide,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._folders = folders
        self._login = login
        self._capabilities = "IMAP4rev1 IDLE" if server.idles else "IMAP4rev1"
        self._tells_status = server.tells_status
        self._known = False
        self._folder: Folder | None = None
        self._told = 0
        """How many mails it has told of."""

    async def run(self) -> None:
        """Until it is over."""
        self._say(f"* OK [CAPABILITY {self._capabilities}] here")
        while line := (await self._reader.readline()).decode("utf-8", "replace").rstrip("\r\n"):
            tag, _, rest = line.partition(" ")
            name, _, said = rest.partition(" ")
            name = name.upper()
            arguments = ["".join(found) for found in _ARGUMENT.findall(said)]
            if name == "IDLE" and self._folder is not None:
                await self._idle(self._folder)
                self._say(f"{tag} OK idled")
            elif name == "LOGOUT":
                self._say("* BYE", f"{tag} OK")
                return
            else:
                self._say(f"{tag} {self._answer(name, arguments)}")
            await self._writer.drain()

    def _answer(self, name: str, said: list[str]) -> str:
        match name, said:
            case "CAPABILITY", _:
                self._say(f"* CAPABILITY {self._capabilities}")
                return "OK done"
            case "LOGIN", [user, password]:
                self._known = (user, re.sub(r"\\(.)", r"\1", password)) == self._login
                return "OK in" if self._known else "NO [AUTHENTICATIONFAILED] Invalid credentials"
            case (("EXAMINE" | "SELECT"), [folder]) if self._known:
                return self._examine(folder)
            case "STATUS", [folder, _] if self._known and folder in self._folders:
                found = self._folders[folder]
                if self._tells_status:
                    self._say(f'* STATUS "{folder}" (UIDVALIDITY {found.validity} UIDNEXT {found.next_uid})')
                return "OK done"
            case "UID", [action, *more] if self._folder is not None:
                return self._by_uid(action.upper(), more, self._folder)
            case _:
                return "BAD what"

    def _examine(self, name: str) -> str:
        self._folder = self._folders.get(name)
        if self._folder is None:
            return "NO there is no such folder"
        self._tell(self._folder)
        self._say(f"* OK [UIDVALIDITY {self._folder.validity}] so")
        return "OK [READ-WRITE] done"

    def _by_uid(self, action: str, said: list[str], folder: Folder) -> str:
        if action == "SEARCH":
            self._told = len(folder.mails)
            found = " ".join(str(one.uid) for one in _searched(said, folder))
            self._say(f"* SEARCH {found}".rstrip())
            return "OK found"
        wanted = {int(one) for one in said[0].split(",")}
        if action == "STORE":
            folder.read |= wanted
            return "OK stored"
        for uid in sorted(wanted):
            at = bisect_left(folder.mails, uid, key=lambda one: one.uid)
            if at < len(folder.mails) and folder.mails[at].uid == uid:
                self._fetch(at + 1, folder.mails[at], said[1])
        return "OK fetched"

    def _fetch(self, number: int, mail: Kept, what: str) -> None:
        head = f"* {number} FETCH (UID {mail.uid}"
        if "RFC822.SIZE" in what:
            self._say(f"{head} RFC822.SIZE {len(mail.raw)})")
            return
        part = re.search(r"<0\.(\d+)>", what)
        section = "HEADER" if "[HEADER]" in what else ""
        raw = mail.raw[: mail.raw.find(b"\r\n\r\n") + 4] if section else mail.raw
        raw = raw[: int(part.group(1))] if part else raw
        self._say(f"{head} BODY[{section}]{'<0>' if part else ''} {{{len(raw)}}}")
        self._writer.write(raw + b")\r\n")

    async def _idle(self, folder: Folder) -> None:
        """Tell what comes, until the other side has enough."""
        news = [self._told_of(folder)] if len(folder.mails) > self._told else []
        self._say("+ idling", *news)  # at once, as a server does: both are one packet then
        async with asyncio.TaskGroup() as group:
            telling = group.create_task(self._tell_on(folder))
            with suppress(ConnectionError):  # the next look finds the end
                await self._reader.readline()
            telling.cancel()

    async def _tell_on(self, folder: Folder) -> None:
        news = asyncio.Event()
        folder.waiting.add(news)
        try:
            while True:
                if len(folder.mails) > self._told:
                    self._tell(folder)
                await news.wait()
                news.clear()
        finally:
            folder.waiting.discard(news)

    def _tell(self, folder: Folder) -> None:
        self._say(self._told_of(folder))

    def _told_of(self, folder: Folder) -> str:
        self._told = len(folder.mails)
        return f"* {self._told} EXISTS"

    def _say(self, *lines: str) -> None:
        self._writer.write(b"".join(line.encode() + b"\r\n" for line in lines))


def _searched(said: list[str], folder: Folder) -> Iterator[Kept]:
    match said:
        case ["UID", span]:
            least = int(span.partition(":")[0])
            found = [one for one in folder.mails if one.uid >= least]
            yield from found or folder.mails[-1:]  # `*` is the last one, also where it comes before the first
        case ["UNSEEN", "SINCE", day]:
            yield from (one for one in _searched(["SINCE", day], folder) if one.uid not in folder.read)
        case ["SINCE", day]:
            since = datetime.strptime(day, "%d-%b-%Y").date()  # noqa: DTZ007 - a day has no zone here
            yield from (one for one in folder.mails if one.day >= since)
        case ["HEADER", name, value]:
            wanted = f"{name}: {value}".lower().encode()
            yield from (one for one in folder.mails if wanted in one.raw.lower())
        case _:
            return
