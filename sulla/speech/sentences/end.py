"""Whether a sentence ends at a mark that can end one. Pure."""

from __future__ import annotations

import html

from sulla.core.dataclass import dataclass
from sulla.core.pattern import late_pattern
from sulla.speech.sentences.marks import ENDS

_CLOSERS = "\"'”’»›)\\]}」』）】〉》*_~¹²³⁴⁵⁶⁷⁸⁹⁰"
_RUN = late_pattern(rf"[{ENDS}][{ENDS}{_CLOSERS}]{{0,47}}")
_BEHIND = late_pattern(r"\[\^?\w{1,5}\]|</[A-Za-z][\w:.-]{0,30}>")
"""Sources and closing tags, which belong to the sentence."""
_BEHIND_BEGUN = late_pattern(r"\[\^?\w{0,5}|</?|</[A-Za-z][\w:.-]{0,30}")
_MOST_BEHIND = 4
_WIDE = late_pattern(r"[。！？｡]")
_LOUD = late_pattern(r"[!?؟۔।॥]")
_DOTS = late_pattern(r"…|\.\.")
_QUOTED = late_pattern(r"[\"'”’»›)\]}][*_~]*$")
"""Something is closed behind the mark: a quotation may be a part of its sentence."""
_LETTERS_WITHOUT_SPACES = late_pattern(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]")
_TOKEN = late_pattern(r"[\w.&'’-]*$")
_INITIALS = late_pattern(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")
_MARKER = late_pattern(r"(?:(?:[>*+•-]|#{1,6})\s+|>)*[(\"'“*_]*(?:\d{1,4}(?:\.\d{1,3}){0,3}|[A-Za-z]|[ivxIVX]{1,5})")
"""What numbers an item of a list."""
_BLANK_CHARS = 16
_BLANK = late_pattern(rf"[^\S\n]{{1,{_BLANK_CHARS}}}")
_OPENERS = late_pattern(r"[\"'“‘«*_(\[]{0,4}")
_GOING_ON = frozenset(",;:–—-&")
_WORD_CHARS = 18
_WORD = late_pattern(rf"[\w'’]{{1,{_WORD_CHARS}}}")
_TOKEN_CHARS = 24
_ENTITY = late_pattern(r"[\w.]*&#?\w{2,8};$")


@dataclass(frozen=True, slots=True)
class Abbreviations:
    """What in a language has a full stop and need not end a sentence. In lower case, but for what `closing` says."""

    never: frozenset[str]
    """Something always follows: titles, "e.g."."""
    behind_titles: frozenset[str]
    """Something always follows them behind one of `never`, or of themselves: "Prof. Dr. med."."""
    closing: frozenset[str]
    """They end a sentence before a capital letter, not before a number or a small one: "etc.", "No. 5". A capitalized
    word here is none of them in small letters: "Sun. 5", but not "sun. 5"."""
    times: frozenset[str]
    """The same, but not before a word of `behind_times`."""
    behind_times: frozenset[str]
    """Words that go on with a time of day: "a.m. Monday"."""
    either: frozenset[str]
    """They end a sentence before a word of `beginnings`. So do initials, and single capital letters."""
    loud: frozenset[str]
    """Names with an exclamation mark; the same."""
    beginnings: frozenset[str]
    """Words that begin sentences and are hardly ever names."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found at a mark."""

    ends: bool
    at: int
    """Where the next piece begins, or where to look on."""
    pauses: bool = False
    """No sentence ends there, but there is a pause."""


def judge(text: str, at: int, words: Abbreviations, *, opens: bool) -> Verdict | None:
    """Decide whether a sentence ends with the mark at `at`.

    Args:
        text: from the sentence's beginning.
        at: where the mark is.
        words: of the language.
        opens: whether a sentence begins with `text`, so that it may begin with a number of a list.

    Returns:
        None if more has to come before that is clear.
    """
    end = _run(text, at)
    if end is None:
        return None
    run = text[at:end]
    if _WIDE.search(run):
        return Verdict(True, end)
    if not text[end].isspace():
        joined = _LOUD.search(run) is not None and _LETTERS_WITHOUT_SPACES.match(text, end) is not None
        return Verdict(joined, end)
    if opens and run[0] == "." and _MARKER.fullmatch(text, 0, at):
        return Verdict(False, end)
    return _before_blank(text, at, end, words)


def _run(text: str, at: int) -> int | None:
    """Up to where the mark goes with what belongs to it: marks, quotes, brackets, sources and tags; None if open."""
    found = _RUN.match(text, at)
    end = at + 1 if found is None else found.end()
    for _ in range(_MOST_BEHIND):
        if end == len(text):
            return None
        behind = _BEHIND.match(text, end)
        if behind is None:
            return None if _BEHIND_BEGUN.fullmatch(text, end) else end
        end = behind.end()
    return None if end == len(text) else end


def _before_blank(text: str, at: int, end: int, words: Abbreviations) -> Verdict | None:
    """White space comes behind the mark, which goes up to `end`."""
    run = text[at:end]
    loud = _LOUD.search(run) is not None
    quoted = _QUOTED.search(_BEHIND.sub("", run)) is not None
    ends: bool | None = True
    if not loud and _DOTS.search(run):
        ends = quoted and _capital_next(text, end)
        return None if ends is None else Verdict(ends, end, pauses=not ends)
    if sum(char in ENDS for char in run) == 1:
        token = _token(text, at)
        ends = not _is_title(text, at, token, words) and _behind_word(text, token, end, words, loud=loud)
    if ends and quoted:
        ends = _anew(text, end)
    return None if ends is None else Verdict(ends, end)


def _token(text: str, at: int) -> str:
    """The word before the mark; empty if there is none, or a long one."""
    found = _TOKEN.search(text, max(0, at - _TOKEN_CHARS), at)
    token = "" if found is None else found[0]
    if (begin := at - len(token)) and text[begin - 1] == ";" and (entity := _ENTITY.search(text, 0, begin)):
        token = f"{html.unescape(entity[0])}{token}"  # "R&amp;D"
    return "" if len(token) == _TOKEN_CHARS else token.strip("_'’-&")


def _is_title(text: str, at: int, token: str, words: Abbreviations) -> bool:
    """Whether `token` before `at` is what follows a title."""
    if token not in words.behind_titles:
        return False
    before = text[: at - len(token)].rstrip()
    return before.endswith(".") and _token(before, len(before) - 1).lower() in words.never | words.behind_titles


def _behind_word(text: str, token: str, end: int, words: Abbreviations, *, loud: bool) -> bool | None:
    """Whether a sentence ends behind `token` and its one mark; None while that is open."""
    low = token.lower()
    if loud:
        return low not in words.loud or _word_in(words.beginnings, text, end)
    if low in words.never:
        return False
    if low in words.times:
        behind = _word_in(words.behind_times, text, end)
        return behind if behind is None else not behind and _capital_next(text, end)
    initial = (len(token) == 1 and token.isupper()) or _INITIALS.fullmatch(token)
    if not initial and (low in words.closing or token in words.closing):
        return _capital_next(text, end)
    if initial or low in words.either:
        return _word_in(words.beginnings, text, end)
    return True


def _next(text: str, end: int) -> int | None:
    """Where the next word or number begins, behind white space and what opens; -1 if the line ends before that."""
    blank = _BLANK.match(text, end)
    at = end if blank is None else blank.end()
    if at - end == _BLANK_CHARS:
        return -1
    if at == len(text):
        return None
    opened = _OPENERS.match(text, at)
    at = at if opened is None else opened.end()
    if at == len(text):
        return None
    return -1 if text[at].isspace() else at


def _capital_next(text: str, end: int) -> bool | None:
    """Whether a sentence may begin behind `end`: with a letter that is no small one, or a new line."""
    at = _next(text, end)
    return None if at is None else at < 0 or (text[at].isalpha() and not text[at].islower())


def _anew(text: str, end: int) -> bool | None:
    """Whether what comes behind `end` does not go on with the sentence."""
    at = _next(text, end)
    return None if at is None else at < 0 or not (text[at].islower() or text[at] in _GOING_ON)


def _word_in(words: frozenset[str], text: str, end: int) -> bool | None:
    """Whether the next word is a capitalized one of these; a new line counts as one."""
    at = _next(text, end)
    if at is None or at < 0:
        return None if at is None else True
    found = _WORD.match(text, at)
    if found is None or not text[at].isupper():
        return False
    behind = found.end()
    if behind == len(text):
        return None if behind - at < _WORD_CHARS else False
    initial = behind - at == 1 and text[behind] == "."
    return not initial and found[0].lower().replace("’", "'").strip("'") in words
