"""`sulla thread import` that is killed at its n-th write: ``python -m tests.cli.dying_import HOME FILE N``.

Even numbers die before the write, odd ones after it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

from sulla.daemon.home.archive import open_archive
from sulla.daemon.settings.config import load_settings
from sulla.host.place import Place
from sulla.testing.store import FaultyStore, Touch


async def die(home: Path, file: Path, at: int) -> None:
    """Begin to import, and do not come back."""
    touches = 0

    async def plan(_: Touch) -> None:
        nonlocal touches
        touches += 1
        if touches == at:
            os.kill(os.getpid(), signal.SIGKILL)

    def prepare(place: Place) -> Place:
        return replace(place, wrap_store=lambda store: FaultyStore(store, plan))

    lines = file.read_bytes().splitlines(keepends=True)
    async with open_archive(load_settings({}, {}, home), make=True, prepare=prepare) as archive:
        await archive.restore.restore(lambda: lines)


if __name__ == "__main__":
    asyncio.run(die(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
