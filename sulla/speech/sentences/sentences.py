"""Text as it streams, in pieces that can be spoken one after the other. Pure.

However the text is cut into deltas, the pieces are the same: each decision is made of the text from the piece's
beginning to a place that does not depend on what has come, and waits until that has come. Nothing looks farther ahead
than a few words, so what is kept is bounded, and the time is linear in the text.
"""

from __future__ import annotations

from sulla.core.dataclass import dataclass
from sulla.speech.sentences.end import Abbreviations, Verdict, judge
from sulla.speech.sentences.english import ABBREVIATIONS
from sulla.speech.sentences.line import Fence, read_line
from sulla.speech.sentences.marks import ENDS, MARK, border_at, code_run, parting, tag_at
from sulla.speech.sentences.plain import plain

CLAUSE_CHARS = 120
"""After so many code points without an end a piece ends at a clause's: the last one in them, or else the next."""
WORD_CHARS = 200
"""After so many it ends between two words."""
LIMIT_CHARS = 400
"""It never has more."""
MIN_CLAUSE_CHARS = 30
"""What comes before a comma is a piece of its own if it is as long as this."""
_BRACKET_CHARS = 200
"""So far a bracket holds sentences together; the text of a link is shorter."""
_SLICE = 512
"""A text that comes at once is taken in slices, so that not every piece has all the rest copied."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Something to say. Between two pieces there is nothing but white space."""

    index: int
    """Counted from 0 in its text."""
    offset: int
    """Where it begins, in code points."""
    end: int
    """The place behind its last character."""
    text: str
    """What to say: on one line, without Markdown and tags. Empty where there is nothing to say: a block of code, a
    rule between paragraphs."""


@dataclass(slots=True, eq=False)
class _OpenPiece:
    """How far a piece was looked at whose end is not found."""

    at: int = -1
    """Up to where; -1 if not even at its first character."""
    due: int = CLAUSE_CHARS
    """Where something is to be done about its length."""
    border: int = 0
    """The last place at which a clause ends; 0 if there is none."""
    code: int = 0
    """How many backticks opened the code in which `at` is."""
    bracket: int = -1
    """Where the bracket begins in which `at` is."""
    kept: tuple[int, int] = (0, 0)
    """The last code, tag or bracket, which is better not cut."""

    def keep(self, start: int, end: int) -> None:
        """Better do not cut there."""
        if self.bracket < 0:  # what is in a bracket is kept with it
            self.kept = (start, end)


class Sentences:
    """One text.

    Args:
        words: the abbreviations of its language.
    """

    __slots__ = ("_base", "_fence", "_from", "_index", "_last", "_line", "_open", "_opens", "_text", "_whole", "_words")

    def __init__(self, words: Abbreviations = ABBREVIATIONS) -> None:
        self._words = words
        self._text = ""
        """From the beginning of the piece that is looked for."""
        self._open = _OpenPiece()
        self._base = 0
        """Where that is in the whole text."""
        self._index = 0
        self._line = True
        """Whether it begins a line."""
        self._opens = True
        """Whether it begins a sentence: the piece before did not end in the middle of one."""
        self._whole = False
        """Whether it is of a heading or a row of a table, which are not looked into."""
        self._fence: Fence | None = None
        """The block of code in which `_text` begins."""
        self._from = self._last = 0
        """In the whole text, where that block begins, and the end of what was passed over of it."""

    def feed(self, delta: str) -> list[Piece]:
        """Take what comes next of the text.

        Returns:
            What is finished by it, in order.
        """
        found: list[Piece] = []
        if len(delta) > _SLICE:
            for start in range(0, len(delta), _SLICE):
                found += self.feed(delta[start : start + _SLICE])
            return found
        self._text += delta
        while self._step(found):
            continue
        return found

    def finish(self) -> list[Piece]:
        """The text is over.

        Returns:
            What was left of it.
        """
        found = self.feed("\n")  # the end of a line decides whatever was open
        if self._fence is not None:
            self._close_code(found)
        return found

    def _step(self, found: list[Piece]) -> bool:
        """Go on; False if that needs more text."""
        if self._fence is not None:
            return self._pass_code(self._fence, found)
        return self._begin() if self._open.at < 0 else self._scan(found)

    # ------------------------------------------------------------------------------------------------ where it begins

    def _begin(self) -> bool:
        text = self._text.lstrip()
        blank = len(self._text) - len(text)
        self._line = self._line or "\n" in self._text[:blank]
        self._base += blank
        self._text = text
        if not text:
            return False
        if self._line:
            line = read_line(text)
            if line is None:
                return False
            self._line, self._opens, self._whole, self._fence = False, True, line.whole, line.fence
            if line.fence is not None:
                self._from = self._base
                self._drop(line.fence.length)
                return True
        self._open.at = 0
        return True

    # ------------------------------------------------------------------------------------------------ blocks of code

    def _pass_code(self, fence: Fence, found: list[Piece]) -> bool:
        """Pass over a line of code, or what there is of it."""
        text = self._text
        if self._line:
            end = fence.closing(text)
            if end is None:
                return False
            if end > 0:
                self._drop(end)
                self._close_code(found)
                return True
        size = text.find("\n") + 1
        self._line = size > 0
        self._drop(size or len(text))
        return self._line

    def _drop(self, size: int) -> None:
        if code := self._text[:size].rstrip():
            self._last = self._base + len(code)
        self._text = self._text[size:]
        self._base += size

    def _close_code(self, found: list[Piece]) -> None:
        found.append(Piece(self._index, self._from, self._last, ""))
        self._index += 1
        self._fence, self._line = None, False
        self._open = _OpenPiece()

    # -------------------------------------------------------------------------------------------------- where it ends

    def _scan(self, found: list[Piece]) -> bool:
        text, piece = self._text, self._open
        while piece.at < piece.due:
            mark = MARK.search(text, piece.at, piece.due)
            if mark is None:
                piece.at = min(len(text), piece.due)
                if piece.at < piece.due:
                    return False
                break
            verdict = self._look(mark.start())
            if verdict is None:
                piece.at = mark.start()
                return False
            piece.at = verdict.at
            if verdict.ends:
                return self._cut(verdict.at, found, opens=True)
            if verdict.pauses and verdict.at >= MIN_CLAUSE_CHARS:
                piece.border = verdict.at
                if verdict.at > CLAUSE_CHARS:
                    return self._cut(verdict.at, found)
        return self._cut_long(found)

    def _look(self, at: int) -> Verdict | None:
        """What the mark at `at` says; None if that needs more text."""
        text, piece = self._text, self._open
        char = text[at]
        if char == "\n":
            return Verdict(True, at)
        if char == "`":
            return self._look_at_code(at)
        if piece.code:
            return Verdict(False, at + 1)
        if char == "<":
            return self._look_at_tag(at)
        if char in "[]":
            return self._look_at_bracket(at, opens=char == "[")
        if piece.bracket >= 0 and at - piece.bracket < _BRACKET_CHARS:
            return Verdict(False, at + 1)
        if char in ENDS:
            return Verdict(False, at + 1) if self._whole else judge(text, at, self._words, opens=self._opens)
        if char == "|":
            return Verdict(False, at + 1, pauses=self._whole)
        border = border_at(text, at)
        return None if border is None else Verdict(False, border or at + 1, pauses=border > 0)

    def _look_at_code(self, at: int) -> Verdict | None:
        piece = self._open
        length = code_run(self._text, at)
        if length is None:
            return None
        if piece.code == 0:
            piece.code = length
            piece.keep(at, LIMIT_CHARS)
        elif piece.code == length:
            piece.code = 0
            piece.keep(piece.kept[0], at + length)
        return Verdict(False, at + length)

    def _look_at_tag(self, at: int) -> Verdict | None:
        end = tag_at(self._text, at)
        if end is None:
            return None
        if end > at:
            self._open.keep(at, end)
        return Verdict(False, max(end, at + 1))

    def _look_at_bracket(self, at: int, *, opens: bool) -> Verdict:
        piece = self._open
        if opens and piece.bracket < 0:
            piece.keep(at, LIMIT_CHARS)
            piece.bracket = at
        elif not opens and piece.bracket >= 0:
            start, piece.bracket = piece.bracket, -1
            piece.keep(start, at + 1)
        return Verdict(False, at + 1)

    def _cut_long(self, found: list[Piece]) -> bool:
        """It goes on for too long without an end."""
        piece = self._open
        if piece.due == CLAUSE_CHARS:
            if piece.border:
                return self._cut(piece.border, found)
            piece.due = WORD_CHARS
            return True
        start, end = piece.kept
        if piece.due == WORD_CHARS:
            at = self._blank(end, WORD_CHARS) or self._blank(0, min(start, WORD_CHARS))
            if at:
                return self._cut(at, found)
            piece.due = LIMIT_CHARS
            return True
        return self._cut(self._blank(0, LIMIT_CHARS) or parting(self._text, LIMIT_CHARS - 1), found)

    def _blank(self, low: int, high: int) -> int:
        """The last white space between two places, not too near to the beginning; 0 if there is none."""
        places = range(high - 1, max(low, MIN_CLAUSE_CHARS) - 1, -1)
        return next((at for at in places if self._text[at].isspace()), 0)

    def _cut(self, end: int, found: list[Piece], *, opens: bool = False) -> bool:
        raw = self._text[:end].rstrip()
        found.append(Piece(self._index, self._base, self._base + len(raw), plain(raw)))
        self._index += 1
        self._text = self._text[end:]
        self._base += end
        self._opens = opens
        self._open = _OpenPiece()
        return True
