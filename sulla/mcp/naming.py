"""What a server's tools are called here. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from itertools import count
from typing import Final

MAX_NAME: Final = 64
"""Characters of a tool's name, as models' services take it."""

_HASH_CHARS: Final = 8
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]")


def tool_names(server: str, offered: Iterable[str]) -> dict[str, str]:
    """The name of each tool: ``mcp__<server>__<tool>``.

    A name that is too long or has other characters in it ends in a digest of what the server calls the tool. No two are
    ever called the same, whatever a server makes up.

    Args:
        server: the server's name.
        offered: what it calls its tools, each once.

    Returns:
        What each of them is called here, by what the server calls it.
    """
    whole = {name: f"mcp__{server}__{name}" for name in offered}
    found = {name: full for name, full in whole.items() if len(full) <= MAX_NAME and not _FOREIGN.search(full)}
    taken = set(found.values())
    for name, full in whole.items():
        if name not in found:
            others = (_with_digest(_FOREIGN.sub("_", full), f"{name}{number}") for number in count())
            found[name] = next(other for other in others if other not in taken)
            taken.add(found[name])
    return {name: found[name] for name in whole}


def _with_digest(plain: str, name: str) -> str:
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARS]
    return f"{plain[: MAX_NAME - _HASH_CHARS - 1]}_{digest}"
