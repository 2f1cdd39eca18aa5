"""Makes text of the pages of a PDF in a process of its own.

What somebody else has made may be made to make a parser go wrong: here that costs a process, and its time has an end.
Run as a file of its own, with nothing of Sulla in it (see `reading`). A PDF goes in, and JSON comes out: ``pages``, the
text of each, and ``count``, how many there are. The parser comes with the extra `pdf`.
"""

from __future__ import annotations

import json
import resource
import sys
from io import BytesIO

CPU_S = 30
"""The system ends it after this much processor time, in seconds, should nobody be left to kill it."""
MEMORY_BYTES = 2 * 1024**3
"""Address space, much of which is never touched."""
MAX_OUT_BYTES = 8 * 1024 * 1024
"""Text of all pages: a PDF can be much longer than its file."""
MAX_PAGES = 5_000
LACKING = 3
"""It ends with this where the parser is not installed."""
LOCKED = 4
"""The same for a PDF that wants a password."""


def pages_of(raw: bytes) -> dict[str, object] | None:
    """The text of the first pages, as many as there is room for, and how many there are; None behind a password.

    Args:
        raw: the PDF.
    """
    from pypdf import PasswordType, PdfReader

    reader = PdfReader(BytesIO(raw))
    if reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED:
        return None
    pages: list[str] = []
    room = MAX_OUT_BYTES
    for page in reader.pages:
        text = page.extract_text()
        room -= len(text.encode("utf-8", "replace"))
        if room < 0 or len(pages) == MAX_PAGES:
            break
        pages.append(text)
    return {"pages": pages, "count": len(reader.pages)}


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    if sys.platform == "linux":  # elsewhere it is not to be set
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    try:
        import pypdf  # noqa: F401 - only to see whether it is there
    except ImportError:
        sys.exit(LACKING)
    found = pages_of(sys.stdin.buffer.read())
    if found is None:
        sys.exit(LOCKED)
    sys.stdout.write(json.dumps(found))
