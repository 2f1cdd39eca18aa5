"""Who a mail is from, as the mailbox's own server vouches for it (RFC 8601). Pure.

A `From` says whatever its sender likes. What the receiving server found out stands in `Authentication-Results`, under
the server's own name. Such a line can be forged, too: a server removes those that come in under its name, and puts its
own above all that was there. So the topmost line of that name counts, and no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

_MOST_CHARS: Final = 10_000
_RESULT: Final = re.compile(r"([a-z0-9-]+)(?:/\d+)?=([a-z]+)")


class Result(NamedTuple):
    """What one check said."""

    method: str
    result: str
    found: Mapping[str, str]
    """What it looked at, e.g. ``header.d``."""


def vouched(headers: Sequence[str], authserv: str, domain: str) -> bool:
    """Whether the mailbox's server says that a mail comes from a domain.

    Args:
        headers: all `Authentication-Results`, the topmost first.
        authserv: the server's name.
        domain: of the address in `From`.
    """
    read = map(results_of, headers)
    own = next((results for name, results in read if name == authserv.lower()), ())
    if any(one.method == "dmarc" and one.result in ("fail", "permerror") for one in own):
        return False
    return any(one.result == "pass" and _is_of(one, domain.lower()) for one in own)


def results_of(header: str) -> tuple[str, Sequence[Result]]:
    """One `Authentication-Results`: who says it, and what.

    Args:
        header: its value; whatever it is, nothing is raised.
    """
    first, *rest = _split("".join(_without_comments(header[:_MOST_CHARS]))) or [""]
    return (first.split() or [""])[0].strip('"').lower(), [one for piece in rest if (one := _result(piece)) is not None]


def _is_of(one: Result, domain: str) -> bool:
    """Whether a check that passed speaks of a domain, or of the one above that it belongs to."""
    match one.method:
        case "dmarc":
            return one.found.get("header.from", "") == domain
        case "dkim":
            signed = one.found.get("header.d") or one.found.get("header.i", "").rpartition("@")[2]
            return bool(signed) and "." in signed and f".{domain}".endswith(f".{signed}")
        case "spf":
            return one.found.get("smtp.mailfrom", "").rpartition("@")[2] == domain
        case _:
            return False


def _result(piece: str) -> Result | None:
    words = re.sub(r"\s*=\s*", "=", piece.strip()).split()
    match = _RESULT.fullmatch(words[0].lower()) if words else None
    if match is None:
        return None
    pairs = (word.partition("=") for word in words[1:])
    found: dict[str, str] = {}
    for name, _, value in pairs:
        found.setdefault(name.lower(), value.strip('"').lower())
    return Result(match.group(1), match.group(2), found)


def _split(text: str) -> list[str]:
    """At each semicolon that is not quoted."""
    return [piece.group() for piece in re.finditer(r'(?:"(?:\\.|[^"\\])*"|[^;"]|")+', text)]


def _without_comments(text: str) -> Iterator[str]:
    depth, quoted, escaped = 0, False, False
    for char in text:
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif char == '"' and not depth:
            quoted = not quoted
        elif char == "(" and not quoted:
            depth += 1
            continue
        elif char == ")" and not quoted and depth:
            depth -= 1
            yield " "
            continue
        if not depth:
            yield char
