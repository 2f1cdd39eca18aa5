"""What somebody says in a mail, apart from what he cites, passes on, and signs with. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from sulla.channels.mail.page_grounds import ground_of, is_well_nested
from sulla.channels.mail.page_styles import Sheets, apart
from sulla.channels.mail.shapes import (
    BAR,
    attributed,
    introduced,
    is_bar,
    is_cited,
    is_head,
    is_introduction,
    is_labelled,
    is_quoted,
    is_signature_mark,
    run_of_labels,
    uncited,
)
from sulla.channels.mail.tags import TagReader

_FORWARD: Final = re.compile(
    r"\s*(?:Begin forwarded message|Anfang der weitergeleiteten Nachricht)\s*:\s*", re.IGNORECASE
)
_SIGNED: Final = re.compile(
    r"(?:Sent from my|Get Outlook for|Von meinem \S+ gesendet|Envoyé de mon|Enviado desde mi)\b.{0,80}", re.IGNORECASE
)
_MOST_SIGNATURE_LINES: Final = 10
_MOST_SIGNATURE_CHARS: Final = 1_000
"""What is longer is none, and not left out."""
_BLOCKS: Final = frozenset(
    {"p", "div", "tr", "table", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "hr", "blockquote"}
)
_UNSEEN: Final = frozenset({"script", "style", "head", "title", "template"})
_VOID: Final = frozenset(
    {"br", "hr", "img", "input", "meta", "link", "area", "base", "col", "embed", "source", "track", "wbr"}
)
_MOST_DEPTH: Final = 500
_MOST_MARKS: Final = 3
"""Before a line that is cited however deep: each line of a page would grow by all that are open otherwise."""
_DIVIDERS: Final = (
    "divrplyfwdmsg",
    "outlookmessageheader",
    "moz-forward-container",
    "mail-editor-reference-message-container",
    "yahoo_quoted",
    "zmail_extra",
)
"""How programs name what stands between their user's words and an older mail, also with something before it."""


class Parted(NamedTuple):
    """A mail's text."""

    own: str
    """What its sender wrote."""
    cited: str
    """Lines that he cites among his own."""
    history: str
    """What stands below an answer: the mails before it."""
    forwarded: str
    """What he passes on."""


def parted(text: str) -> Parted:
    """Take a mail's text apart.

    Args:
        text: the plain one.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    cut, forwards = _cut(lines)
    above, below = _without_signature(lines[:cut]), "\n".join(lines[cut:]).strip()
    if cut == len(lines):
        cut = _answered(above)
        above, below = _without_signature(above[:cut]), "\n".join(above[cut:]).strip()
    signs = [at for at, line in enumerate(above) if is_signature_mark(line)]
    unsigned = "\n".join(above[signs[0] + 1 :]) if signs else ""  # no signature, so it is not left out
    above = above[: signs[0]] if signs else above
    theirs = _cited(above)
    own = "\n".join(_without_signature([line for at, line in enumerate(above) if at not in theirs])).strip()
    cited = "\n".join(uncited(line) for at, line in enumerate(above) if at in theirs).strip("\n")
    passed_on = "\n".join(filter(None, (unsigned, below if forwards else ""))).strip()
    return Parted(own, cited, "" if forwards else below, passed_on)


def _cut(lines: Sequence[str]) -> tuple[int, bool]:
    """The first line from which on nothing is the sender's any more, and whether he passes on what stands there.
    What is surely the mail that he answers, he does not.
    """
    last = max((at for at, line in enumerate(lines) if line.strip()), default=-1)
    looked = 0
    for at, line in enumerate(lines):
        if _FORWARD.fullmatch(line) or is_head(line):
            return at, True
        if is_bar(line) and at < last:
            behind = next(number for number in range(at + 1, len(lines)) if lines[number].strip())
            head, _ = run_of_labels(lines, behind)
            return at, not ((head is not None and head.known) or is_introduction(lines, behind))
        if line.strip() and not is_cited(line) and (found := attributed(lines, at)) is not None:
            below = next((lines[number] for number in range(found[0], len(lines)) if lines[number].strip()), "")
            if below and not is_cited(below):
                return at, not found[1]
        if at >= looked and line.strip():
            head, looked = run_of_labels(lines, at)
            if head is not None:
                return at, not head.known
    return len(lines), False


def _answered(lines: Sequence[str]) -> int:
    """Where the mail that is answered begins: it is cited as a whole below all that is said."""
    end = len(lines)
    while end and (not lines[end - 1].strip() or is_quoted(lines[end - 1])):
        end -= 1
    return introduced(lines, end) if end and any(map(is_quoted, lines[end:])) else len(lines)


def _cited(lines: Sequence[str]) -> set[int]:
    """The lines that are cited, and those that say of whom."""
    found = {at for at, line in enumerate(lines) if is_cited(line)}
    begins = [at for at in found if at - 1 not in found]
    return found | {one for at in begins for one in range(introduced(lines, at), at)}


def _without_signature(lines: list[str]) -> list[str]:
    """The lines without a signature that stands below all of them: what is below the only mark of one, and short."""
    signs = [at for at, line in enumerate(lines) if is_signature_mark(line)]
    below = [line for line in lines[signs[0] + 1 :] if line.strip()] if len(signs) == 1 else []
    short = len(below) <= _MOST_SIGNATURE_LINES and sum(map(len, below)) <= _MOST_SIGNATURE_CHARS
    if len(signs) == 1 and short and not any(map(is_quoted, below)):
        lines = lines[: signs[0]]
    end = len(lines)
    while end and (not (last := lines[end - 1].strip()) or _SIGNED.fullmatch(last)):
        end -= 1
    return lines[:end]


def unflowed(text: str, *, without_space: bool) -> str:
    """A text whose lines were broken for the way (RFC 3676), as it was written.

    Args:
        text: it.
        without_space: whether the space at a line's end was put there.
    """
    lines: list[list[str]] = []
    goes_on = False
    for line in text.replace("\r\n", "\n").split("\n"):
        bare = line.removeprefix(" ")
        alone = is_cited(bare) or is_bar(bare) or is_signature_mark(bare) or _FORWARD.fullmatch(bare) is not None
        if goes_on and not alone and not is_labelled(bare):
            if without_space:
                lines[-1][-1] = lines[-1][-1][:-1]
            lines[-1].append(bare)
        else:
            lines.append([line if line.startswith(">") else bare])
        goes_on = bare.endswith(" ") and not alone
    return "\n".join(map("".join, lines))


def of_html(html: str) -> str:
    """The text of a page, as people see it; what it cites has a ``>`` before each line.

    Args:
        html: whatever a mail brings.
    """
    reader = _Page(Sheets(html))
    reader.read(html)
    return reader.text()


class _Element(NamedTuple):
    """What is open in a page."""

    tag: str
    hides: bool
    cites: bool
    ground: str
    """On what letters in it stand; empty where that is not known."""


class _Page(TagReader):
    """Reads one page; what is hidden is left out."""

    def __init__(self, sheets: Sheets) -> None:
        self._sheets = sheets
        self._open: list[_Element] = []
        self._named: Counter[str] = Counter()
        """How many of a name are open."""
        self._has_grounds = sheets.keep_form
        """Whether it can be told on what letters stand."""
        self._deeper = 0
        """So many more are open than are remembered."""
        self._lines: list[str] = []
        """All but the last."""
        self._line: list[str] = []
        """The last one, in pieces."""
        self._is_begun = self._is_shown = False
        """Whether the last line has anything beside the marks of what is cited, and anything but blanks."""
        self._cites = 0
        self._hides = 0

    def begins(self, tag: str, attributes: Mapping[str, str]) -> None:
        """See `TagReader`."""
        style = re.sub(r"\s", "", attributes.get("style", "")).lower()
        names = f"{attributes.get('id', '')} {attributes.get('class', '')}".lower().split()
        if tag in _BLOCKS or tag in ("br", "li"):
            self._break()
        over = self._open[-1] if self._open else None
        ground = ground_of(tag, attributes, over.tag if over else "", over.ground if over else "")
        ground = ground if self._has_grounds else ""
        set_apart = apart(tag, attributes, self._sheets, ground)
        if tag == "hr" or set_apart == "below" or any(name.endswith(_DIVIDERS) for name in names):
            self._put(BAR)
            self._break(anew=True)
        if tag == "li":
            self._put("- ")
        if tag in _VOID:
            return
        if len(self._open) >= _MOST_DEPTH:
            self._deeper += 1
            self._has_grounds = False
            return
        hides = tag in _UNSEEN or "display:none" in style
        cites = not hides and set_apart in ("cited", "unseen")
        self._open.append(_Element(tag, hides, cites, ground))
        self._named[tag] += 1
        self._hides += hides
        if cites:
            self._cites += 1
            self._break(anew=True)

    def ends(self, tag: str) -> None:
        """See `TagReader`."""
        if self._deeper and tag not in _VOID:
            self._deeper -= 1
            return
        if not self._named[tag]:
            return
        cited, left = self._cites, list[str]()
        while self._open:
            element = self._open.pop()
            self._named[element.tag] -= 1
            self._cites -= element.cites
            self._hides -= element.hides
            if element.tag == tag:
                break
            left.append(element.tag)
        self._has_grounds = self._has_grounds and is_well_nested(tag, left)
        if tag in _BLOCKS or cited != self._cites:
            self._break(anew=cited != self._cites)

    def has_data(self, text: str) -> None:
        """See `TagReader`."""
        if self._hides:
            return
        if self._named["pre"]:
            first, *rest = text.split("\n")
            self._put(first)
            for line in rest:
                self._break(anew=True)
                self._put(line)
            return
        words = re.sub(r"\s+", " ", text)
        self._put(words if self._is_begun else words.lstrip())

    def _put(self, text: str) -> None:
        self._line.append(text)
        self._is_begun = self._is_begun or bool(text)
        self._is_shown = self._is_shown or bool(text.strip("> "))

    def _break(self, *, anew: bool = False) -> None:
        if anew or self._is_shown:
            line = "".join(self._line)
            self._lines.append(line if is_signature_mark(line) else line.rstrip())
            self._line, self._is_begun, self._is_shown = ["> " * min(self._cites, _MOST_MARKS)], False, False

    def text(self) -> str:
        """What was read."""
        self._break(anew=True)
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self._lines)).lstrip().rstrip("\n")
