"""The files and sockets of this process: how many may be open, and that nobody inherits them."""

from __future__ import annotations

import logging
import os
import resource
from contextlib import suppress
from pathlib import Path

OPEN_FILES = 2048
"""A thousand clients, 256 connections of strangers, and room for stores, providers and tools."""
log = logging.getLogger(__name__)


def prepare_open_files() -> None:
    """What a daemon does about its files before it opens any: enough of them, and none for the programs it starts."""
    allow_open_files()
    keep_open_files()


def allow_open_files(wanted: int = OPEN_FILES) -> None:
    """Raise the process's own limit, as far as the system lets it, and warn if that is not far enough.

    Many systems begin with 1024, or 256; who runs into that cannot take connections nor open a log.

    Args:
        wanted: files and sockets at once.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if _enough(soft, wanted):
        return
    reachable = wanted if _enough(hard, wanted) else hard
    with suppress(OSError, ValueError):  # what counts is how many it is afterwards
        resource.setrlimit(resource.RLIMIT_NOFILE, (reachable, hard))
    found, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if not _enough(found, wanted):
        log.warning(
            "this process may have %d files and sockets open, and wants %d: raise the hard limit (`ulimit -Hn %d`, or "
            "LimitNOFILE= of its service), or many clients at once can exhaust it",
            found,
            wanted,
            wanted,
        )


def keep_open_files() -> None:
    """Have no program that this process starts inherit what whoever started this process had open.

    uvloop closes nothing before it starts a program, so a folder or a lock of the shell that began the daemon would be
    passed on to commands and to MCP servers.
    """
    for open_file in list(Path("/dev/fd").iterdir()):
        if int(open_file.name) > 2:
            with suppress(OSError):  # the one that was listed with is closed already
                os.set_inheritable(int(open_file.name), False)


def _enough(limit: int, wanted: int) -> bool:
    return limit == resource.RLIM_INFINITY or limit >= wanted
