"""A server's process: started below a reaper, spoken to line by line, and gone with all it has started."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import Unavailable
from sulla.mcp.server import McpServer
from sulla.tools.shell.process import LIMITS, REAPER, environment

MAX_LINE: Final = 4 * 1024 * 1024
"""Bytes of one message. A result that is read by a model has a hundredth of it."""
MAX_UNREAD: Final = 4 * 1024 * 1024
"""Bytes that may wait for a server that does not read."""
MAX_SAID: Final = 2048
"""How much is remembered of what a server writes to standard error, from its end."""
LEAVE_S: Final = 1.0
"""How long a server may take to leave once its input has ended; the protocol asks for that first."""
ASKED_S: Final = 1.5
"""How long after it was asked by a signal: a little more than its reaper gives it."""
KILLED_S: Final = 2.0
"""How long its reaper may take to kill it."""


@dataclass(frozen=True, slots=True)
class ServerFolders:
    """The folders that servers are started in, and where their programs are looked for.

    Args:
        root: each server gets a folder of its own in here, as its home and its working directory.
        path: the folders that programs are looked for in, with colons between; empty for the system's own.
    """

    root: Path
    path: str = ""


@asynccontextmanager
async def server_process(server: McpServer, folders: ServerFolders, clock: Clock) -> AsyncGenerator[ServerProcess]:
    """Start a server's program. When this is left, neither it nor anything that it started runs any more.

    Raises:
        Unavailable: it cannot be started.
    """
    home, loop = folders.root / server.name, asyncio.get_running_loop()
    errors = _ErrorTail()
    for_input, input_end = os.pipe()
    error_end, for_errors = os.pipe()
    writing, _ = await loop.connect_write_pipe(asyncio.Protocol, os.fdopen(input_end, "wb", 0))
    hearing, _ = await loop.connect_read_pipe(lambda: errors, os.fdopen(error_end, "rb", 0))
    try:
        await asyncio.to_thread(home.mkdir, mode=0o700, parents=True, exist_ok=True)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", os.fspath(REAPER)),
            # A reaper's input is its own line to the daemon, and it sends errors where output goes: a server gets both
            # anew.
            ",".join(
                f"{name}={number}" for name, number in {**LIMITS, "INPUT": for_input, "ERRORS": for_errors}.items()
            ),
            *(server.command, *server.args),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            pass_fds=(for_input, for_errors),
            limit=MAX_LINE,
            cwd=home,
            env=environment(home, folders.path) | dict(server.env),
        )
    except BaseException as error:
        writing.abort()
        hearing.close()
        if isinstance(error, OSError):
            raise Unavailable(f"its program cannot be started: {os.strerror(error.errno or 0)}") from error
        raise
    finally:
        os.close(for_input)
        os.close(for_errors)
    started = ServerProcess(process, writing, errors, clock)
    try:
        yield started
    finally:
        await started.stop()
        hearing.close()


class ServerProcess:
    """The process of a server that is a program; it lives as long as the connection.

    Args:
        process: its reaper.
        writing: to its standard input.
        errors: hears its standard error.
        clock: all time.
    """

    def __init__(
        self, process: asyncio.subprocess.Process, writing: asyncio.WriteTransport, errors: _ErrorTail, clock: Clock
    ) -> None:
        self._process = process
        self._writing = writing
        self._errors = errors
        self._clock = clock

    @property
    def said(self) -> str:
        """The end of what it wrote to standard error."""
        return self._errors.heard.decode("utf-8", "replace").strip()

    async def line(self) -> bytes:
        """The next line of its standard output.

        Raises:
            Unavailable: there is none any more, or it is too long.
        """
        stdout = self._process.stdout
        try:
            return await stdout.readuntil() if stdout is not None else b""
        except asyncio.LimitOverrunError:
            raise Unavailable(f"it sent a message of more than {MAX_LINE} bytes") from None
        except (asyncio.IncompleteReadError, ConnectionError):
            raise Unavailable(await self._ended()) from None

    def send(self, line: bytes) -> None:
        """Hand it a line; does not wait for it to be read.

        Raises:
            Unavailable: it does not read, or not any more.
        """
        if self._writing.is_closing():
            raise Unavailable("it takes nothing in any more")
        if self._writing.get_write_buffer_size() > MAX_UNREAD:
            raise Unavailable(f"it does not read: more than {MAX_UNREAD} bytes wait for it")
        self._writing.write(line)

    async def stop(self) -> None:
        """Have it leave: first by the end of its input, then by a signal, then by force."""
        if not self._writing.is_closing():
            self._writing.abort()
        if await self._gone(LEAVE_S):
            return
        line = self._process.stdin
        if line is not None:
            with suppress(ConnectionError):
                line.write(b"t")
            if await self._gone(ASKED_S):
                return
            line.close()
        if not await self._gone(KILLED_S):
            with suppress(ProcessLookupError):
                self._process.kill()  # not even its reaper answers; somebody stopped it

    async def _ended(self) -> str:
        if not await self._gone(LEAVE_S):
            return "it has closed its output"
        status = self._process.returncode or 0
        return f"its program ended with the exit status {status if status >= 0 else 128 - status}"

    async def _gone(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            async with self._clock.timeout(seconds):
                # What it leaves in its pipe has to be read on: a process counts as ended only when all was.
                await asyncio.gather(self._process.wait(), self._drain())
        return self._process.returncode is not None

    async def _drain(self) -> None:
        stdout = self._process.stdout
        while stdout is not None and await stdout.read(65_536):
            pass


class _ErrorTail(asyncio.Protocol):
    """Keeps the end of what a process writes to standard error."""

    def __init__(self) -> None:
        self.heard = b""

    def data_received(self, data: bytes) -> None:
        """More of it."""
        self.heard = (self.heard + data[-MAX_SAID:])[-MAX_SAID:]
