"""What applications put into a person's message: pages, files, search results and what was said before. Pure.

That a message holds such a part is what counts: it makes the conversation mistrusted, wherever the part is cut off. A
person who writes such a tag themselves is no more than asked.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from sulla.core.dataclass import dataclass
from sulla.core.pattern import late_pattern
from sulla.gateway.dialects.folded_text import fold

_WORDS: Final = {
    "what was said before": "history conversation conversations messages transcript transcripts memory memories",
    "what people have written": (
        "message post posts ticket tickets issue issues calendar calendars note notes quote quotes rag untrusted "
        "reminder reminders systemreminder review reviews comment comments feedback reply replies"
    ),
    "what was looked up": (
        "context contexts source sources document documents doc docs page pages webpage webpages website article "
        "articles result results citation citations reference references knowledge knowledgebase search websearch "
        "retrieved retrieval passage passages chunk chunks excerpt excerpts snippet snippets quoted"
    ),
    "files": (
        "file files folder attachment attachments attached uploaded uploads content contents codebase repository repo "
        "workspace notebook diff diagnostics selection selected highlighted clipboard pdf ocr"
    ),
    "what stands around": (
        "info data environment screen terminal observation observations email emails mail mails inbox event events"
    ),
}
"""What the names of such parts are made of, in small letters: those that Open WebUI, LibreChat, AnythingLLM, LobeChat,
Cursor, Continue, Cline, and templates of LangChain and LlamaIndex use, and their like."""
_BESIDE: Final = "chat user tool web url code item items previous past recent current open additional relevant output"
"""What stands before or behind these in names that are written in one word."""

_PARTS: Final = frozenset(" ".join(_WORDS.values()).split())
_JOINED: Final = late_pattern(rf"(?:{'|'.join(sorted({*_PARTS, *_BESIDE.split()}, key=len, reverse=True))})+")
_HUMPS: Final = late_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LINE_ENDS: Final = dict.fromkeys(map(ord, "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"), "\n")
"""All that ends a line somewhere, and is one character."""
_BEGINS: Final = late_pattern(r"(?<![\w)\]])<\s*[@#$%&*!?|]?(\w[\w:.-]{0,59})(?=[\s/>=|]|\Z)")
"""An opening tag; one directly behind a word is code (``List<Document>``)."""
_ENDS: Final = late_pattern(r"<\s*/\s*[@#$%&*!?|]?(\w[\w:.-]{0,59})(?:[\s=|][^<>]*)?>")
_REST: Final = late_pattern(r"([^<>]*?)(/?)>")
_NAME: Final = r"[@#$%&*!?|]?([^\s<>/][^\s<>/=,;|\"'(){}\[\]]{0,199})"
"""Whatever somebody may call a tag."""
_FIRST: Final = late_pattern(rf"^[^\S\n]*(<[^\S\n]*{_NAME})", re.MULTILINE)
_ENDS_ALONE: Final = late_pattern(rf"^[^\S\n]*(<[^\S\n]*/[^\S\n]*{_NAME}(?:[^>\n]*+|[^\n]*>))[^\S\n]*$", re.MULTILINE)
_FENCE: Final = late_pattern(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_HTML: Final = frozenset(
    "html head body main section nav header footer aside div span p ul ol li dl dt dd table thead tbody tfoot tr td th "
    "form fieldset label button select option textarea script style template svg g defs pre code blockquote details "
    "figure video audio picture canvas iframe noscript dialog h1 h2 h3 h4 h5 h6".split()
)
"""What HTML calls its own, as far as no application calls a part so."""
_END_CONTEXT: Final = r"\[\s*END\s+CONTEXT\s+\d+\s*\]"
_OTHERS: Final = (
    ("context", re.compile(rf"\[\s*CONTEXT\s+\d+\s*\]:?(.*(?={_END_CONTEXT})|.*)(?:{_END_CONTEXT}|\Z)", re.DOTALL)),
    (
        "context",
        re.compile(
            r"Context information is below\.\s*^-{5,}$(.*(?=^-{5,}$)|.*)(?:^-{5,}$|\Z)", re.DOTALL | re.MULTILINE
        ),
    ),
)
"""Parts that no tag begins: those of AnythingLLM and of LlamaIndex. Each goes on to the last end that there is."""


@dataclass(frozen=True, slots=True)
class PassedOn:
    """What of a request is passed on to the agent."""

    text: str
    """What the person says, and the application for them."""
    quoted: str = ""
    """What was said elsewhere, as the client tells it. No log of ours holds it as a person's words: whoever sends the
    request may have got any of it from anywhere."""
    said_chars: int = 0
    """How many characters at the end of the text the person says, where the application's come first; 0 for all."""


def said_in(text: str) -> PassedOn:
    """A client's message as a person says it: what an application has put into it is quoted beside it.

    Args:
        text: as it came.
    """
    quoted, kept, done = list[str](), list[str](), 0
    for begin, end, name, inner in _insertions(text):
        between = text[done:begin]
        if quoted and "://" in between:
            # A page that ends the tag which it stands in, and begins another, would name addresses as a person does.
            quoted.append(f"between these:\n\n{between.strip()}")
            between = " "
        kept += (between, f"({name}: quoted beside this message)")
        quoted.append(inner)
        done = end
    return PassedOn("".join([*kept, text[done:]]), "\n\n".join(quoted))


def _insertions(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Where each part lies, what it is called, and what is quoted of it; in order, none within another."""
    folded = fold(text)
    found = [*_tagged(folded.text)]
    for name, pattern in _OTHERS:
        found += (_Insertion(*one.span(), name, name, one.span(1)) for one in pattern.finditer(folded.text))
    done = 0
    for one in sorted(found, key=lambda part: part.begin):
        if one.begin >= done:
            done = one.end
            inner = text[folded.place(one.inner[0]) : folded.place(one.inner[1])].strip()
            yield folded.place(one.begin), folded.place(one.end), one.name, f"{one.called}:\n\n{inner}"


class _Insertion(NamedTuple):
    """One part, in the folded text."""

    begin: int
    end: int
    name: str
    called: str
    """The name with what its tag says beside it."""
    inner: tuple[int, int]


class _Opening(NamedTuple):
    """An opening tag that may begin a part."""

    begin: int
    end: int
    """Behind its name."""
    name: str
    known: bool
    """Whether parts are called so; else it begins one only where it wraps lines."""


def _tagged(text: str) -> Iterator[_Insertion]:
    wraps = _Wrapping(text.translate(_LINE_ENDS))
    openings = {one.start(): _opening(one, known=_is_insertion(one[1])) for one in _BEGINS.finditer(text)}
    openings |= {at: one for at, one in wraps.begins.items() if at not in openings or not openings[at].known}
    begins, ends = dict[str, list[int]](), dict[str, list[tuple[int, int]]]()
    for at in sorted(openings):
        begins.setdefault(openings[at].name, []).append(at)
    # The end of a tag that stands alone takes the whole line, whatever it says beside its name.
    for at, (name, end) in sorted({**_ends(text), **wraps.ends}.items()):
        ends.setdefault(name, []).append((at, end))
    done = 0
    for at in sorted(openings):
        opening = openings[at]
        if at < done or not (opening.known or wraps.opens(opening, done)):
            continue
        name = opening.name
        rest = _REST.match(text, opening.end)
        attributes, inner = (rest[1].strip(), rest.end()) if rest is not None else ("", opening.end)
        closing = ends.get(name, [])
        at_end = bisect_left(closing, (inner, 0))
        if at_end < len(closing):
            while at_end + 1 < len(closing) and not _any_within(
                begins[name], closing[at_end][1], closing[at_end + 1][0]
            ):
                at_end += 1  # nothing is open that this could end, so the words of the part have said the one before
            last, done = closing[at_end]
        else:
            last = done = inner if rest is not None and rest[2] else len(text)
        called = f"{name} {attributes}" if attributes else name
        yield _Insertion(at, done, name, called, (inner, last))


def _opening(found: re.Match[str], *, known: bool) -> _Opening:
    return _Opening(found.start(), found.end(1), _called(found[1]), known)


def _ends(text: str) -> dict[int, tuple[str, int]]:
    return {one.start(): (_called(one[1]), one.end()) for one in _ENDS.finditer(text)}


def _called(name: str) -> str:
    return name.lower().rstrip(":")


class _Wrapping:
    """Tags of any name that begin a line, and whose end stands alone in a later one: so applications put in what they
    call as they like, whatever stands beside the name. A page of HTML, and what stands between fences, is a person's
    code.

    Args:
        text: the message, with a line feed for each end of a line.
    """

    def __init__(self, text: str) -> None:
        self.begins = {
            one.start(1): _Opening(one.start(1), one.end(2), _called(one[2]), known=False)
            for one in _FIRST.finditer(text)
        }
        """The openings by their places."""
        self.ends = {one.start(1): (_called(one[2]), one.end(1)) for one in _ENDS_ALONE.finditer(text)}
        """The names of the ends, and where their lines end, by their places."""
        self._last = {name: at for at, (name, _) in self.ends.items()}
        self._fences = [one.start() for one in _FENCE.finditer(text)] if self.begins and self.ends else []
        self._fenced = False
        self._seen = 0

    def opens(self, opening: _Opening, done: int) -> bool:
        """Whether such a part begins at a tag.

        Args:
            opening: the tag; later than the one before.
            done: where the last part ended: fences within are that one's.
        """
        at, name = opening.begin, opening.name
        if at not in self.begins or name in _HTML or self._last.get(name, 0) <= at:
            return False
        seen = max(self._seen, done)
        self._fenced ^= (bisect_left(self._fences, at) - bisect_left(self._fences, seen)) % 2 == 1
        self._seen = at
        return not self._fenced


def _any_within(places: Sequence[int], begin: int, end: int) -> bool:
    return bisect_left(places, begin) < bisect_left(places, end)


@lru_cache(maxsize=1024)
def _is_insertion(name: str) -> bool:
    """Whether a tag is called as such parts are, in whatever spelling: `chat_history`, `chat-history`, `ChatHistory`,
    `chathistory`."""
    words = [word.lower() for word in _HUMPS.findall(name)]
    whole = "".join(words)
    return not _PARTS.isdisjoint(words) or (
        _JOINED.fullmatch(whole) is not None and any(part in whole for part in _PARTS)
    )
