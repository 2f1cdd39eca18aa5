"""Who a mail is from, as the mailbox's own server vouches for it (RFC 8601). Pure.

A `From` says whatever its sender likes. What the receiving server found out stands in `Authentication-Results`, under
the server's own name. Such a line can be forged, too: a server removes those that come in under its name, and puts its
own above all that was there. So the topmost line of that name counts, and no other.

What a server found out are names that the sender chose, and it copies them as they are. So a line is read by a grammar
narrower than the RFC's, of what servers write, and counts as a whole or not at all. One that cannot be read may be the
server's own, made so by its sender; nothing below it is believed then, as that was there before. No library is as
narrow: `authres` (of 2019) reads an unclosed comment to the end and believes what stands before it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

MOST_CHARS: Final = 10_000
"""Of one line; servers write some hundred."""
_FOLD: Final = re.compile(r"\r?\n(?=[ \t])")
_PLAIN: Final = re.compile(r"[\t -~]*")
_ENCODED_WORD: Final = "=?"
"""As one begins (RFC 2047). None may stand here, and a server that looks for its name in what comes in sees none."""
_PIECE: Final = re.compile(
    r"""(?P<blank>[ \t]+)
    |(?P<quoted>"(?:[^"\\]|\\.)*")
    |(?P<end>;)
    |(?P<open>\()
    |(?P<word>[^ \t"();\\]+)""",
    re.VERBOSE,
)
_IN_COMMENT: Final = re.compile(r'[^()"\\]+|\\.|[()"]')
_AUTHSERV: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_VERSION: Final = re.compile(r"[0-9]*")
_METHOD: Final = re.compile(r"([A-Za-z][A-Za-z0-9-]*)(?:/[0-9]+)?=([A-Za-z]+)")
_PROPERTY: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*(?:\.[A-Za-z0-9][A-Za-z0-9_-]*)?")
_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_DOMAIN: Final = rf"{_LABEL}(?:\.{_LABEL}){{0,126}}"
_LOCAL: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]*"
_ADDRESS: Final = re.compile(rf"(?:{_LOCAL}@)?({_DOMAIN})|<(?:{_LOCAL}@)?({_DOMAIN})>")
"""A domain, or an address; some servers write angles around it."""
_BEHIND_QUOTED: Final = re.compile(rf"@({_DOMAIN})")
_DECIDE: Final = frozenset(
    {("dmarc", "header.from"), ("dkim", "header.d"), ("dkim", "header.i"), ("spf", "smtp.mailfrom")}
)
"""What is read of whom a check speaks of, by its method."""
_NOBODY: Final = ("<>", '""', '"<>"')
"""How servers write that a mail has no sender on its envelope; it decides nothing."""


class Result(NamedTuple):
    """What one check said."""

    method: str
    result: str
    found: Mapping[str, str]
    """The domains that it looked at, in small letters, by what they are, e.g. ``header.d``."""


class Results(NamedTuple):
    """One line."""

    server: str
    """Who says it, in small letters."""
    results: Sequence[Result]


class _Unreadable(Exception):
    """A line is none that a server writes."""


def unbelieved(headers: Sequence[str], authserv: str, domain: str) -> str:
    """Why nobody vouches that a mail comes from a domain; empty where its mailbox's server does.

    Args:
        headers, authserv, domain: see `vouched`.
    """
    if vouched(headers, authserv, domain):
        return ""
    for header in headers:
        read = results_of(header)
        if read is None:
            return "an Authentication-Results above all that counts cannot be read"
        if read.server == authserv.lower():
            return f"{authserv} says of no check that it passed for the domain of its sender"
    return f"no Authentication-Results is by {authserv}"


def vouched(headers: Sequence[str], authserv: str, domain: str) -> bool:
    """Whether the mailbox's server says that a mail comes from a domain.

    Args:
        headers: all `Authentication-Results` as they came, undecoded, the topmost first.
        authserv: the server's name.
        domain: of the address in `From`.
    """
    for header in headers:
        read = results_of(header)
        if read is None:
            return False
        if read.server == authserv.lower():
            return _vouches(read.results, domain.lower())
    return False


def results_of(header: str) -> Results | None:
    """One `Authentication-Results`; None for what is not one from its beginning to its end.

    Args:
        header: its value as it came, undecoded; whatever it is, nothing is raised.
    """
    line = _FOLD.sub("", header).strip(" \t")
    if len(line) > MOST_CHARS or not _PLAIN.fullmatch(line) or _ENCODED_WORD in line:
        return None
    try:
        (server, *version), *rest = _parts(line)
        if not _AUTHSERV.fullmatch(server) or not line.startswith(server) or not _VERSION.fullmatch(" ".join(version)):
            return None
        if rest and not rest[-1]:
            rest.pop()  # some servers end the last one with a semicolon, too
        return Results(server.lower(), [_result(words) for words in rest if words != ["none"]])
    except _Unreadable:
        return None


def _vouches(results: Sequence[Result], domain: str) -> bool:
    if any(one.method == "dmarc" and one.result in ("fail", "permerror") for one in results):
        return False
    return any(one.result == "pass" and _is_of(one, domain) for one in results)


def _is_of(one: Result, domain: str) -> bool:
    """Whether a check that passed speaks of a domain, or of the one above that it belongs to."""
    match one.method:
        case "dmarc":
            return one.found.get("header.from", "") == domain
        case "dkim":
            signed = one.found.get("header.d") or one.found.get("header.i", "")
            return "." in signed and f".{domain}".endswith(f".{signed}")
        case "spf":
            return one.found.get("smtp.mailfrom", "") == domain
        case _:
            return False


def _parts(line: str) -> list[list[str]]:
    """The words between semicolons, without comments; a quoted piece belongs to the word that it stands in.

    Raises:
        _Unreadable: of a comment or a quoted piece an end is not there, or a comment touches a word that is not the
            first of its part: so it would be a piece of what a sender is called.
    """
    parts: list[list[str]] = [[]]
    at, grows = 0, False
    while at < len(line):
        piece = _PIECE.match(line, at)
        if piece is None:
            raise _Unreadable
        at, kind, words = piece.end(), piece.lastgroup, parts[-1]
        if kind == "open":
            if grows and not (len(words) == 1 and len(parts) > 1):  # Yahoo writes `dmarc=pass(p=NONE)`
                raise _Unreadable
            at = _behind_comment(line, at)
            if line[at : at + 1] not in ("", " ", "\t", ";"):
                raise _Unreadable
            grows = False
        elif kind in ("word", "quoted"):
            if grows:
                words[-1] += piece.group()
            else:
                words.append(piece.group())
            grows = True
        else:
            grows = False
            if kind == "end":
                parts.append([])
    if not parts[0]:
        raise _Unreadable
    return parts


def _behind_comment(line: str, at: int) -> int:
    """Behind the comment that has begun. A quote in it has its other half in it, too: it may hold an address whose
    quoted half has a bracket of its sender's.
    """
    depth, quotes = 1, 0
    while depth:
        piece = _IN_COMMENT.match(line, at)
        if piece is None:
            raise _Unreadable
        at = piece.end()
        depth += {"(": 1, ")": -1}.get(piece.group(), 0)
        quotes += piece.group() == '"'
    if quotes % 2:
        raise _Unreadable
    return at


def _result(words: list[str]) -> Result:
    method = _METHOD.fullmatch(words[0]) if words else None
    if method is None:
        raise _Unreadable
    name, result = method.group(1).lower(), method.group(2).lower()
    seen: set[str] = set()
    found: dict[str, str] = {}
    for word in words[1:]:
        said, sign, value = word.partition("=")
        known = said.lower()
        if not sign or not _PROPERTY.fullmatch(said) or known in seen:
            raise _Unreadable
        seen.add(known)
        if known == "smtp.mailfrom" and value in _NOBODY:
            continue
        if (name, known) in _DECIDE:
            found[known] = _domain_of(value)
        elif '"' in value and not _is_quoted(value):
            if not _BEHIND_QUOTED.fullmatch(_without_quoted(value)):
                raise _Unreadable
        elif not value:
            raise _Unreadable
    return Result(name, result, found)


def _domain_of(value: str) -> str:
    """The domain that a value says: alone, or of an address."""
    if value.startswith('"') and not _is_quoted(value):
        found = _BEHIND_QUOTED.fullmatch(_without_quoted(value))
    else:
        found = _ADDRESS.fullmatch(value[1:-1] if value.startswith('"') else value)
    if found is None:
        raise _Unreadable
    return str(found[found.lastindex or 0]).lower()


def _is_quoted(value: str) -> bool:
    """Whether a value is one quoted piece and nothing else."""
    return not _without_quoted(value)


def _without_quoted(value: str) -> str:
    """What stands behind the quoted piece with which a value begins."""
    piece = _PIECE.match(value)
    return value[piece.end() :] if piece is not None and piece.lastgroup == "quoted" else value
