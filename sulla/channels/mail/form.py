"""Mails of the daemon's: an agent's CommonMark as text, as it was written, and beside that as a page. Pure.

In the page nothing that an agent writes is HTML of its own, and nothing is loaded from anywhere: a picture is a link.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from email import policy
from email.message import EmailMessage
from functools import cache
from html import escape
from typing import Final

from markdown_it import MarkdownIt

from sulla.channels.machine.exact import rows
from sulla.core.dataclass import dataclass

_MOST_SUBJECT: Final = 80
_FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_ESCAPED: Final = re.compile(r"(?<!`)(`{1,9})(?!`).{1,500}?(?<!`)\1(?!`)|\\([!-/:-@\[-`{-~])")
"""Code, or a mark behind a backslash."""
_PAGE: Final = "<!doctype html>\n<html><body>\n{}</body></html>\n"


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail that goes out."""

    sender: str
    to: Sequence[str]
    message_id: str
    text: str
    subject: str
    """Of the conversation; empty where it begins with this mail."""
    references: Sequence[str] = ()
    """The mails before it, the one that it answers last."""
    reply_to: str = ""
    """Where answers go, if not to the sender."""
    at_s: float = 0.0
    """UTC seconds."""
    exact: Sequence[str] = ()
    """What stands above the text to the letter."""


@dataclass(frozen=True, slots=True)
class Enclosed:
    """A file that goes with a mail."""

    name: str
    content: bytes
    mime: str = ""


def written(letter: Letter, enclosed: Enclosed | None = None) -> bytes:
    """A mail as it goes over the wire.

    Args:
        letter: it.
        enclosed: what goes with it.
    """
    message = EmailMessage(policy=policy.SMTP)
    above = [*map(plain, letter.exact)]
    text = "\n\n".join(filter(None, (*above, unescaped(plain(letter.text)))))
    message["From"] = f"Sulla <{letter.sender}>"
    message["To"] = ", ".join(letter.to)
    message["Subject"] = f"Re: {plain_line(letter.subject)}" if letter.subject else _begun(text)
    message["Date"] = datetime.fromtimestamp(letter.at_s, UTC)
    message["Message-ID"] = letter.message_id
    if letter.references:
        message["In-Reply-To"] = letter.references[-1]
        message["References"] = " ".join(dict.fromkeys(letter.references))
    if letter.reply_to:
        message["Reply-To"] = letter.reply_to
    # Programs that keep to RFC 3834, Sulla's among them, answer none of these.
    message["Auto-Submitted"] = "auto-replied" if letter.references else "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    message.set_content(text, cte="quoted-printable")
    message.add_alternative(page(plain(letter.text), above), subtype="html", cte="quoted-printable")
    if enclosed is not None:
        main, _, sub = (enclosed.mime or "application/octet-stream").partition("/")
        if not sub or main in ("multipart", "message"):
            main, sub = "application", "octet-stream"
        message.add_attachment(
            enclosed.content, maintype=main, subtype=sub, filename=plain_line(enclosed.name) or "file"
        )
    return message.as_bytes()


def plain(text: str) -> str:
    """A text without what no mail can hold."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def unescaped(text: str) -> str:
    """CommonMark as it is read by people to whom nobody shows it: without the backslashes that keep a mark from being
    one. Code stays as it is.

    Args:
        text: CommonMark.
    """
    made: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or (line.strip() == mark[1] and mark[1].startswith(fence))):
            fence = "" if fence else mark[1]
        elif not fence and not line.startswith(("    ", "\t")):
            line = _ESCAPED.sub(lambda found: found[2] or found[0], line)
        made.append(line)
    return "\n".join(made)


def plain_line(text: str) -> str:
    """A text as one line of a header: no line of its own can be forged with it."""
    return " ".join("".join(char if char.isprintable() else " " for char in plain(text)).split())


def page(text: str, exact: Sequence[str] = ()) -> str:
    """CommonMark as a page.

    Args:
        text: it.
        exact: what stands above it to the letter.
    """
    above = "".join(f"<pre>\n{escape(rows(one), quote=False)}\n</pre>\n" for one in exact)
    return _PAGE.format(above + _parser().render(text))


@cache
def _parser() -> MarkdownIt:
    return (
        MarkdownIt("commonmark", {"html": False})
        .enable(["strikethrough", "table"])
        .disable(["image", "html_inline", "html_block"])
    )


def _begun(text: str) -> str:
    """The subject of a mail that begins a conversation."""
    line = next((found for one in text.splitlines() if (found := plain_line(one).strip("#*_` >"))), "")
    return line[:_MOST_SUBJECT] or "A message"
