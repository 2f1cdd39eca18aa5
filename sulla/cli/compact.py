"""`sulla doctor --compact`."""

from __future__ import annotations

import asyncio
import json

from sulla.daemon.home.compaction import compact_home
from sulla.daemon.settings.config import Settings
from sulla.terminal.exits import Exit
from sulla.terminal.table import one_line


def compact(settings: Settings, *, as_json: bool) -> Exit:
    """Remove for good what is left of deleted threads, and print what was done as it is.

    Args:
        settings: the home, which no daemon may run on.
        as_json: print one object per line.
    """
    asyncio.run(_compact(settings, as_json=as_json))
    return Exit.OK


async def _compact(settings: Settings, *, as_json: bool) -> None:
    async for what, done in compact_home(settings):
        print(json.dumps({"compacted": what, "done": done}) if as_json else f"{what:<9}  {one_line(done)}", flush=True)
