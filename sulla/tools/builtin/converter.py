"""Makes Markdown of HTML in a process of its own.

What comes from the web may be made to make a parser go wrong: here that costs a process, and its time has an end. Run
as a file of its own, with nothing of Sulla in it (see `markdown`). HTML goes in as UTF-8 and Markdown comes out. Pure.
"""

from __future__ import annotations

import resource
import sys

from html_to_markdown import ConversionOptions, convert

CPU_S = 20
"""The system ends it after this much processor time, in seconds, should nobody be left to kill it."""
MEMORY_BYTES = 2 * 1024**3
"""Address space, much of which is never touched."""
MAX_OUT_BYTES = 8 * 1024 * 1024
"""Markdown can be much longer than its HTML, because addresses are made whole."""
MAX_DEPTH = 256
"""Elements within each other; what lies deeper is left out."""


def to_markdown(html: str, base_url: str) -> str:
    """The readable part of a page: no scripts, styles, hidden parts, navigation or images; links made whole."""
    options = ConversionOptions(
        base_url=base_url,
        skip_images=True,
        extract_metadata=False,
        hidden_content="drop",
        max_depth=MAX_DEPTH,
        default_title=False,
    )
    return convert(html, options).content or ""


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    if sys.platform == "linux":  # elsewhere it is not to be set
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    page = sys.stdin.buffer.read().decode("utf-8", "replace")
    sys.stdout.buffer.write(to_markdown(page, sys.argv[1]).encode("utf-8", "replace")[:MAX_OUT_BYTES])
