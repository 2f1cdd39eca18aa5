"""HTML as Markdown, made where it can do no harm."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import Refused

CONVERTER: Final = Path(__file__).with_name("converter.py")
"""Run, never imported: the daemon does not load an HTML parser."""
TIME_S: Final = 15.0
"""For one page, in seconds; two megabytes take half a second."""


async def html_to_markdown(html: str, base_url: str, clock: Clock) -> str:
    """The readable part of a page, with its links.

    Args:
        html: the page.
        base_url: where it is from, for links that say only the rest.
        clock: for the deadline.

    Raises:
        Refused: it cannot be made, or takes too long.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", str(CONVERTER), base_url),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={},
    )
    try:
        async with clock.timeout(TIME_S):
            out, _ = await process.communicate(html.encode("utf-8", "replace"))
            status = await process.wait()
    except TimeoutError:
        raise Refused(f"the page could not be made readable within {TIME_S:g} s") from None
    finally:
        with suppress(ProcessLookupError):  # usually it has ended by itself
            process.kill()
    if status != 0:
        raise Refused(f"the page could not be made readable: the converter ended with status {status}")
    return out.decode("utf-8", "ignore")
