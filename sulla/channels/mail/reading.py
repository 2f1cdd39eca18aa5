"""What a mail says: whose it is, where it belongs, and what stands in it. Pure.

Mail is whatever anybody sends. What a program wrote (lists, bounces, absences, other daemons) and what nobody vouches
for is passed over here, and never answered.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from email.errors import InvalidHeaderDefect
from email.message import EmailMessage, Message
from hashlib import blake2b
from hmac import compare_digest
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar, cast

from sulla.channels.base import (
    MOST_ATTACHMENTS,
    MOST_TEXT_CHARS,
    Arrived,
    Attachment,
    AttachmentKind,
    Place,
    Sender,
)
from sulla.channels.mail.bounded import TooMuch, has_many_lines, taken_apart
from sulla.channels.mail.lists import unindented
from sulla.channels.mail.settings import ADDRESS
from sulla.channels.mail.subjects import is_marked, passes_on, without_marks
from sulla.channels.mail.trust import unbelieved
from sulla.channels.mail.words import Parted, of_html, parted, unflowed

MOST_PEOPLE: Final = 20
"""Who talk in one conversation; mail to more is passed over."""
_MOST_HOPS: Final = 50
_MOST_PARTS: Final = 200
_MOST_PAGE_CHARS: Final = 1_000_000
_MOST_PASSED_ON: Final = 10
"""Mails within a mail of which the text is read."""
_MOST_PLAIN_CHARS: Final = 3 * MOST_TEXT_CHARS
_MOST_TEXT_BYTES: Final = 4 * _MOST_PAGE_CHARS
_MOST_ID_CHARS: Final = 200
BEGINNING_BYTES: Final = 256_000
"""Of a mail that is not read whole."""
_SLOW_CHARSETS: Final = frozenset({"punycode", "idna"})
"""Codecs that are for names, and take a time that grows with the square of the length."""
_ID: Final = re.compile(r"<[^<>\s]+>")
_LISTS: Final = ("List-Id", "List-Post", "List-Unsubscribe", "Mailing-List", "X-Autoreply", "X-Autorespond", "X-Loop")
_MACHINES: Final = ("mailer-daemon", "postmaster", "noreply", "no-reply", "donotreply", "do-not-reply")
_HEAD_END: Final = re.compile(rb"\n\r?\n")
_LOOSE_END: Final = re.compile(rb"\r(?!\n)")
"""Some read a line's end in it, and some do not: what stands behind it may be a line of a head that no server wrote."""
_RESENT: Final = ("Resent-From", "Resent-Sender", "Resent-To")
"""Somebody has sent a mail on as it was, so its sender did not write to the daemon."""
_RECIPIENTS: Final = ("To", "Cc", "Delivered-To", "X-Original-To")


T = TypeVar("T")


class Own(NamedTuple):
    """What the daemon knows of itself."""

    address: str
    authserv: str = ""
    word: str = ""

    def named(self, address: str) -> bool:
        """Whether an address is the daemon's, with whatever behind a ``+``."""
        local, _, domain = address.lower().rpartition("@")
        return f"{local.partition('+')[0]}@{domain}" == self.address.lower()

    def knows_word(self, address: str) -> bool:
        """Whether the secret word stands in an address."""
        local, _, domain = self.address.lower().rpartition("@")
        return bool(self.word) and compare_digest(address.lower().encode(), f"{local}+{self.word}@{domain}".encode())


class Passed(NamedTuple):
    """A mail that is passed over."""

    why: str
    unread: bool = False
    """Whether it could not be read at all."""
    vouched: bool = False
    """Whether somebody vouches for its sender."""
    unvouched: bool = False
    """Whether it is passed over because nobody does."""


def own_id(key: str, domain: str) -> str:
    """The `Message-ID` of a mail of the daemon's: the same for the same key.

    Args:
        key: see `Said.key`.
        domain: of the daemon's address.
    """
    return f"<sulla.{blake2b(key.encode(), digest_size=16).hexdigest()}@{domain}>"


def passed_at_once(head: bytes, own: Own) -> Passed | None:
    """Whether a mail is passed over, as far as its head says: then nothing else of it is looked at.

    Args:
        head: as it came.
        own: who the daemon is.
    """
    found = _guarded(head, lambda: _who(taken_apart(head), own))
    return found if isinstance(found, Passed) else None


def read(raw: bytes, handle: str, own: Own, *, whole_bytes: int | None = None) -> Arrived | Passed:
    """What a mail says.

    Args:
        raw: as it came, or its beginning.
        handle: by which it is fetched again.
        own: who the daemon is.
        whole_bytes: how long it is where `raw` is only its beginning: then what is attached cannot be told apart.
    """
    if whole_bytes is None and has_many_lines(raw):
        raw, whole_bytes = raw[:BEGINNING_BYTES], len(raw)
    return _guarded(raw, lambda: _read(taken_apart(raw), handle, own, whole_bytes))


def _guarded(raw: bytes, look: Callable[[], T]) -> T | Passed:
    """What a look at a mail finds; that it is passed over where it cannot be looked at."""
    if _LOOSE_END.search(raw[: found.end()] if (found := _HEAD_END.search(raw)) else raw):
        return Passed("a line of its head ends as none of a server's does")  # so nobody can say who wrote which
    try:
        return look()
    except TooMuch as error:
        return Passed(error.why, unread=not error.of_people)
    except Exception as error:  # noqa: BLE001 - a mail can be anything, and the parser fails over some in ways of its own
        return Passed(f"it cannot be read ({type(error).__name__})", unread=True)


def content_of(raw: bytes, number: int) -> bytes | None:
    """The content of an attachment; None where there is none.

    Args:
        raw: the mail.
        number: which, as in its handle.
    """
    try:
        message = taken_apart(raw)
        found = next((part for at, part in enumerate(_attached(message)) if at == number), None)
        return None if found is None else _bytes_of(found)
    except Exception:  # noqa: BLE001 - as above
        return None


class _Who(NamedTuple):
    """Whose a mail is, and whom it goes to."""

    sender: str
    others: list[str]
    """Beside the daemon."""
    addressed: list[str]


def _who(message: EmailMessage, own: Own) -> _Who | Passed:
    sender = _sender(message)
    if sender is None:
        return Passed("it has not one plain sender")
    if own.named(sender) or (why := _written_by_machine(message, sender)):
        return Passed("it is the daemon's own" if own.named(sender) else why)
    addressed = _addresses(message, ("To",))
    others = sorted({one for one in _addresses(message, ("To", "Cc")) if not own.named(one)} - {sender})
    if why := _unvouched(message, sender, own, alone=not others):
        return Passed(why, unvouched=True)
    if len(others) >= MOST_PEOPLE:
        return Passed("it goes to too many")
    return _Who(sender, others, addressed)


def _read(message: EmailMessage, handle: str, own: Own, whole_bytes: int | None) -> Arrived | Passed:
    found = _who(message, own)
    return found if isinstance(found, Passed) else _arrived(message, handle, own, *found, whole_bytes)


def _arrived(
    message: EmailMessage,
    handle: str,
    own: Own,
    sender: str,
    others: list[str],
    addressed: list[str],
    whole_bytes: int | None,
) -> Arrived:
    message_id = _id(str(message.get("Message-ID", ""))) or f"uid:{handle}"
    answers = _ids(message, "In-Reply-To")[:1]
    before = _ids(message, "References") or answers
    to_us = (
        bool(answers)
        and answers[0].startswith("<sulla.")
        and answers[0].endswith(f"@{own.address.rpartition('@')[2].lower()}>")
    )
    text, quoted = _said(message, to_us=to_us, first=not before)
    name = without_marks(" ".join(str(message.get("Subject", "")).split()))[:200]
    place = Place(
        ",".join(sorted({sender, *others})), (before or [message_id])[0], "group" if others else "private", name
    )
    shown = str(next((one.display_name for one in _mailboxes(message, "From")), ""))[:200]
    meant = not others or to_us or text.startswith("/") or any(map(own.named, addressed))
    return Arrived(
        place,
        Sender(sender, shown),
        message_id,
        "message",
        text[:MOST_TEXT_CHARS],
        quoted[:MOST_TEXT_CHARS],
        (answers or [""])[0],
        _attachments(message, handle, whole_bytes),
        meant,
        at_ms=_at_ms(message),
    )


# ---------------------------------------------------------------------------------------------------------------- who


def _sender(message: EmailMessage) -> str | None:
    """The one address in the one `From`; None where there is anything else."""
    said = message.get_all("From", [])
    if len(said) != 1 or any(isinstance(one, InvalidHeaderDefect) for one in getattr(said[0], "defects", ())):
        return None  # another program may read it as somebody else's
    found = [one.addr_spec for one in _mailboxes(message, "From")]
    return found[0].lower() if len(found) == 1 and ADDRESS.fullmatch(found[0]) else None


def _unvouched(message: EmailMessage, sender: str, own: Own, *, alone: bool) -> str:
    """Why nobody vouches that the sender is who he says he is; empty where somebody does.

    Whoever else gets a mail knows the word then: so it counts alone."""
    if own.authserv:
        results = [value for name, value in message.raw_items() if name.lower() == "authentication-results"]
        return unbelieved(results, own.authserv, sender.rpartition("@")[2])
    known = alone and any(map(own.knows_word, _addresses(message, _RECIPIENTS)))
    return "" if known else "it is not sent to the address with the secret word, or not to that alone"


def _written_by_machine(message: EmailMessage, sender: str) -> str:
    """Why a mail is no person's; empty where it may be one's."""
    if str(message.get("Auto-Submitted", "no")).partition(";")[0].strip().lower() != "no":
        return "a program wrote it"
    if str(message.get("Precedence", "")).strip().lower() in ("bulk", "junk", "list", "auto_reply"):
        return "it is bulk"
    if any(name in message for name in _LISTS) or "X-Auto-Response-Suppress" in message:
        return "it is a list's, or an answer of a program's"
    back = message.get("Return-Path")
    if (back is not None and str(back).strip() in ("<>", "")) or message.get_content_type() == "multipart/report":
        return "it is a report on another mail"
    if sender.partition("@")[0].startswith(_MACHINES):
        return "its sender is no person"
    return "it goes in circles" if len(message.get_all("Received", [])) > _MOST_HOPS else ""


def _mailboxes(message: EmailMessage, name: str) -> list[Any]:
    return [one for header in message.get_all(name, []) for one in getattr(header, "addresses", ())]


def _addresses(message: EmailMessage, names: tuple[str, ...]) -> list[str]:
    """All addresses of some headers, as they are written to."""
    found = [one.addr_spec for name in names for one in _mailboxes(message, name)]
    bare = [str(one).strip(" <>") for name in names[2:] for one in message.get_all(name, [])]
    return [one.lower() for one in (*found, *bare) if ADDRESS.fullmatch(one)]


# --------------------------------------------------------------------------------------------------------------- what


def _ids(message: EmailMessage, name: str) -> list[str]:
    return [_short(one) for one in _ID.findall(str(message.get(name, ""))[:20_000])]


def _id(header: str) -> str:
    found = _ID.search(header)
    return _short(found.group()) if found else ""


def _short(message_id: str) -> str:
    """An id as it is kept: no longer than it need be."""
    if len(message_id) <= _MOST_ID_CHARS:
        return message_id
    return f"<long.{blake2b(message_id.encode('utf-8', 'replace'), digest_size=16).hexdigest()}>"


def _said(message: EmailMessage, *, to_us: bool, first: bool) -> tuple[str, str]:
    """What its sender says, and what he cites or passes on."""
    found = parted(unindented(_body(message), lambda: _body(message, kinds=("html",))))
    subject = " ".join(str(message.get("Subject", "")).split())[:300]
    if passes_on(subject) and not found.forwarded:
        found = Parted("", "", "", "\n\n".join(filter(None, (found.own, found.cited, found.history))))
    if any(name in message for name in _RESENT):
        found = Parted("", "", "", "\n\n".join(filter(None, (found.own, found.cited, found.history, found.forwarded))))
    passed_on = [_body(part, _MOST_PLAIN_CHARS) for part in islice(_forwarded(message), _MOST_PASSED_ON)]
    own, named = found.own, ""
    if first and subject and not own.startswith("/"):
        if is_marked(subject) or found.forwarded or passed_on:
            named = subject  # somebody else's words, for all that is known
        else:
            own = f"{subject}\n\n{own}".strip()
    # What stands below an answer to the daemon is the conversation itself.
    history = "" if to_us else found.history
    return own, "\n\n".join(filter(None, (named, found.cited, history, found.forwarded, *passed_on)))


def _body(
    message: EmailMessage, most_page_chars: int = _MOST_PAGE_CHARS, kinds: tuple[str, ...] = ("plain", "html")
) -> str:
    for kind in kinds:
        part = message.get_body((kind,))
        if part is None:
            continue
        text = _text_of(cast("EmailMessage", part))
        if kind == "plain":
            text = text[:_MOST_PLAIN_CHARS]
        if kind == "html":
            text = of_html(text[:most_page_chars])
        elif part.get_param("format", "") == "flowed":
            text = unflowed(text, without_space=str(part.get_param("delsp", "")).lower() == "yes")
        if text.strip():
            return text[: 2 * MOST_TEXT_CHARS]
    return ""


def _text_of(part: EmailMessage) -> str:
    content = part.get_payload(decode=True)
    raw = content[:_MOST_TEXT_BYTES] if isinstance(content, bytes) else b""
    charset = part.get_content_charset() or "utf-8"
    try:
        if codecs.lookup(charset).name in _SLOW_CHARSETS:
            charset = "utf-8"
        return raw.decode(charset, "replace").replace("\x00", "")
    except (LookupError, UnicodeError):
        return raw.decode("utf-8", "replace").replace("\x00", "")


def _parts(message: Message) -> Iterator[EmailMessage]:
    """What a mail consists of, but not what mails that are passed on with it do."""
    waiting: list[Any] = [message]
    for _ in range(_MOST_PARTS):
        if not waiting:
            return
        part = waiting.pop(0)
        yield part
        if part.is_multipart() and part.get_content_maintype() == "multipart":
            waiting[:0] = part.get_payload()


def _forwarded(message: EmailMessage) -> Iterator[EmailMessage]:
    for part in _parts(message):
        if part.get_content_type() == "message/rfc822" and part.is_multipart():
            yield cast("EmailMessage", part.get_payload(0))


def _attached(message: EmailMessage) -> Iterator[EmailMessage]:
    bodies = {id(part) for kind in ("plain", "html") if (part := message.get_body((kind,))) is not None}
    for part in _parts(message):
        if part.is_multipart() or id(part) in bodies:
            continue
        if (
            part.get_content_disposition() == "attachment"
            or part.get_content_maintype() != "text"
            or part.get_filename()
        ):
            yield part


def _bytes_of(part: EmailMessage) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _attachments(message: EmailMessage, handle: str, whole_bytes: int | None) -> tuple[Attachment, ...]:
    if whole_bytes is not None:
        return (Attachment(f"{handle}.0", "file", "mail", "", whole_bytes),) if message.is_multipart() else ()
    found = (
        Attachment(
            f"{handle}.{number}",
            _kind_of(part.get_content_maintype()),
            str(part.get_filename() or "")[:500],
            part.get_content_type()[:100],
            len(_bytes_of(part)),
        )
        for number, part in enumerate(islice(_attached(message), MOST_ATTACHMENTS))
    )
    return tuple(found)


def _kind_of(main: str) -> AttachmentKind:
    return "picture" if main == "image" else "voice" if main == "audio" else "file"


def _at_ms(message: EmailMessage) -> int:
    at = getattr(message.get("Date"), "datetime", None)
    return max(0, round(at.timestamp() * 1_000)) if at is not None else 0
