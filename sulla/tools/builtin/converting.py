"""What makes text of other people's files, run where it can do no harm."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from pathlib import Path

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Converted:
    """How a converter ended."""

    status: int
    out: bytes
    """What it has written; bounded by the converter itself."""


async def run_converter(converter: Path, argument: str, raw: bytes, clock: Clock, time_s: float) -> Converted:
    """Run a converter: a file of Python with nothing of Sulla in it, in a process without environment. It is killed
    when its time is over, or when whoever waits for it is cancelled.

    Args:
        converter: the file.
        argument: what it is told.
        raw: what it is to convert.
        clock: for the deadline.
        time_s: how long it may take.

    Raises:
        TimeoutError: it takes longer.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", str(converter), argument),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={},
    )
    try:
        async with clock.timeout(time_s):
            out, _ = await process.communicate(raw)
            return Converted(await process.wait(), out)
    finally:
        with suppress(ProcessLookupError):  # usually it has ended by itself
            process.kill()
