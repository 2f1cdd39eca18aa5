"""What of an utterance's newest text is new, if its older words are in a turn already and were revised since. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

COMPARED_WORDS: Final = 400
"""So many are laid beside each other; what stands before them is taken to be as long as it was."""
FILLERS: Final = frozenset("ah eh er erm euh hm hmm mhm mm uh uhm um äh ähm".split())
"""Recognizers write them down at first and leave them out at the end: nothing comes in their place."""

ALIKE: Final = 0.7
"""Two words that share so much of their letters are one, heard differently."""


Repeats = Literal["all", "so far", "nothing"]
"""Whether somebody says old words again: all of them, all that is there of the new ones, or not."""


class Left(NamedTuple):
    """What a comparison found."""

    new: list[int]
    """The places of the words that are in no turn yet."""
    gone: list[str]
    """The taken words at their end that the newest text does not have any more."""


def left_of(taken: Sequence[str], words: Sequence[str]) -> Left:
    """Lay the newest text beside what was taken of an older one.

    Words that stand where others were are their revision, as many as those were, and no more than are about as long as
    those together: "any one" became "anyone", and what follows is new. Digits stand for all the words in their place.
    Whatever else was not there is new; fillers before the last old word are not.

    Args:
        taken: the words that are in a turn, without case and punctuation.
        words: those of the newest text, likewise.
    """
    new = _inserted(taken, words)
    if new is not None:
        return Left(new, [])
    old = [word for word in taken if word not in FILLERS]
    places = [place for place, word in enumerate(words) if word not in FILLERS]
    now = [words[place] for place in places]
    found, gone = _compared(old, now)
    last_old = max((place for at, place in enumerate(places) if at not in found), default=-1)
    new = [places[at] for at in sorted(found)]
    new += [place for place, word in enumerate(words) if word in FILLERS and place > last_old]
    return Left(sorted(new), gone)


def repeats(old: Sequence[str], now: Sequence[str]) -> Repeats:
    """Whether a recognizer that was connected to anew hears the same again, from audio that was sent twice.

    The last old word does not count where two before it are there: it was the one that was being revised.

    Args:
        old: the words of the segment that was open, without case and punctuation.
        now: what came over the new connection, likewise.
    """
    same = next((at for at, (one, other) in enumerate(zip(old, now, strict=False)) if one != other), None)
    if same is None and len(now) < len(old):
        return "so far"
    if old and (same is None or same >= max(2, len(old) - 1)):
        return "all"
    return "nothing"


def _inserted(taken: Sequence[str], words: Sequence[str]) -> list[int] | None:
    """The places of the new words if all of the taken ones are still there, in their order."""
    new: list[int] = []
    at = 0
    for place, word in enumerate(words):
        if at < len(taken) and word == taken[at]:
            at += 1
        else:
            new.append(place)
    return new if at == len(taken) else None


def _compared(old: Sequence[str], now: Sequence[str]) -> tuple[set[int], list[str]]:
    """The places of the new words, and the old ones that are missing at the end."""
    same = 0
    while same < min(len(old), len(now)) and old[same] == now[same]:
        same += 1
    same = max(same, min(len(old) - COMPARED_WORDS, len(now)))
    end = same + 2 * COMPARED_WORDS
    new = set(range(end, len(now)))
    gone: list[str] = []
    for old_from, old_to, new_from, new_to in _gaps(old[same:], now[same:end]):
        was, is_ = old[same + old_from : same + old_to], now[same + new_from : same + new_to]
        revised = _revised(was, is_, is_between=new_to < len(now[same:end]))
        new.update(same + new_from + at for at in range(len(is_)) if at not in revised)
        gone = [] if is_ else list(was)
    return new, gone


def _gaps(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """What lies between the words that both have, up to the end of both."""
    old_at = new_at = 0
    for block in difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        yield old_at, block.a, new_at, block.b
        old_at, new_at = block.a + block.size, block.b + block.size


def _revised(old: Sequence[str], new: Sequence[str], *, is_between: bool) -> set[int]:
    """Which of the new words are the old ones, heard differently.

    Args:
        old: what is there no more.
        new: what stands in its place.
        is_between: whether words that did not change follow: then as many as there were are never more than revised.
    """
    if is_between and len(new) <= len(old):
        return set(range(len(new)))
    if is_between and (found := _alike(old, new)):
        return found
    return set(range(_revisions(old, new)))


def _alike(old: Sequence[str], new: Sequence[str]) -> set[int]:
    """The new words that are like an old one, in their order."""
    found: set[int] = set()
    at = 0
    for place, word in enumerate(new):
        if any(_is_like(word, other) for other in old[at : at + 1]):
            found.add(place)
            at += 1
    return found


def _revisions(old: Sequence[str], new: Sequence[str]) -> int:
    """How many of the new words, from the first on, are the old ones, if nothing follows that says where they end."""
    text = "".join(old)
    room = len(text)
    is_spelled_out = not any(map(_has_digit, old))
    joined = ""
    for count, word in enumerate(new):
        joined += word
        is_short = len(word) <= max(1.5 * room, room + 2 if count == 0 < room else 0)
        stands_for = count < len(old) and (is_short or _is_like(word, old[count]))
        if joined == text:
            return count + 1
        if not stands_for and not text.startswith(joined):
            return count
        room = 0 if is_spelled_out and _has_digit(word) else max(0, room - len(word))
    return len(new)


def _is_like(word: str, other: str) -> bool:
    return difflib.SequenceMatcher(None, word, other, autojunk=False).ratio() > ALIKE


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))
