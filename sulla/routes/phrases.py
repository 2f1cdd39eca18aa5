"""Phrases that gates look for, and an index that finds a thousand of them in one pass over a message. Pure.

A phrase is words one after the other. `a|b` is either of two, `suicid*` any word that begins so, and `...` up to
`GAP_WORDS` other words of the same sentence, or `...2` up to two. Case, apostrophes and what stands between words do
not count: `don't live` is found in "I DONT -- live", and in "I don't. Live!", but nothing is found in a part of a word.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
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
MOST_WORDS: Final = MOST_SLOTS + MOST_GAPS * MOST_GAP_WORDS
"""From the first word of a phrase to its last one."""

_GAP: Final = late_pattern(r"\.\.\.([1-9])?")
_ODD_GAP: Final = late_pattern(r"\.\.\.\w|\.{3,}.*\.{3,}|^\.{4,}|\.\.\.[|*]")


class Choice(NamedTuple):
    """One place of a phrase: any of these words, or of those that begin so."""

    words: frozenset[str]
    stems: frozenset[str]

    def takes(self, word: str) -> bool:
        """Whether a word stands there.

        Args:
            word: without its marks, in lower case.
        """
        return word in self.words or any(word.startswith(stem) for stem in self.stems)


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

    def find(self, words: Words, begin: int = 0, end: int | None = None) -> list[Found]:
        """All phrases in a message, at all places where they end, with the nearest and the farthest place where they
        may begin: what takes nothing back of the shortest takes none of it, and the longest takes back most.

        A word takes as many steps as states wait for it, however many ways have led to one: a state keeps the places
        where its matches began as bits, of which the lowest is the word that is looked at.

        Args:
            words: of the message.
            begin: the first word that is looked at.
            end: the one behind the last; None for all.
        """
        folded, sentences = words.folded, words.sentences
        start, found = self._start, list[Found]()
        known, stems = start.words, start.stems
        before: list[tuple[_State, int]] = []
        waiting: list[_Waiting] = []
        for at in range(begin, len(folded) if end is None else min(end, len(folded))):
            word = folded[at]
            first = known.get(word)
            if first is None and not (before or waiting or stems):
                continue
            reached = {first: 1} if first is not None else {}
            if stems:
                _step_by_stem(start, word, 1, reached)
            for state, firsts in before:
                if word in state.words or state.stems:
                    _step(state, word, firsts << 1, reached)
            if waiting:
                waiting = _still(waiting, at, sentences[at])
                for state, firsts, since in [one[:3] for one in waiting if word in one[0].words or one[0].stems]:
                    _step(state, word, firsts << (at - since), reached)
            before = _going_on(reached, at, sentences[at], waiting, found) if reached else []
        return found

    def heaviest(self) -> tuple[int, str]:
        """How many steps one word can take at the most, and the word: what bounds the time that a message takes."""
        words: defaultdict[str, dict[_State, int]] = defaultdict(dict)
        stems: defaultdict[str, dict[_State, int]] = defaultdict(dict)
        seen, ahead = {self._start}, [self._start]
        while ahead:
            state = ahead.pop()
            after = [*state.words.items(), *(one for _, by_stem in state.stems for one in by_stem.items())]
            for word, target in state.words.items():
                words[word][target] = _cost(target)
            for _, by_stem in state.stems:
                for stem, target in by_stem.items():
                    stems[stem][target] = _cost(target)
            more = {*(target for _, target in after), *(target for _, target in state.gaps)} - seen
            seen |= more
            ahead += more
        costs = [(sum(_with_stems(word, words, stems).values()), word) for word in {*words, *stems}]
        return max(costs, default=(0, ""))

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


_Waiting = tuple[_State, int, int, int, int]
"""What goes on behind a gap; where its matches began, as bits of which the lowest stands for the word before the gap;
the place of that word; the last place at which it can go on; and its sentence."""


def _still(waiting: Sequence[_Waiting], at: int, sentence: int) -> list[_Waiting]:
    """What can still go on. No word between is a gap too, and as good as none: there a sentence may end."""
    return [one for one in waiting if at <= one[3] and (one[4] == sentence or at == one[2] + 1)]


def _going_on(
    reached: Mapping[_State, int], at: int, sentence: int, waiting: list[_Waiting], found: list[Found]
) -> list[tuple[_State, int]]:
    """What goes on with the next word; what does behind a gap, and what is found, is put there.

    Args:
        reached: how far phrases are matched, and where they began.
        at: the place of the word.
        sentence: its own.
        waiting: takes what goes on behind a gap.
        found: takes the phrases that end here, with the nearest and the farthest place where each may begin.
    """
    going = []
    for state, firsts in reached.items():
        if state.ends:
            nearest, farthest = (firsts & -firsts).bit_length() - 1, firsts.bit_length() - 1
            backs = (nearest,) if nearest == farthest else (farthest, nearest)
            found += [Found(number, at - back, at) for back in backs for number in state.ends]
        if state.words or state.stems:
            going.append((state, firsts))
        for most, after in state.gaps:
            waiting.append((after, firsts, at, at + most + 1, sentence))
    return going


def _step(state: _State, word: str, firsts: int, reached: dict[_State, int]) -> None:
    """Take a word, if the state goes on with it."""
    after = state.words.get(word)
    if after is not None:
        reached[after] = reached.get(after, 0) | firsts
    if state.stems:
        _step_by_stem(state, word, firsts, reached)


def _step_by_stem(state: _State, word: str, firsts: int, reached: dict[_State, int]) -> None:
    for length, by_stem in state.stems:
        after = by_stem.get(word[:length])
        if after is not None:
            reached[after] = reached.get(after, 0) | firsts


def _cost(state: _State) -> int:
    """Steps that follow from reaching a state: what waits then, word by word, and what is found."""
    return 1 + sum(most + 1 for most, _ in state.gaps) + 2 * len(state.ends)


def _with_stems(
    word: str, words: Mapping[str, Mapping[_State, int]], stems: Mapping[str, Mapping[_State, int]]
) -> dict[_State, int]:
    found = dict(words.get(word, {}))
    for length in range(1, len(word) + 1):
        found |= stems.get(word[:length], {})
    return found


def distinct(phrases: Iterable[Phrase]) -> dict[Phrase, int]:
    """Phrases, each once, and the number that it gets.

    Args:
        phrases: some of them twice.
    """
    return {phrase: number for number, phrase in enumerate(dict.fromkeys(phrases))}
