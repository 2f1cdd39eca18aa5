"""Makes marks of what a run has written, and compares them with what there is now."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from sulla.agent.calls.file_state import ALL, ANY, FOLDER, Content, content_of, look
from sulla.agent.calls.fingerprints import MOST_EACH, SHORT_LINE, Fingerprints, any_left, fingerprints
from sulla.agent.calls.mark_book import Changes, Mark
from sulla.core.dataclass import dataclass

MOST_KNOWN: Final = 100_000
"""Runs of words of a trusted file that are looked up; of a longer one all words count as new."""


@dataclass(frozen=True, slots=True)
class Before:
    """What a path held before a call that may write there."""

    content: Content | None = None
    """None for nothing, or if nobody has looked."""
    mark: Mark | None = None
    existed: bool = False

    @property
    def named(self) -> bool:
        """Whether what is there afterwards has its name from a run that nobody trusts."""
        return not self.existed or (self.mark is not None and self.mark.named)

    @property
    def trusted(self) -> Fingerprints:
        """What of its words was there without any such run."""
        if self.content is None or (self.mark is not None and (self.mark.words is None or self.mark.digest == ANY)):
            return frozenset()
        marked = frozenset[bytes]() if self.mark is None else self.mark.words or frozenset()
        return fingerprints(self.content.text, marked, MOST_KNOWN) or frozenset()


def mark_of_begun(before: Before) -> Mark:
    """The mark of a file that is about to be written: any content counts."""
    return Mark(ANY, before.named, frozenset() if before.mark is None else before.mark.words)


def mark_of_written(path: Path, before: Before) -> Mark | None:
    """The mark of what is there after a run that nobody trusts may have written it; None for none.

    Args:
        path: where.
        before: what was there.
    """
    there = content_of(path)
    if there is None or (before.content is not None and there.digest == before.content.digest):
        return before.mark  # nothing of it was written, or nothing is left
    if there.digest in (ANY, FOLDER):
        return Mark(there.digest, before.named)
    words = _words(there, before)
    return Mark(there.digest, before.named, words, wherever=words is None or bool(words) or _is_binary(there))


def _is_binary(there: Content) -> bool:
    """Whether it is a file without words that nobody else has by chance."""
    return there.raw is not None and b"\0" in there.raw and len(there.raw) >= SHORT_LINE


def _words(there: Content, before: Before) -> Fingerprints | None:
    new = None if there.too_long else fingerprints(there.text, before.trusted)
    old = frozenset[bytes]() if before.mark is None else before.mark.words
    if new is None or old is None:
        return None
    return new | old if len(new | old) <= MOST_EACH else new


def has_words_of(mark: Mark, there: Content) -> bool:
    """Whether anything that a mark stands for is in what a file holds.

    Args:
        mark: of the path that the file has.
        there: what it holds.
    """
    if there.digest == mark.digest:
        return True
    if mark.digest in (FOLDER, ALL) or (there.raw is None and not there.too_long):
        return False
    if mark.words is None:
        return True
    return bool(mark.words) and (there.too_long or any_left(there.text, mark.words))


def settled(path: str, mark: Mark, marks: Mapping[str, Mark], most: int) -> Changes:
    """The marks of what a killed daemon left behind, and of what was marked when nothing but a digest was noted.

    Args:
        path: where a mark was found at the start.
        mark: that mark.
        marks: all of them.
        most: how many files of a folder may have a mark each.
    """
    there = content_of(Path(path))
    if mark.old:
        as_marked = there is not None and there.digest == mark.digest
        return {path: mark_of_written(Path(path), Before()) if as_marked else Mark(mark.digest)}
    if mark.digest != ANY:
        return {}
    if there is None or there.digest not in (ANY, FOLDER):
        return {path: None if there is None else mark_of_written(Path(path), Before(None, mark, not mark.named))}
    found = look(Path(path), most)
    if len(found) > most:
        return {path: Mark(ALL)}
    new = (below for below, (_, _, changed) in found.items() if not changed or changed >= mark.since_ns)
    return {path: None} | {below: mark_of_written(Path(below), Before(mark=marks.get(below))) for below in new}
