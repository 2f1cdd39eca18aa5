"""`sulla thread import`: into the store of a home that no daemon runs on."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sulla.cli.settings import settings_of
from sulla.core.errors import InvalidInput, Refused
from sulla.core.ids import ThreadId
from sulla.daemon.home.archive import open_archive
from sulla.host.system import random_id
from sulla.terminal.exits import Exit
from sulla.terminal.output import tell
from sulla.terminal.table import one_line
from sulla.threads.archive.lines import MAX_LINE_BYTES
from sulla.threads.archive.restore import Restored, ThreadRestore

ALONE: Final = (
    "conversations alone come along: tokens, schedules, what was always allowed, facts that agents remember and people "
    "who were let in stay in the store that they are in (docs/upkeep.md says what to do)"
)
"""What is told behind an import: a store keeps more than threads."""


def run_import(given: argparse.Namespace) -> Exit:
    """Take in one file after the other; one that is refused does not hold up the others."""
    return asyncio.run(_import(given))


async def _import(given: argparse.Namespace) -> Exit:
    ended, fresh = Exit.OK, False
    async with open_archive(settings_of(given), make=True) as archive:
        for path in given.files:
            try:
                restored = await _take_in(archive.restore, path, as_new=given.as_new)
            except Refused as error:
                tell(f"sulla: {path}: {error.message}")
                ended = Exit.REFUSED
                continue
            fresh = fresh or restored.fresh
            print(json.dumps(_row(path, restored)) if given.json else one_line(_told(path, restored)))
    if fresh:
        tell(ALONE)
    return ended


async def _take_in(restore: ThreadRestore, path: Path, *, as_new: bool) -> Restored:
    try:
        with path.open("rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InvalidInput("this is no file that can be read twice: save it as one first")

            def lines() -> Iterator[bytes]:
                file.seek(0)
                while line := file.readline(MAX_LINE_BYTES + 1):
                    yield line

            return await restore.restore(lines, copy_as=ThreadId(random_id("thr")) if as_new else None)
    except OSError as error:
        raise InvalidInput(f"it cannot be read: {error.strerror or error}") from None


def _row(path: Path, restored: Restored) -> dict[str, object]:
    return {
        "file": str(path),
        "thread_id": restored.thread_id,
        "records": restored.records,
        "fresh": restored.fresh,
        "ended": restored.ended,
    }


def _told(path: Path, restored: Restored) -> str:
    if not restored.fresh:
        return (
            f"{path}: thread {restored.thread_id} is here already, with all {restored.records} records: nothing to do"
        )
    runs = "turn that was under way ends" if restored.ended == 1 else "turns that were under way or waited end"
    more = f"; {restored.ended} {runs} here as cancelled (imported)" if restored.ended else ""
    return f"{path}: imported thread {restored.thread_id}, {restored.records} records{more}"
