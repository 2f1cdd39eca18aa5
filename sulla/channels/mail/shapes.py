"""Shapes in which mail programs set apart what is not their user's own, in whatever language. Pure.

No list of languages is whole, so words are never what decides: where it is in doubt whose a line is, it is somebody
else's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final, NamedTuple

BAR: Final = "-" * 10
"""A bar, as it stands in a page's text where the page shows one."""
_MOST_LABEL_CHARS: Final = 25
_MOST_LOOKED_CHARS: Final = 200
_LEAST_LABELS: Final = 3
"""So many lines of a head make one."""
_LEAST_KNOWN: Final = 2
_MOST_INTRO_LINES: Final = 3
_MOST_INTRO_CHARS: Final = 600
_COLONS: Final = ":：﹕︰∶"  # noqa: RUF001 - as other scripts write it
_DASHES: Final = r"\-=_‐‑‒–—―─━═⎯"  # noqa: RUF001 - all that bars are drawn with
_UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0]"
)
"""Characters that nobody sees; right-to-left programs put them before labels."""
_REPEATED: Final = re.compile(r"\s*([^\w\s!?])(?:\s?\1){4,}\s*")
"""A line that is drawn with any other sign."""
_RULE: Final = re.compile(rf"\s*(?:[{_DASHES}*~#+]\s?){{3,}}")
_TITLED: Final = re.compile(
    rf"\s*(?:[{_DASHES}]{{3,}}\s*[^\s{_DASHES}].*|[{_DASHES}]{{2,}}\s*[^\s{_DASHES}].*[{_DASHES}]{{2}}\s*"
    r"|[*~#+]{3,}\s*[^\s*~#+].*[*~#+]{3}\s*|[*~]{5,}.*)"
)
_QUOTED: Final = re.compile(r"\s*\w{0,12}[>＞]")  # noqa: RUF001 - such signs stand in mails
_BARRED: Final = re.compile(r"\s*[|¦│┃▏▎▍┆┊║｜»›❯❱]")  # noqa: RUF001 - such signs stand in mails
_INDENTED: Final = re.compile(r"(?: ?\t| {3}|[\u00a0\u2003\u3000]{2}).*\S", re.DOTALL)
_CITING: Final = re.compile(r"(?:\s*\w{0,12}[>＞]|\s*[|¦│┃▏▎▍┆┊║｜»›❯❱])+\s?")  # noqa: RUF001 - such signs stand in mails
_LABEL: Final = re.compile(
    rf"[\s*_]*([^\W\d_][^{_COLONS}\n]{{0,{_MOST_LABEL_CHARS}}}?)[\s*_]*[{_COLONS}][*_]*(?!//)\s*(.*)"
)
_ADDRESS: Final = re.compile(r"\S@\S")
_TIME: Final = re.compile(r"\d{4}.*\d{1,2}[:.h時]\s?\d{2}|\d{1,2}[:.h時]\s?\d{2}.*\d{4}")
_FROM: Final = frozenset({"from", "von", "de", "da", "van", "od", "från", "fra", "от", "от кого", "差出人", "发件人"})
_MORE: Final = frozenset(
    "sent date to cc subject gesendet datum an betreff envoyé à objet enviado para asunto verzonden aan onderwerp "
    "inviato data a oggetto wysłano do temat skickat till ämne отправлено кому тема дата 送信日時 宛先 件名 发送时间 "
    "收件人 主题".split()
)
_WROTE: Final = re.compile(
    r"\b(?:wrote|writes|schrieb|schreibt|hat geschrieben|a écrit|écrit|escribi[óo]|ha scritto|scrisse|schreef|escreveu"
    r"|skrev|skrifaði|napisał\w*|nap[ií]sal\w*|napisa[ol]\w*|pisze|írta|yazd\u0131|a scris|написа\w+|пишет|έγραψε"
    r"|kirjoitti|kirjutas|rašė|rakstīja|viết|menulis)\b|写道|寫道|書きました|작성|เขียน|כתב|كتب",
    re.IGNORECASE,
)
"""How programs say that somebody has written what stands below. More languages are known by the rest of the line."""
_SAID: Final = re.compile(
    rf"(?:.{{0,80}}\W)?(?!(?:i|we|ich|wir|je|yo|ik|jag|eu|io)\s)[^\W\d_]\S{{0,30}}\s{{1,3}}"
    rf"(?:said|says|replied|answered|sagte"
    rf"|sagt|antwortete|hat gesagt|a dit|dit|dijo|dice|ha detto|disse|zei|zegt|säger|sa|sagde|sier"
    rf"|powiedzia\w{{1,3}}|сказал\w?)"
    rf"\s{{0,3}}[{_COLONS}]",
    re.IGNORECASE,
)
"""How people say it, in a line of its own: a longer one is a sentence."""
_SENTENCE_ENDS: Final = (".", "!", "?", ",", ";")
_ONE_LABEL: Final = re.compile(rf"([^\W\d_]{{1,15}})\s{{0,3}}[{_COLONS}]")
_BRACKETED: Final = re.compile(r"[<(\[\uff1c\u300a][^<>()\[\]\s]{1,100}@[^<>()\[\]\s]{1,200}[>)\]\uff1e\u300b]")
_NAMED_LAST: Final = re.compile(rf"\d\d[^{_COLONS},;]*[,;][^{_COLONS},;\d]*[^\W\d_][\s\"')\]]*[{_COLONS}]\s*$")
_INTRO: Final = re.compile(
    r"\s*(?:On|Am|Le|El|Il|Op|Em|Den|W dniu)\s.{4,300}\s(?:wrote|schrieb.{0,80}|a écrit|escribió|ha scritto"
    r"|schreef.{0,80}|escreveu|skrev.{0,80}|napisał\S*)\s*:\s*",
    re.IGNORECASE,
)


class Head(NamedTuple):
    """The lines above an older mail that say whose it was."""

    end: int
    """The first line behind them."""
    known: bool
    """Whether they are surely those of a mail: others may be a list of the sender's own."""


def is_bar(line: str) -> bool:
    """Whether a line is a bar, with or without words in it; the one above a signature is none. Two hyphens are one."""
    line = _UNSEEN.sub("", line)
    drawn = _RULE.fullmatch(line) or _TITLED.fullmatch(line) or _is_repeated(line)
    return not is_signature_mark(line) and (line.strip() == "--" or bool(drawn))


def is_signature_mark(line: str) -> bool:
    """Whether a signature may begin below a line: RFC 3676 has a blank behind its two hyphens."""
    return _UNSEEN.sub("", line) in ("-- ", "--\u00a0")


def is_quoted(line: str) -> bool:
    """Whether a line has the mark with which answers cite."""
    return _QUOTED.match(_UNSEEN.sub("", line)) is not None


def is_cited(line: str) -> bool:
    """Whether a line is cited: it has a mark or a bar before it, or is indented."""
    line = _UNSEEN.sub("", line)
    return is_quoted(line) or (_BARRED.match(line) or _INDENTED.match(line)) is not None


def uncited(line: str) -> str:
    """A cited line without its marks."""
    seen = _UNSEEN.sub("", line)
    return seen[found.end() :] if (found := _CITING.match(seen)) is not None else line


def is_labelled(line: str) -> bool:
    """Whether a line may be one of a head: ``Label: value``."""
    return _LABEL.fullmatch(_UNSEEN.sub("", line)) is not None


def run_of_labels(lines: Sequence[str], at: int) -> tuple[Head | None, int]:
    """The head that begins at a line, or None; and the first line behind all that look like one's.

    Args:
        lines: of a mail.
        at: where.
    """
    labels: list[str] = []
    has_mark = goes_on = False
    end = at
    for number in range(at, len(lines)):
        line = _UNSEEN.sub("", lines[number])
        if not line.strip():
            continue
        if (found := _LABEL.fullmatch(line)) is not None:
            labels.append(" ".join(found[1].split()).strip("*_ ").lower())
            goes_on = not found[2].strip("*_ ")
        elif labels and (goes_on or line[0].isspace() or lines[end - 1].rstrip().endswith((",", ";"))):
            goes_on = False
        else:
            break
        looked = line[:_MOST_LOOKED_CHARS]
        has_mark |= (_ADDRESS.search(looked) or _TIME.search(looked)) is not None
        end = number + 1
    named = bool(_FROM & {*labels})
    known = named and sum(one in _MORE for one in labels) >= _LEAST_KNOWN
    short = named and has_mark and len(labels) == _LEAST_KNOWN and bool(_MORE & {*labels})
    if not short and (len(labels) < _LEAST_LABELS or not (has_mark or known)):
        return None, max(end, at + 1)
    return Head(end, known and labels[0] in _FROM | _MORE), end


def is_head(line: str) -> bool:
    """Whether a line is a whole head of a mail: whom it is from, and to whom or what of.

    Args:
        line: of a mail.
    """
    looked = _UNSEEN.sub("", line[:_MOST_INTRO_CHARS])
    labels = [one.lower() for one in _ONE_LABEL.findall(looked)]
    more = sum(one in _MORE for one in labels)
    return bool(labels) and labels[0] in _FROM and more >= (1 if _ADDRESS.search(looked) else _LEAST_KNOWN)


def introduced(lines: Sequence[str], at: int) -> int:
    """From which line on it is said whose the citation is that begins at a line; that line where nothing says it.

    Args:
        lines: of a mail.
        at: the citation's first.
    """
    end = at
    while end and not lines[end - 1].strip():
        end -= 1
    if not end or is_cited(last := lines[end - 1]) or not last.rstrip().endswith(tuple(_COLONS)):
        return at
    for start in range(end - 1, max(-1, end - 1 - _MOST_INTRO_LINES), -1):
        if not lines[start].strip() or is_cited(lines[start]):
            break
        if _INTRO.fullmatch(" ".join(lines[start:end])):
            return start
    if not re.search(r"@|\d", last):
        return at
    return end - 2 if last.lstrip().startswith("<") and end > 1 and lines[end - 2].strip() else end - 1


def attributed(lines: Sequence[str], at: int) -> tuple[int, bool] | None:
    """Where what begins behind a line is by its shape somebody else's, though nothing marks it: the line says who wrote
    it, or names somebody with his address or a date, and ends in a colon.

    Args:
        lines: of a mail.
        at: where the line begins; it may go on in the next ones.

    Returns:
        The first line behind it, and whether it says in known words that somebody wrote; None for any other line.
    """
    line = _UNSEEN.sub("", lines[at][-_MOST_INTRO_CHARS:]).rstrip()
    if (said := _attribution(line)) is not None:
        return at + 1, said
    for end in range(at + 2, min(at + _MOST_INTRO_LINES, len(lines)) + 1):
        last = _UNSEEN.sub("", lines[end - 1][:_MOST_INTRO_CHARS]).strip()
        if not last:
            return None
        before, line = line, f"{line} {last}"[-_MOST_INTRO_CHARS:]
        if _INTRO.fullmatch(line):
            return end, True
        if end == at + 2 and (before.endswith("<") or last.startswith("<")) and _attribution(line) is not None:
            return end, _WROTE.search(line) is not None
    return None


def _attribution(line: str) -> bool | None:
    """Whether a line says in known words that somebody wrote what stands below; None where it says nothing of it."""
    wrote = _WROTE.search(line)
    last = wrote is not None and not line[wrote.end() :].strip(f" {_COLONS}")
    bracketed = _BRACKETED.search(line) is not None
    if wrote is not None and "<" in line and bracketed and line[-1:] not in _SENTENCE_ENDS:
        return True
    if not line.endswith(tuple(_COLONS)) and not (last and bracketed):
        return None
    if last or _SAID.fullmatch(line) or (wrote and re.search(r"\S@\S|\d", line)) or _INTRO.fullmatch(line):
        return True
    return False if bracketed or (_TIME.search(line) and _NAMED_LAST.search(line[-2 * _MOST_LABEL_CHARS :])) else None


def _is_repeated(line: str) -> bool:
    found = _REPEATED.fullmatch(line)
    return found is not None and unicodedata.category(found[1]) != "So"  # else it is a row of emoji


def is_introduction(lines: Sequence[str], at: int) -> bool:
    """Whether a line, with those that it goes on in, says in words that are known whose the mail below is."""
    return any(_INTRO.fullmatch(" ".join(lines[at : at + size])) for size in range(1, _MOST_INTRO_LINES + 1))
