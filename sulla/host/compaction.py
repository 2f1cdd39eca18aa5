"""What `sulla doctor --compact` has a capability do: remove what it keeps of threads that were deleted."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Collection
from dataclasses import field
from pathlib import Path
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import Json
from sulla.host.settings import HomeSettings
from sulla.store.base import Store

DRAFT: Final = ".compact.new"
"""What a file is called while it is written anew; a kill leaves it, and the next time it is begun again."""
_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC


Scrub = Callable[[str], str]
"""Gives a text without what is gone; the very text if nothing of it is."""


@dataclass(frozen=True, slots=True)
class CompactionContext:
    """The home that is cleared up, under its lock: no daemon runs on it. It lives as long as one `--compact`."""

    settings: HomeSettings
    store: Store
    """Open; other daemons may be at work on it, if it is a server's."""
    owner: str
    """``<home id>:<boot nonce>``, for leases."""
    clock: Clock
    live: Collection[str]
    """The ids of all threads that there are."""
    scrubs: list[Scrub] = field(default_factory=list)
    """What takes words of deleted threads out of texts of other ones. A capability adds its own; what
    comes behind it, the store's file at the end, is gone through with all of them."""

    def scrub(self, value: Json) -> Json:
        """JSON without those words; the same object if there are none in it."""
        match value:
            case str():
                for scrub in self.scrubs:
                    value = scrub(value)
                return value
            case list():
                items = [self.scrub(item) for item in value]
                return value if all(new is old for new, old in zip(items, value, strict=True)) else items
            case dict():
                fields = {name: self.scrub(item) for name, item in value.items()}
                return value if all(fields[name] is item for name, item in value.items()) else fields
            case _:
                return value


Compaction = Callable[[CompactionContext], Awaitable[str]]
"""Removes for good what a capability keeps of threads that there are not; what it did, in a line for people. Killed at
any moment, what was kept of other threads is there, and the next time does the rest."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What became of a file's lines."""

    dropped: int = 0
    changed: int = 0


def rewrite_lines(path: Path, keep: Callable[[bytes], bytes | None]) -> Rewritten:
    """Write a file of lines anew without some of them, a line at a time, so that its size does not matter. The new file
    takes the old one's place in one step, once the disk has it. Blocks.

    Args:
        path: the file; nothing is done if there is none.
        keep: gives for a line (with its end) what stands in its place: itself, another one, or nothing; None for it and
            all that follow to go.

    Raises:
        OSError: it could not be read or written; the file is as it was.
    """
    if not path.is_file():
        return Rewritten()
    draft, dropped, changed = path.with_name(f".{path.name}{DRAFT}"), 0, 0
    with path.open("rb") as old, os.fdopen(os.open(draft, _FLAGS, 0o600), "wb") as new:
        ended = False
        for line in old:
            stays = None if ended else keep(line)
            ended = ended or stays is None
            new.write(stays or b"")
            dropped += not stays
            changed += bool(stays) and stays != line
        new.flush()
        os.fsync(new.fileno())
    if dropped or changed:
        draft.replace(path)
        sync_folder(path.parent)
    else:
        draft.unlink()
    return Rewritten(dropped, changed)


def sync_folder(path: Path) -> None:
    """Return when the disk has the names in a folder."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
