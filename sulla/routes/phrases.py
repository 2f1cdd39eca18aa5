"""Phrases that gates look for, and an index that finds a thousand of them in one pass over a message. Pure.

A phrase is words one after the other. `a|b` is either of two, `suicid*` any word that begins so, and `...` up to
`GAP_WORDS` other words of the same sentence, or `...2` up to two. Case, apostrophes and what stands between words do
not count: `don't live` is found in "I DONT -- live", and in "I don't. Live!", but nothing is found in a part of a word.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from sulla.agent.input.said import plain
from sulla.core.errors import InvalidInput, TooLarge
from sulla.core.pattern import late_pattern
from sulla.routes.words import Words, seen, words_of

GAP_WORDS: Final = 4
"""Other words that `...` stands for at the most."""
MOST_GAP_WORDS: Final = 9
MOST_GAPS: Final = 3
"""In one phrase: each multiplies the ways to look for it."""
MOST_SLOTS: Final = 20
MOST_CHOICES: Final = 64
"""Words between bars."""
MOST_STATES: Final = 50_000
"""Of an index: far more than a thousand phrases come to, unless their choices multiply."""
MOST_FOUND: Final = 10_000
"""Places where phrases are found in one message; who repeats a word so often is heard by then."""

_GAP: Final = late_pattern(r"\.\.\.([1-9])?")
_ODD_GAP: Final = late_pattern(r"\.\.\.\w|\.{3,}.*\.{3,}|^\.{4,}|\.\.\.[|*]")


class Choice(NamedTuple):
    """One place of a phrase: any of these words, or of those that begin so."""

    words: frozenset[str]
    stems: frozenset[str]


class Gap(NamedTuple):
    """Up to so many other words."""

    most: int


Slot = Choice | Gap
Phrase = tuple[Slot, ...]


def phrase_of(text: str) -> Phrase:
    """Read a phrase.

    Args:
        text: as it stands in a file.

    Raises:
        InvalidInput: it can never be found, or has more parts than are allowed.
    """
    slots: list[Slot] = []
    for part in plain(seen(text)).replace("\u2026", "...").split():
        gap = _GAP.fullmatch(part)
        if gap is not None:
            slots.append(Gap(int(gap[1] or GAP_WORDS)))
            continue
        if _ODD_GAP.search(part):
            raise InvalidInput(
                f"{part!r} is no gap: expected `...` or `...1` to `...{MOST_GAP_WORDS}`, blanks around it"
            )
        if any("*" in word[:-1] or word == "*" for word in part.split("|")):
            raise InvalidInput(f"{part!r}: a `*` stands at the end of a word and nowhere else, such as `refund*`")
        if "|" in part:
            slots.append(_choice(part.split("|"), part))
        else:
            slots += [_choice([word], part) for word in _several(part)]
    _check(slots)
    return tuple(slots)


def _several(part: str) -> list[str]:
    """The words of what is written without blanks, such as ``self-harm``; the last may be a stem."""
    words = words_of(part).folded
    return [*words[:-1], f"{words[-1]}*"] if words and part.endswith("*") else words


def _choice(words: Sequence[str], part: str) -> Choice:
    plain_words, stems = set[str](), set[str]()
    for word in words:
        found = words_of(word).folded
        if len(found) != 1:
            raise InvalidInput(f"{word!r} in {part!r} is not one word; expected one between two bars")
        (stems if word.endswith("*") else plain_words).update(found)
    if len(words) > MOST_CHOICES:
        raise InvalidInput(f"{len(words)} words between bars; {MOST_CHOICES} are allowed")
    return Choice(frozenset(plain_words), frozenset(stems))


def _check(slots: Sequence[Slot]) -> None:
    gaps = [at for at, slot in enumerate(slots) if isinstance(slot, Gap)]
    if len(gaps) == len(slots):
        raise InvalidInput("it has no words, so it can never be found; expected some")
    if len(slots) > MOST_SLOTS:
        raise InvalidInput(f"{len(slots)} words; {MOST_SLOTS} are allowed in one phrase")
    if len(gaps) > MOST_GAPS:
        raise InvalidInput(f"{len(gaps)} gaps; {MOST_GAPS} are allowed in one phrase")
    if gaps and (gaps[0] == 0 or gaps[-1] == len(slots) - 1):
        raise InvalidInput("a gap stands at its beginning or end, where it says nothing; expected words around it")
    if any(other - one == 1 for one, other in pairwise(gaps)):
        raise InvalidInput(f"two gaps stand side by side; write one, such as `...{MOST_GAP_WORDS}`")


class Found(NamedTuple):
    """A phrase that was found."""

    number: int
    """Which one, from 0."""
    first: int
    last: int
    """The places of its first and last word."""


class _State:
    """How far some phrases have been matched, and what each next word leads to."""

    __slots__ = ("ends", "gaps", "stems", "words")

    def __init__(self) -> None:
        self.ends: tuple[int, ...] = ()
        self.words: dict[str, _State] = {}
        self.stems: tuple[tuple[int, dict[str, _State]], ...] = ()
        """By how many characters they have."""
        self.gaps: tuple[tuple[int, _State], ...] = ()


_Item = tuple[int, int]
"""A phrase, and how many of its slots have been matched."""


class PhraseIndex:
    """Phrases that begin alike are looked for together, so a look costs the words of a message, not the phrases.

    Args:
        phrases: what is looked for; `Found.number` counts them.

    Raises:
        TooLarge: their choices come to more states than are kept.
    """

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        self._phrases = phrases
        self._states: dict[frozenset[_Item], _State] = {}
        self._start = self._state(frozenset((number, 0) for number in range(len(phrases))))
        del self._states

    def find(self, words: Words) -> list[Found]:
        """All phrases in a message, at all their places.

        Args:
            words: of the message.
        """
        folded, sentences = words.folded, words.sentences
        start, found = self._start, list[Found]()
        known, stems = start.words, start.stems
        for first, word in enumerate(folded):
            state = known.get(word)
            if state is not None:
                _follow(state, first, first, folded, sentences, found)
            for length, by_stem in stems:
                state = by_stem.get(word[:length])
                if state is not None:
                    _follow(state, first, first, folded, sentences, found)
            if len(found) > MOST_FOUND:
                break
        return found

    def _state(self, items: frozenset[_Item]) -> _State:
        """The state of some matches; those that come to the same are one."""
        known = self._states.get(items)
        if known is not None:
            return known
        if len(self._states) == MOST_STATES:
            raise TooLarge(f"the choices of its phrases multiply to more than {MOST_STATES} forms; write fewer of them")
        state = self._states[items] = _State()
        state.ends = tuple(sorted(number for number, at in items if at == len(self._phrases[number])))
        after_words: defaultdict[str, set[_Item]] = defaultdict(set)
        after_stems: defaultdict[str, set[_Item]] = defaultdict(set)
        after_gaps: defaultdict[int, set[_Item]] = defaultdict(set)
        for number, at in items:
            if at == len(self._phrases[number]):
                continue
            slot, after = self._phrases[number][at], (number, at + 1)
            if isinstance(slot, Gap):
                after_gaps[slot.most].add(after)
                continue
            for word in slot.words:
                after_words[word].add(after)
            for stem in slot.stems:
                after_stems[stem].add(after)
        state.words = {word: self._state(frozenset(found)) for word, found in after_words.items()}
        by_length: defaultdict[int, dict[str, _State]] = defaultdict(dict)
        for stem, found in after_stems.items():
            by_length[len(stem)][stem] = self._state(frozenset(found))
        state.stems = tuple(by_length.items())
        state.gaps = tuple((most, self._state(frozenset(found))) for most, found in after_gaps.items())
        return state


def _follow(
    state: _State, first: int, last: int, folded: Sequence[str], sentences: Sequence[int], found: list[Found]
) -> None:
    """Go on from a state.

    Args:
        state: what has been matched.
        first: the place of its first word.
        last: of its last one.
        folded: the words.
        sentences: theirs.
        found: what is found is put there.
    """
    if state.ends:
        found += [Found(number, first, last) for number in state.ends]
    _step(state, first, last + 1, folded, sentences, found)
    for most, after in state.gaps:
        # No word between is a gap too, and as good as none. Words between stand in one sentence with those around them.
        for at in range(last + 1, min(last + most + 2, len(folded))):
            if at > last + 1 and sentences[at] != sentences[last]:
                break
            _step(after, first, at, folded, sentences, found)


def _step(
    state: _State, first: int, at: int, folded: Sequence[str], sentences: Sequence[int], found: list[Found]
) -> None:
    """Take the word at a place, if the state goes on with it."""
    if at == len(folded):
        return
    word = folded[at]
    after = state.words.get(word)
    if after is not None:
        _follow(after, first, at, folded, sentences, found)
    for length, by_stem in state.stems:
        after = by_stem.get(word[:length])
        if after is not None:
            _follow(after, first, at, folded, sentences, found)


def distinct(phrases: Iterable[Phrase]) -> dict[Phrase, int]:
    """Phrases, each once, and the number that it gets.

    Args:
        phrases: some of them twice.
    """
    return {phrase: number for number, phrase in enumerate(dict.fromkeys(phrases))}
