"""Finds what of a file or folder is marked, for a person who wants to trust it as it is."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from hashlib import blake2b
from heapq import nlargest
from pathlib import Path
from typing import Final

from sulla.agent.calls.file_state import ANY, FOLDER, content_of, look
from sulla.agent.calls.mark_book import CONTENT, Changes, Mark, is_covering, of_content
from sulla.agent.calls.moved_names import gone_by_name
from sulla.core.dataclass import dataclass
from sulla.core.errors import Conflict, InvalidInput, NotFound, TooLarge

MOST_READ: Final = 50_000
"""Files of a folder that is trusted at once."""
MOST_NAMED: Final = 20
"""Marked files that are named."""


@dataclass(frozen=True, slots=True)
class MarkedThere:
    """What is marked at a path; good for as long as nobody writes there."""

    is_folder: bool
    files: int
    """How many files this home has marked there."""
    others: int
    """How many other homes have marked something there: only they can take that away."""
    seen: str
    """Stands for all of it: it is another one once anything there is written or marked."""
    names: tuple[str, ...] = ()
    """Those of them that were written last, the newest first, below the path; a file itself is not named."""
    changes: Changes = field(default_factory=dict)
    """What takes this home's marks away."""


def held_below(target: Path) -> dict[str, str]:
    """The digests of a file, or of all files in a folder, by path. Reads them: call it on a worker thread.

    Args:
        target: the file or folder, links resolved.

    Raises:
        NotFound: there is nothing.
        TooLarge: there are more files than are read at once.
    """
    if (there := content_of(target)) is None:
        raise NotFound(f"{target}: there is no such file or folder")
    if there.digest != FOLDER:
        return {str(target): there.digest}
    found = look(target, MOST_READ)
    if len(found) > MOST_READ:
        raise TooLarge(f"{target} holds more than {MOST_READ} files and folders: name one in it")
    held = ((path, content_of(Path(path))) for path in found)
    return {path: content.digest for path, content in held if content is not None and content.digest != FOLDER}


def marked_at(target: Path, held: Mapping[str, str], homes: Sequence[Mapping[str, Mark]]) -> MarkedThere:
    """What is marked at a path.

    Args:
        target: the file or folder, links resolved.
        held: what it holds (`held_below`).
        homes: all marks, this home's first.

    Raises:
        InvalidInput: nothing is, or only together with the folder around it, or only for another home.
        Conflict: a run that nobody trusts is still writing there.
    """
    for marks in homes:
        for above in target.parents:
            if is_covering(marks.get(str(above))):
                raise InvalidInput(f"{target} is marked with all of {above}: trust that folder, or move it elsewhere")
    own, *theirs = (_at(target, held, marks) for marks in homes)
    if any(mark.digest == ANY for mark in own.values()):
        raise Conflict(f"{target} is being written by a run that is not trusted, or cannot be read: try again later")
    others = sum(map(bool, theirs))
    if not own:
        why = "marked by another home on this workspace: trust it there" if others else "not marked: it is trusted"
        raise InvalidInput(f"{target} is {why}")
    every = is_covering(own.get(str(target)))
    marked = [
        path
        for path, digest in held.items()
        if every or (path in own and own[path].digest != FOLDER) or f"{CONTENT}{digest}" in own
    ]
    said = sorted(held.items()), sorted((path, mark.digest) for path, mark in own.items())
    seen = blake2b(repr(said).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    names = _newest(target, marked) if target.is_dir() else ()
    return MarkedThere(target.is_dir(), len(marked), others, seen, names, dict.fromkeys(own))


def _newest(folder: Path, files: Sequence[str]) -> tuple[str, ...]:
    def changed_ns(path: str) -> int:
        with suppress(OSError):
            return os.lstat(path).st_mtime_ns
        return 0

    return tuple(os.path.relpath(path, folder) for path in nlargest(MOST_NAMED, files, key=changed_ns))


def _at(target: Path, held: Mapping[str, str], marks: Mapping[str, Mark]) -> dict[str, Mark]:
    below = f"{target}{os.sep}"
    found = {path: mark for path, mark in marks.items() if path == str(target) or path.startswith(below)}
    for digest in held.values():
        if (mark := of_content(marks, digest)) is not None:
            found[f"{CONTENT}{digest}"] = mark
    names = {Path(path).name for path in held} | {
        part for path in held for part in Path(path).relative_to(target).parts
    }
    return found | gone_by_name({target.name} | names, marks)
