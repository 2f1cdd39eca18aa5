"""One utterance put together from chunks that come late, twice, out of order or revised. Pure.

Its words depend on which chunks came, never on their order. Words that went into a turn are taken: whatever comes later
gives only what was not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from sulla.speech.turn_taking.align import left_of
from sulla.speech.turn_taking.chunk import Chunk
from sulla.speech.turn_taking.stored import StoredUtterance

MAX_PIECES: Final = 500
MAX_PIECES_CHARS: Final = 32_000
"""Deltas that are kept apart; older ones are folded, and what was missing between them is then too late."""
MAX_TAKEN_WORDS: Final = 2_000
"""Words that are remembered as taken; of older ones only their number is."""
MAX_WORD_CHARS: Final = 32
"""How much of a taken word is remembered."""

_EDGE: Final = ".,;:!?\"'()-\u2013\u2014\u2026\u2019%"
_GLUED: Final = re.compile(r"[.,;:!?%)\u2026]+|['\u2019](?:s|ll|re|ve|d|m|t)[.,;:!?]*")
"""What stands at the word before it, although it comes as a piece of its own."""


class Utterance:
    """What is known of an utterance."""

    __slots__ = (
        "_base",
        "_base_seq",
        "_chars",
        "_deltas",
        "_forgotten",
        "_line",
        "_taken",
        "_text",
        "_used",
        "closed",
        "parts",
        "stable_chars",
    )

    def __init__(self) -> None:
        self._base: list[str] = []
        """Words up to `_base_seq` that are in no turn."""
        self._base_seq = -1
        self._line: list[str] = []
        """All words up to `_base_seq`, as last revised: what is taken once `_base` is."""
        self._deltas: dict[int, list[str]] = {}
        """What came behind it."""
        self._used: set[int] = set()
        """Those of them that are taken."""
        self._taken: list[str] = []
        self._forgotten = 0
        self._chars = 0
        """How long the text up to `_base_seq` is."""
        self._text: str | None = None
        """What `_line` was made of, if it begins with all that is taken: what comes behind it is new."""
        self.closed = False
        self.parts = 0
        """Turns that began in it."""
        self.stable_chars = 0
        """So many characters at its beginning will not be revised."""

    def add(self, chunk: Chunk) -> bool:
        """Take a chunk in.

        Args:
            chunk: of this utterance.

        Returns:
            Whether it was new. Late and doubled ones change nothing.
        """
        known = chunk.seq <= self._base_seq or chunk.seq in self._deltas
        if self.closed or (known and chunk.kind != "final"):
            return False
        self.stable_chars = max(self.stable_chars, chunk.stable_chars)
        if chunk.kind == "delta":
            self._deltas[chunk.seq] = chunk.text.split()
            self._bound()
            return True
        self.closed = chunk.kind == "final"
        self._replace(chunk)
        return True

    @property
    def settled(self) -> bool:
        """Whether nothing of it will be revised."""
        apart = sum(len(word) + 1 for words in self._deltas.values() for word in words)
        return self.closed or self.stable_chars >= self._chars + apart

    @property
    def was_taken(self) -> bool:
        """Whether some of it is in a turn already."""
        return bool(self._taken or self._used)

    def words(self) -> list[str]:
        """The words that are in no turn yet."""
        words = list(self._base)
        if not self._deltas:
            return words
        for seq in sorted(self._deltas.keys() - self._used):
            words += self._deltas[seq]
        return glued(words)

    def take(self) -> None:
        """All of its words are in a turn now, or dropped."""
        self._taken = self._line + left_of(self._taken, self._line).gone
        self._forget()
        self._line = list(self._taken)
        self._base = []
        self._used.update(self._deltas)

    def words_from(self, place: int) -> list[str]:
        """Its words from a place on, in a turn or not, as they are compared.

        Args:
            place: how many words stand before them.
        """
        return self._line[max(0, place - self._forgotten) :]

    def cede(self, place: int) -> list[str]:
        """Give up the words from a place on: another utterance has them.

        Args:
            place: how many words stand before them.

        Returns:
            Those of them that are in a turn already.
        """
        at = max(0, place - self._forgotten)
        new = left_of(self._taken, self._line).new
        pending = set(new)
        given = [word for place, word in enumerate(self._line) if place >= at and place not in pending]
        self._base = [word for place, word in zip(new, self._base, strict=False) if place < at]
        self._taken = [word for place, word in enumerate(self._line[:at]) if place not in pending]
        self._line, self._text = self._line[:at], None
        self._chars = min(self._chars, self.stable_chars)
        return given

    def inherit(self, taken: list[str]) -> None:
        """Words that it is about to have are in a turn already.

        Args:
            taken: what another utterance's `cede` returned.
        """
        self._taken = taken + self._taken
        self._text = None

    def stored(self, utterance_id: str) -> StoredUtterance:
        """All that is known of it.

        Args:
            utterance_id: its id.
        """
        return StoredUtterance(
            utterance_id,
            tuple(self._base),
            self._base_seq,
            tuple(self._line),
            tuple((seq, " ".join(words)) for seq, words in self._deltas.items()),
            tuple(sorted(self._used)),
            tuple(self._taken),
            self._forgotten,
            self.closed,
            self.parts,
            self.stable_chars,
            self._chars,
        )

    @classmethod
    def restored(cls, stored: StoredUtterance) -> Utterance:
        """One that goes on where the stored one was.

        Args:
            stored: as it was.
        """
        utterance = cls()
        utterance._base, utterance._base_seq, utterance._line = list(stored.base), stored.base_seq, list(stored.line)
        utterance._deltas = {seq: text.split() for seq, text in stored.deltas}
        utterance._used, utterance._taken, utterance._forgotten = set(stored.used), list(stored.taken), stored.forgotten
        utterance.closed, utterance.parts, utterance.stable_chars = stored.closed, stored.parts, stored.stable_chars
        utterance._chars = stored.chars
        return utterance

    def _appended(self, text: str) -> list[str] | None:
        """The words that a text has behind the last one; None if that may not be all that is new."""
        known = self._text
        if known is None or self._deltas or not text.startswith(known):
            return None
        more = text[len(known) :]
        words = more.split()
        if not words:
            return words
        is_apart = not known or more[0].isspace() or known[-1].isspace()
        return words if is_apart and words[0][0].isalnum() else None

    def _replace(self, chunk: Chunk) -> None:
        appended = self._appended(chunk.text)
        self._chars = len(chunk.text.rstrip())
        self._base_seq = max(self._base_seq, chunk.seq)
        if appended is not None:  # most of what recognizers send
            self._text = chunk.text
            for word, bare in _paired(appended):
                self._line.append(bare)
                self._base.append(word)
            return
        covered: list[str] = []
        for seq in sorted(self._deltas):
            if self.closed or seq <= chunk.seq:
                words = self._deltas.pop(seq)
                if seq in self._used:
                    self._used.remove(seq)
                    covered += words
        if covered:
            self._remember(covered)
        pairs = _paired(chunk.text.split())[self._forgotten :]
        self._line = [bare for _, bare in pairs]
        self._base = [pairs[place][0] for place in left_of(self._taken, self._line).new]
        begins_with_taken = self._line[: len(self._taken)] == self._taken
        self._text = chunk.text if begins_with_taken and not self._forgotten else None

    def _bound(self) -> None:
        chars = sum(len(word) for words in self._deltas.values() for word in words)
        if len(self._deltas) <= MAX_PIECES and chars <= MAX_PIECES_CHARS:
            return
        self._text = None
        for seq in sorted(self._deltas)[: len(self._deltas) // 2 + 1]:
            words = self._deltas.pop(seq)
            self._chars += sum(len(word) + 1 for word in words)
            self._line += [bare for _, bare in _paired(words)]
            if seq in self._used:
                self._used.remove(seq)
                self._remember(words)
            else:
                self._base += words
            self._base_seq = seq

    def _remember(self, words: Iterable[str]) -> None:
        self._taken += [bare for _, bare in _paired(words)]
        self._forget()

    def _forget(self) -> None:
        surplus = len(self._taken) - MAX_TAKEN_WORDS
        if surplus > 0:
            del self._taken[:surplus]
            del self._line[:surplus]
            self._forgotten += surplus
            self._text = None


def glued(words: Iterable[str]) -> list[str]:
    """Words with the punctuation that came apart from them.

    Args:
        words: in order.
    """
    joined: list[str] = []
    for word in words:
        if joined and not word[0].isalnum() and _GLUED.fullmatch(word):
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def bare_words(text: str) -> list[str]:
    """The words that an utterance makes of a text, as they are compared.

    Args:
        text: any.
    """
    return [bare for _, bare in _paired(text.split())]


def _paired(words: Iterable[str]) -> list[tuple[str, str]]:
    """Words as they are shown and as they are compared, without those that are nothing but punctuation."""
    return [(word, bare) for word in glued(words) if (bare := _bare(word))]


def _bare(word: str) -> str:
    return word.strip(_EDGE).casefold()[:MAX_WORD_CHARS]
