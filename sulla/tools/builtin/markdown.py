"""HTML as Markdown, made where it can do no harm."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import Refused
from sulla.tools.builtin.converting import run_converter

CONVERTER: Final = Path(__file__).with_name("converter.py")
"""Run, never imported: the daemon does not load an HTML parser."""
TIME_S: Final = 15.0
"""For one page, in seconds; two megabytes take half a second."""


async def html_to_markdown(html: str, base_url: str, clock: Clock) -> str:
    """The readable part of a page, with its links.

    Args:
        html: the page.
        base_url: where it is from, for links that say only the rest; empty to leave them as they are.
        clock: for the deadline.

    Raises:
        Refused: it cannot be made, or takes too long.
    """
    try:
        made = await run_converter(CONVERTER, base_url, html.encode("utf-8", "replace"), clock, TIME_S)
    except TimeoutError:
        raise Refused(f"the page could not be made readable within {TIME_S:g} s") from None
    if made.status != 0:
        raise Refused(f"the page could not be made readable: the converter ended with status {made.status}")
    return made.out.decode("utf-8", "ignore")
