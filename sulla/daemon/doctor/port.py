"""Who listens on a port of this machine."""

from __future__ import annotations

import asyncio
import http.client
import json
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

ANSWER_S = 2.0
"""How long a daemon may take to say that it is alive."""

_LISTENS = "0A"
"""The state of a listening socket in the kernel's table."""

_PROC = Path("/proc")


async def is_alive(url: str) -> bool:
    """Whether a Sulla daemon answers there."""
    return await asyncio.to_thread(_alive, url)


def _alive(url: str) -> bool:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=ANSWER_S)
    try:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        return answer.status == 200 and json.loads(answer.read(1024)) == {"status": "ok"}
    except (OSError, http.client.HTTPException, ValueError):
        return False  # what is asked is whether it answers like one: anything else is an answer
    finally:
        connection.close()


def who_listens(port: int, proc: Path = _PROC) -> str:
    """The program that listens on a port, e.g. ``python3 (pid 4711)``; empty if that cannot be told.

    Only Linux tells, and of other users' programs only to root.

    Args:
        port: the port.
        proc: where the kernel's tables are.
    """
    inodes = set[str]()
    for name in ("tcp", "tcp6"):
        with suppress(OSError):
            inodes |= listening_inodes((proc / "net" / name).read_text(encoding="ascii"), port)
    wanted = {f"socket:[{inode}]" for inode in inodes}
    for folder in proc.glob("[0-9]*") if wanted else ():
        with suppress(OSError):  # gone by now, or another user's
            if any(str(handle.readlink()) in wanted for handle in (folder / "fd").iterdir()):
                return f"{(folder / 'comm').read_text(encoding='utf-8', errors='replace').strip()} (pid {folder.name})"
    return ""


def listening_inodes(table: str, port: int) -> set[str]:
    """The sockets that listen on a port.

    Args:
        table: the text of ``/proc/net/tcp``: a line of headings, then a line for each socket.
        port: the port.
    """
    found = set[str]()
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) > 9 and fields[3] == _LISTENS and int(fields[1].rpartition(":")[2], 16) == port:
            found.add(fields[9])
    return found
