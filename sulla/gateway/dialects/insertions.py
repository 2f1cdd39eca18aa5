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
        "reminder reminders systemreminder"
    ),
    "what was looked up": (
        "context contexts source sources document documents doc docs page pages webpage webpages website article "
        "articles result results citation citations reference references knowledge knowledgebase search websearch "
        "retrieved retrieval passage passages chunk chunks excerpt excerpts snippet snippets quoted"
    ),
    "files": (
        "file files folder attachment attachments attached uploaded uploads content contents codebase repository repo "
        "workspace notebook diff diagnostics selection clipboard"
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
_BEGINS: Final = late_pattern(r"(?<![\w)\]])<\s*(\w[\w:.-]{0,59})(?=[\s/>]|\Z)")
"""An opening tag; one directly behind a word is code (``List<Document>``)."""
_ENDS: Final = late_pattern(r"<\s*/\s*(\w[\w:.-]{0,59})\s*>")
_REST: Final = late_pattern(r"([^<>]*?)(/?)>")
_ALONE: Final = late_pattern(r"^[ \t]*(<[ \t]*\w[\w:.-]{0,59}(?:[ \t][^<>\n]{0,1000})?>)[ \t\r]*$", re.MULTILINE)
_ENDS_ALONE: Final = late_pattern(r"^[ \t]*<[ \t]*/[ \t]*(\w[\w:.-]{0,59})[ \t]*>[ \t\r]*$", re.MULTILINE)
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


def _tagged(text: str) -> Iterator[_Insertion]:
    begins, ends = dict[str, list[int]](), dict[str, list[re.Match[str]]]()
    for begin in _BEGINS.finditer(text):
        begins.setdefault(begin[1].lower(), []).append(begin.start())
    for end in _ENDS.finditer(text):
        ends.setdefault(end[1].lower(), []).append(end)
    done, wraps = 0, _Wrapping(text)
    for begin in _BEGINS.finditer(text):
        name = begin[1].lower()
        if begin.start() < done or not (_is_insertion(begin[1]) or wraps.opens(begin, done)):
            continue
        rest = _REST.match(text, begin.end())
        attributes, inner = (rest[1].strip(), rest.end()) if rest is not None else ("", begin.end())
        closing = ends.get(name, [])
        at = bisect_left(closing, inner, key=re.Match.start)
        if at < len(closing):
            while at + 1 < len(closing) and not _any_within(begins[name], closing[at].end(), closing[at + 1].start()):
                at += 1  # nothing is open that this one could end, so the words of the part have said the one before
            last, done = closing[at].start(), closing[at].end()
        else:
            last = done = inner if rest is not None and rest[2] else len(text)
        called = f"{name} {attributes}" if attributes else name
        yield _Insertion(begin.start(), done, name, called, (inner, last))


class _Wrapping:
    """Tags of any name that stand alone in their lines around others: so applications put in what they call as they
    like. A page of HTML, and what stands between fences, is a person's code.

    Args:
        text: the message.
    """

    def __init__(self, text: str) -> None:
        self._begin = {one.start(1): one.end() for one in _ALONE.finditer(text)}
        self._ends: dict[str, int] = {}
        """The last end of each that stands alone in its line."""
        for end in _ENDS_ALONE.finditer(text):
            self._ends[end[1].lower()] = end.start()
        self._fences = [one.start() for one in _FENCE.finditer(text)] if self._begin and self._ends else []
        self._fenced = False
        self._seen = 0

    def opens(self, begin: re.Match[str], done: int) -> bool:
        """Whether such a part begins at a tag.

        Args:
            begin: the tag; later than the one before.
            done: where the last part ended: fences within are that one's.
        """
        at, name = begin.start(), begin[1].lower()
        if at not in self._begin or name in _HTML or self._ends.get(name, 0) <= self._begin[at]:
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
