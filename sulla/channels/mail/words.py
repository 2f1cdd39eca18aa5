"""What somebody says in a mail, apart from what he cites, passes on, and signs with. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Final, NamedTuple

_FORWARD: Final = re.compile(
    r"\s*(?:-{2,}\s*(?:Forwarded message|Weitergeleitete Nachricht|Message transf\S+|Mensaje reenviado"
    r"|Messaggio inoltrato)\s*-{2,}|Begin forwarded message\s*:|Anfang der weitergeleiteten Nachricht\s*:)\s*",
    re.IGNORECASE,
)
_ORIGINAL: Final = re.compile(
    r"\s*(?:-{2,}\s*(?:Original Message|Urspr\S+ Nachricht|Message d'origine|Mensaje original|Messaggio originale)"
    r"\s*-{2,}|_{20,})\s*",
    re.IGNORECASE,
)
_ATTRIBUTION: Final = re.compile(
    r"\s*(?:On|Am|Le|El|Il|Op|Em|Den|W dniu)\s.{4,300}\s(?:wrote|schrieb.{0,80}|a écrit|escribió|ha scritto"
    r"|schreef.{0,80}|escreveu|skrev.{0,80}|napisał\S*)\s*:\s*",
    re.IGNORECASE,
)
_HEADER: Final = re.compile(r"\s*\**(From|Von|De|Da|Van)\s*:\**\s+\S.*", re.IGNORECASE)
_MORE: Final = re.compile(
    r"\s*\**(Sent|Date|To|Subject|Gesendet|Datum|An|Betreff|Envoy\S+|À|Objet|Enviado|Para|Asunto)\s*:.*"
)
_LEAST_HEAD: Final = 2
"""So many lines of a head beside the sender's make one."""
_SIGNED: Final = re.compile(
    r"(?:Sent from my|Get Outlook for|Von meinem \S+ gesendet|Envoyé de mon|Enviado desde mi)\b.{0,80}", re.IGNORECASE
)
_BLOCKS: Final = frozenset(
    {"p", "div", "tr", "table", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "hr", "blockquote"}
)
_UNSEEN: Final = frozenset({"script", "style", "head", "title", "template"})
_VOID: Final = frozenset(
    {"br", "hr", "img", "input", "meta", "link", "area", "base", "col", "embed", "source", "track", "wbr"}
)
_MOST_DEPTH: Final = 500


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
    lines = text.replace("\r\n", "\n").split("\n")
    cut, forwards = _cut(lines)
    above, below = lines[:cut], "\n".join(lines[cut:]).strip()
    own = _unsigned([line for line in above if not line.startswith(">")])
    cited = "\n".join(line.lstrip("> ") for line in above if line.startswith(">")).strip()
    return Parted(own, cited, "" if forwards else below, below if forwards else "")


def _cut(lines: Sequence[str]) -> tuple[int, bool]:
    """The first line that is not the sender's any more, and whether from there on he passes something on."""
    for at, line in enumerate(lines):
        if _FORWARD.fullmatch(line):
            return at, True
        if _ORIGINAL.fullmatch(line) and _heads(lines, at + 1):
            return at, False
        if _heads(lines, at):
            return at, False
        spread = len(lines) > at + 1 and _ATTRIBUTION.fullmatch(f"{line} {lines[at + 1]}")
        if (_ATTRIBUTION.fullmatch(line) and _all_cited(lines, at + 1)) or (spread and _all_cited(lines, at + 2)):
            return at, False
    end = len(lines)
    while end and (not lines[end - 1].strip() or lines[end - 1].startswith(">")):
        end -= 1
    return (end, False) if end and any(line.startswith(">") for line in lines[end:]) else (len(lines), False)


def _heads(lines: Sequence[str], at: int) -> bool:
    """Whether the head of an older mail stands here, as some programs write it above what they cite."""
    while at < len(lines) and not lines[at].strip():
        at += 1
    if at >= len(lines) or _HEADER.fullmatch(lines[at]) is None:
        return False
    return sum(_MORE.fullmatch(line) is not None for line in lines[at + 1 : at + 6]) >= _LEAST_HEAD


def _all_cited(lines: Sequence[str], at: int) -> bool:
    """Whether from a line on something is cited, and nothing else stands there."""
    found = False
    for number in range(at, len(lines)):
        cited = lines[number].startswith(">")
        if not cited and lines[number].strip():
            return False
        found |= cited
    return found


def _unsigned(lines: list[str]) -> str:
    for at, line in enumerate(lines):
        if line in ("-- ", "--"):
            lines = lines[:at]
            break
    while lines and (not lines[-1].strip() or _SIGNED.fullmatch(lines[-1].strip())):
        lines.pop()
    return "\n".join(lines).strip()


def unflowed(text: str, *, without_space: bool) -> str:
    """A text whose lines were broken for the way (RFC 3676), as it was written.

    Args:
        text: it.
        without_space: whether the space at a line's end was put there.
    """
    lines: list[str] = []
    goes_on = False
    for line in text.replace("\r\n", "\n").split("\n"):
        if goes_on and not line.startswith(">"):
            lines[-1] = (lines[-1][:-1] if without_space else lines[-1]) + line.removeprefix(" ")
        else:
            lines.append(line if line.startswith(">") else line.removeprefix(" "))
        goes_on = line.endswith(" ") and line != "-- " and not line.startswith(">")
    return "\n".join(lines)


def of_html(html: str) -> str:
    """The text of a page, as people see it; what it cites has a ``>`` before each line.

    Args:
        html: whatever a mail brings.
    """
    reader = _Page()
    reader.feed(html)
    reader.close()
    return reader.text()


class _Page(HTMLParser):
    """Reads one page; what is hidden is left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[tuple[str, bool]] = []
        """What is open, and whether it hides what is in it."""
        self._lines: list[str] = [""]
        self._cites = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See the standard library."""
        if tag in _BLOCKS or tag in ("br", "li"):
            self._break()
        if tag == "li":
            self._lines[-1] += "- "
        if tag in _VOID:
            return
        style = re.sub(r"\s", "", dict(attrs).get("style") or "").lower()
        hides = tag in _UNSEEN or "display:none" in style or "visibility:hidden" in style or "font-size:0" in style
        if len(self._open) < _MOST_DEPTH:
            self._open.append((tag, hides))
            self._cites += tag == "blockquote"
            if tag == "blockquote":
                self._break(anew=True)

    def handle_endtag(self, tag: str) -> None:
        """See the standard library."""
        if not any(name == tag for name, _ in self._open):
            return
        while self._open:
            name, _ = self._open.pop()
            self._cites -= name == "blockquote"
            if name == tag:
                break
        if tag in _BLOCKS:
            self._break(anew=tag == "blockquote")

    def handle_data(self, data: str) -> None:
        """See the standard library."""
        if any(hides for _, hides in self._open):
            return
        if any(name == "pre" for name, _ in self._open):
            first, *rest = data.split("\n")
            self._lines[-1] += first
            for line in rest:
                self._break(anew=True)
                self._lines[-1] += line
            return
        words = re.sub(r"\s+", " ", data)
        at_start = self._lines[-1] in ("", "> " * self._cites)
        self._lines[-1] += words.lstrip() if at_start else words

    def _break(self, *, anew: bool = False) -> None:
        if anew or self._lines[-1].strip("> "):
            self._lines.append("> " * self._cites)

    def text(self) -> str:
        """What was read."""
        return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in self._lines)).strip()
