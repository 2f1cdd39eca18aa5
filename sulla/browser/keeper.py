"""The small program that stands between Playwright and Chromium: it leaves nothing of it behind.

Run as a file of its own (``python -I -S keeper.py LIFE PROXY PORT COUNT PROFILE CHROMIUM ARGUMENT…``), so it imports
nothing of Sulla. It holds a connection to the daemon's socket LIFE; where that breaks the daemon is gone, and Chromium
is killed with all that it has started. In a sandbox without a network it is also the one way out: what connects on
loopback there to one of COUNT ports from PORT on is handed on to a socket of the daemon's, PROXY with the port's number
behind it. Without a sandbox COUNT is 0.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from functools import partial

PIPES = (3, 4)
"""Where Chromium hears and answers what drives it."""
PIECE_BYTES = 64 * 1024
SET_DEATH_SIGNAL = 1
"""``PR_SET_PDEATHSIG`` of prctl(2)."""
PROFILE = "--user-data-dir="
FEATURES = "--disable-features="


async def serve(life: str, proxy: str, port: int, count: int, profile: str, argv: list[str]) -> int:
    """Run Chromium until it ends, or the daemon does.

    Args:
        life: the socket that the daemon holds open as long as it lives.
        proxy: how the sockets of its proxies begin.
        port: where Chromium finds the first of them on loopback.
        count: how many there are; 0 if it does not have to find them there.
        profile: the folder for Chromium's own files.
        argv: Chromium and its arguments.

    Returns:
        The exit status to leave with.
    """
    held = socket.socket(socket.AF_UNIX)
    held.connect(life)
    for one in range(port, port + count):
        await asyncio.start_server(partial(_hand_on, f"{proxy}{one}"), "127.0.0.1", one)
    chromium = _begin(arranged(argv, profile))
    loop = asyncio.get_running_loop()
    ended, gone = loop.run_in_executor(None, chromium.wait), loop.run_in_executor(None, held.recv, 1)
    await asyncio.wait((ended, gone), return_when=asyncio.FIRST_COMPLETED)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(chromium.pid, signal.SIGKILL)
    status = await ended
    with suppress(OSError):
        held.shutdown(socket.SHUT_RDWR)  # so that nobody waits for it any more
    shutil.rmtree(profile, ignore_errors=True)
    return status if status >= 0 else 128 - status


def arranged(argv: list[str], profile: str) -> list[str]:
    """Chromium's arguments with its profile where we want it, and one list of features for all that there are.

    Args:
        argv: as Playwright gives them.
        profile: the folder.
    """
    off = [word.removeprefix(FEATURES) for word in argv if word.startswith(FEATURES)]
    given = [f"{PROFILE}{profile}" if word.startswith(PROFILE) else word for word in argv]
    given = [word for word in given if not word.startswith(FEATURES)]
    return [*given, f"{FEATURES}{','.join(off)}"] if off else given  # it would take the last list alone


def _begin(argv: list[str]) -> subprocess.Popen[bytes]:
    chromium = subprocess.Popen(argv, pass_fds=PIPES, process_group=0, preexec_fn=_die_with_parent)  # noqa: PLW1509 - one call
    for fd in PIPES:
        os.close(fd)  # Chromium alone shall keep them open
    return chromium


async def _hand_on(proxy: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        there, back = await asyncio.open_unix_connection(proxy)
    except OSError:
        writer.close()
        return
    await asyncio.gather(_pump(reader, back), _pump(there, writer))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await reader.read(PIECE_BYTES):
            writer.write(piece)
            await writer.drain()
    writer.close()


def _die_with_parent() -> None:
    """Between fork and exec: whoever kills the keeper kills Chromium."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, signal.SIGKILL)


if __name__ == "__main__":
    life, proxy, port, count, profile, *argv = sys.argv[1:]
    sys.exit(asyncio.run(serve(life, proxy, int(port), int(count), profile, argv)))
