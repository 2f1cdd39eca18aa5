"""Names that a run made which had read what nobody trusts, wherever its owner moves or copies what is called so."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

from sulla.agent.calls.file_state import content_of
from sulla.agent.calls.mark_book import Mark
from sulla.core.pattern import late_pattern

TELLING_WORDS: Final = 3
"""Words of a name by which it is known without a look at what it names: nobody else uses the same by chance, and fewer
say nothing."""
TELLING_CHARS: Final = 16
"""Letters and digits of a shorter one."""
MOST_READ: Final = 500
"""Files that are read for one folder; of more each counts as known."""
_WORD: Final = late_pattern(r"[^\W\d_]{2,}|\d+")


def moved_names(
    folder: Path, names: Iterable[str], homes: Iterable[Mapping[str, Mark]], is_known: Callable[[Path], bool]
) -> frozenset[str]:
    """Those names in a folder that such a run made for something elsewhere. It reads files, and blocks.

    What was moved is known by its name, if that is one that tells something; else, and what was copied, by what it
    holds too. A file that its owner has made theirs makes no other one known.

    Args:
        folder: which, links resolved.
        names: what lies in it. Where one has a mark of its own, that decides.
        homes: all marks, of each home.
        is_known: whether what a file holds is marked wherever it lies.
    """
    found, left = set[str](), MOST_READ
    wanted = frozenset(names)
    for marks in homes:
        for name, path, mark in _named(wanted, marks):
            place = folder / name
            if name in found or str(place) in marks:
                continue
            is_there = os.path.lexists(path)
            both_folders = is_there and place.is_dir() and Path(path).is_dir()
            if _tells(name) and (both_folders or not is_there):
                found.add(name)
            elif not place.is_dir():
                left -= 1
                same = _tells(name) and _digest(place) == mark.digest
                if left < 0 or (_digest(Path(path)) in ("", mark.digest) and (same or is_known(place))):
                    found.add(name)
    return frozenset(found)


def any_moved(places: Iterable[Path], homes: Sequence[Mapping[str, Mark]], is_known: Callable[[Path], bool]) -> bool:
    """Whether any of some places has such a name.

    Args:
        places: files and folders, links resolved.
        homes: as in `moved_names`.
        is_known: as there.
    """
    by_name: dict[str, list[Path]] = {}
    for place in places:
        by_name.setdefault(place.name, []).append(place)
    known = {name for marks in homes for name, _, _ in _named(by_name.keys(), marks)}
    return any(moved_names(place.parent, (name,), homes, is_known) for name in known for place in by_name[name])


def gone_by_name(names: Iterable[str], marks: Mapping[str, Mark]) -> dict[str, Mark]:
    """The marks of what is not there any more, and was called like something that lies elsewhere now.

    Args:
        names: what that is called.
        marks: all of a home.
    """
    return {path: mark for _, path, mark in _named(set(names), marks) if not os.path.lexists(path)}


def _named(names: AbstractSet[str], marks: Mapping[str, Mark]) -> Iterator[tuple[str, str, Mark]]:
    for path, mark in marks.items():
        name = path.rpartition(os.sep)[2]
        if mark.named and name in names:
            yield name, path, mark


def _digest(path: Path) -> str:
    """Of what is there; empty for nothing."""
    there = content_of(path)
    return "" if there is None else there.digest


def _tells(name: str) -> bool:
    stem = name.rpartition(".")[0] or name
    return len(_WORD.findall(stem)) >= TELLING_WORDS or sum(map(str.isalnum, stem)) >= TELLING_CHARS
