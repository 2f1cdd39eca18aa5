"""Saves files that come with messages below the workspace, within bounds, and marks them as from outside."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Final

from sulla.agent.calls.file_marks import FileMarks
from sulla.channels.base import Arrived, Attachment
from sulla.channels.machine.names import safe_name
from sulla.channels.run.ending import each_ending
from sulla.channels.run.held import Held
from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import SullaError, TooLarge

FOLDER: Final = "inbox"
FETCH_S: Final = 120.0
"""How long all files of one message may take."""
LEAST_BYTES: Final = 20_000
"""So much of a file comes in `WITHIN_S`, or it is given up."""
WITHIN_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class FileBounds:
    """What may come in with messages."""

    file_bytes: int = 20_000_000
    message_files: int = 10
    total_bytes: int = 1_000_000_000
    """Of all that lies in a channel's folder; beyond it nothing more is saved until somebody tidies up."""


Heard = Callable[[str, bytes], Awaitable[str]]
"""Gives the words of a voice note, of the name of its file and its content."""
UNHEARD: Final = "no recognizer is set ([channels] recognizer), so nobody has written it down"


class Inbox:
    """Where files go that people send. It lives as long as the daemon.

    Args:
        workspace: of the agents.
        marks: says which files are from outside.
        clock: all time.
        bounds: of what comes.
        heard: gives the words of a voice note; None where nobody does.
    """

    def __init__(
        self,
        workspace: Path,
        marks: FileMarks,
        clock: Clock,
        bounds: FileBounds,
        heard: Heard | None = None,
    ) -> None:
        self._workspace = workspace
        self._marks = marks
        self._clock = clock
        self._bounds = bounds
        self._heard = heard

    async def save(self, held: Held, arrived: Arrived, message_id: str) -> str:
        """Save what came with a message; what the agent is told of it, empty where nothing came.

        Args:
            held: the channel.
            arrived: the message.
            message_id: ours; the same one is saved at the same place.
        """
        lines: list[str] = []
        until_s = self._clock.elapsed() + FETCH_S
        for number, one in enumerate(arrived.attachments):
            if number >= self._bounds.message_files:
                lines.append(f"- {len(arrived.attachments) - number} more, which were not saved: too many came at once")
                break
            lines.append(await self._line(held, one, safe_name(one.name or one.kind, message_id, number), until_s))
        return "\n".join(["Files that came with this message:", *lines]) if lines else ""

    async def _line(self, held: Held, one: Attachment, name: str, until_s: float) -> str:
        kind = {"picture": "a picture", "voice": "a voice note"}.get(one.kind, "a file")
        target = self._workspace / FOLDER / held.name / name
        shown = target.relative_to(self._workspace).as_posix()
        try:
            content = await self._fetch(held, one, target, until_s)
        except TimeoutError:
            if self._clock.elapsed() < until_s:
                return f"- {kind}, which was not saved: less than {LEAST_BYTES} bytes of it came in {WITHIN_S:g} s"
            return f"- {kind}, which was not saved: this message's files took longer than {FETCH_S:g} s"
        except SullaError as error:
            return f"- {kind}, which was not saved: {error.message}"
        except OSError as error:
            return f"- {kind}, which was not saved: {error.strerror}"
        said = await self._words(one, target.name, content)
        return f"- {kind} of {len(content)} bytes: {shown}{said}"

    async def _words(self, one: Attachment, name: str, content: bytes) -> str:
        """What a voice note says; that nobody knows, where nobody does."""
        if one.kind != "voice":
            return ""
        if self._heard is None:
            return f"; {UNHEARD}"
        try:
            return f"; it says: {await self._heard(name, content)}"
        except SullaError as error:
            return f"; it was not written down: {error.message}"

    async def _fetch(self, held: Held, one: Attachment, target: Path, until_s: float) -> bytes:
        most = self._bounds.file_bytes
        if (one.size_bytes or 0) > most:
            raise TooLarge(f"it has {one.size_bytes} bytes, and {most} may come")
        pieces, size = list[bytes](), 0
        async with aclosing(self._in_time(held.channel.fetch(one), until_s)) as fetched:
            async for piece in fetched:
                size += len(piece)
                if size > most:
                    raise TooLarge(f"it has more than {most} bytes")
                pieces.append(piece)
        there = await asyncio.to_thread(_total, target.parent)
        if there + size > self._bounds.total_bytes:
            raise TooLarge(
                f"{target.parent.name!r} holds {there} bytes already, and {self._bounds.total_bytes} may lie there"
            )
        async with self._marks.writing(await asyncio.to_thread(target.resolve), tainted=True):
            await asyncio.to_thread(_write, target, self._workspace, content := b"".join(pieces))
        return content

    async def _in_time(self, pieces: AsyncIterator[bytes], until_s: float) -> AsyncGenerator[bytes, None]:
        """The pieces of a file, as long as they come fast enough.

        Raises:
            TimeoutError: they do not.
        """
        each = each_ending(pieces)
        seen, soon_s = 0, self._clock.elapsed() + WITHIN_S
        while True:
            try:
                async with self._clock.timeout(max(0.0, min(soon_s, until_s) - self._clock.elapsed())):
                    piece = await anext(each)
            except StopAsyncIteration:
                return
            seen += len(piece)
            if seen >= LEAST_BYTES:
                seen, soon_s = 0, self._clock.elapsed() + WITHIN_S
            yield piece


def _total(folder: Path) -> int:
    if not folder.is_dir():
        return 0
    return sum(entry.stat(follow_symlinks=False).st_size for entry in os.scandir(folder))


def _write(target: Path, workspace: Path, content: bytes) -> None:
    """Write a file in one step, not through links that lead elsewhere."""
    folder = target.parent
    folder.mkdir(parents=True, exist_ok=True)
    if workspace.resolve() not in folder.resolve().parents:
        raise TooLarge(f"{FOLDER!r} of the workspace leads out of it: remove the link")
    beside = folder / f".{target.name}.part"
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "wb") as file:
        file.write(content)
    beside.replace(target)
