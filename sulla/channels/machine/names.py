"""Safe names for files that come from outside. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from sulla.core.ids import derived_id

MOST_CHARS: Final = 60
_PLAIN: Final = re.compile(r"[^A-Za-z0-9._-]+")
_RESERVED: Final = frozenset({"con", "prn", "aux", "nul", *(f"{n}{i}" for n in ("com", "lpt") for i in range(1, 10))})


def safe_name(name: str, message: str, number: int) -> str:
    """What a file is called that somebody sends: of plain letters, never hidden, and never the same for two.

    Args:
        name: what the sender calls it: anything.
        message: our id of the message that it came with.
        number: which of its files it is.
    """
    plain = unicodedata.normalize("NFKD", re.split(r"[/\\\x00]", name)[-1]).encode("ascii", "ignore").decode()
    plain = _PLAIN.sub("-", plain).strip(".-_ ")
    stem, dot, ending = plain.rpartition(".")
    if not dot:
        stem, ending = plain, ""
    stem, ending = stem[:MOST_CHARS].rstrip(".-_ ") or "file", ending[:10]
    if stem.lower() in _RESERVED:
        stem = f"{stem}-file"
    tag = derived_id("f", message, str(number)).removeprefix("f_")[:8]
    return f"{tag}-{stem}.{ending}" if ending else f"{tag}-{stem}"
