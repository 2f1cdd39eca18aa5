"""One connection to a mailbox by IMAP, with the library imap_tools. Nothing in it is changed, but that what was taken
is marked as read.
"""

from __future__ import annotations

import asyncio
import imaplib
import re
import ssl
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date
from typing import Any, Final, NamedTuple, TypeVar

from imap_tools.errors import ImapToolsError, MailboxLoginError

from sulla.channels.mail.connection import Bound, Box, Login
from sulla.core.errors import Unauthorized, Unavailable

ANSWER_S: Final = 20.0
"""How long a server may be silent within an answer."""
WHOLE_S: Final = 120.0
"""How long an answer may take, beside what it brings at `LEAST_BYTES_PER_S`."""
LEAST_BYTES_PER_S: Final = 50_000
MOST_TOLD_BYTES: Final = 4_000_000
"""Of an answer, beside the mail that is fetched."""
MOST_FETCHED_BYTES: Final = 60_000_000
"""Of a mail that is fetched whole."""
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SIZE: Final = re.compile(rb"RFC822\.SIZE (\d+)")
_UID: Final = re.compile(rb"UID (\d+)")
_LATER: Final = re.compile(r"\[(?:UNAVAILABLE|INUSE|LIMIT|SERVERBUG)\]")
_CUT_OFF: Final = (ImapToolsError, imaplib.IMAP4.error, OSError, EOFError)

T = TypeVar("T")


class Standing(NamedTuple):
    """How a folder is."""

    validity: int
    """While it is the same, numbers mean the same mails."""
    next_uid: int
    """The number of the next mail."""


class Mailbox:
    """A folder that is read. The library waits for the wire, so each has a thread of its own, which ends with `close`.

    Args:
        login: how it is opened.
        folder: which.
    """

    def __init__(self, login: Login, folder: str) -> None:
        self._login = login
        self._folder = folder
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="mailbox")
        self._box: Box | None = None
        self._closed = False
        self._bound = Bound()
        self.tells = False
        """Whether the server says by itself that something came."""

    def beside(self, folder: str) -> Mailbox:
        """Another connection by the same login.

        Args:
            folder: which it reads.
        """
        return Mailbox(self._login, folder)

    async def open(self) -> Standing:
        """Connect; once more where it was connected before.

        Raises:
            Unauthorized: the server does not know the password.
            Unavailable: it does not answer.
        """
        return await self._do(self._open)

    async def close(self) -> None:
        """Let go of it; what waits for it ends. A second time nothing happens."""
        if self._closed:
            return
        self._closed = True
        self._bound.cut()
        if self._box is not None:
            await asyncio.wrap_future(self._threads.submit(self._let_go))
        self._threads.shutdown(wait=False)

    async def after(self, uid: int) -> list[int]:
        """The numbers of all mails behind one, in order.

        Raises:
            Unavailable: the server does not answer.
        """
        found = await self._do(self._search, f"UID {uid + 1}:*")
        return [one for one in found if one > uid]  # a server says the last one at the least

    async def since(self, day: date) -> list[int]:
        """The numbers of all mails that came on a day or later, in order."""
        return await self._do(self._search, _since(day))

    async def unread(self, day: date) -> list[int]:
        """The same of those that nobody has read."""
        return await self._do(self._search, f"UNSEEN {_since(day)}")

    async def mark(self, uids: Sequence[int]) -> None:
        """Some mails were taken: they count as read.

        Raises:
            Unavailable: the server does not answer.
        """
        await self._do(self._mark, uids)

    async def has(self, message_id: str) -> bool:
        """Whether a mail with this id is there."""
        return bool(await self._do(self._search, f'HEADER Message-ID "{message_id}"'))

    async def sizes(self, uids: Sequence[int]) -> dict[int, int]:
        """How many bytes some mails have; those that are gone are left out."""
        return await self._do(self._sizes, uids)

    async def mail(self, uid: int, most_bytes: int | None = None) -> bytes | None:
        """A mail, or its beginning; None where it is gone.

        Args:
            uid: its number.
            most_bytes: how much of it; None for all.
        """
        part = "" if most_bytes is None else f"<0.{most_bytes}>"
        return await self._do(self._mail, uid, part, brings=most_bytes or MOST_FETCHED_BYTES)

    async def head(self, uid: int, most_bytes: int) -> bytes | None:
        """The beginning of a mail's head; None where the mail is gone.

        Args:
            uid: its number.
            most_bytes: how much of it.
        """
        return await self._do(self._mail, uid, f"<0.{most_bytes}>", "HEADER", brings=most_bytes)

    async def wait(self, seconds: float) -> None:
        """Until something happens in the folder, or so long.

        Raises:
            Unavailable: the connection is gone.
        """
        await self._do(self._wait, seconds, lasts_s=seconds)

    # ------------------------------------------------------------------------------------------------- in the thread

    async def _do(self, work: Callable[..., T], *given: Any, brings: int = 0, lasts_s: float = 0.0) -> T:  # noqa: ANN401 - whatever the work takes
        """Do something in the thread, within bounds.

        Args:
            work, given: what, and with what.
            brings: how many bytes are asked for.
            lasts_s: how long it may wait beside.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.call_later(WHOLE_S + lasts_s + brings / LEAST_BYTES_PER_S, self._bound.cut)
        self._bound.left = MOST_TOLD_BYTES + brings
        try:
            return await loop.run_in_executor(self._threads, work, *given)
        except MailboxLoginError as error:
            if _LATER.search(str(error)):
                raise Unavailable("the mailbox's server lets nobody in for now") from None
            raise Unauthorized("the mailbox's server does not know the address and password: set them anew") from None
        except _CUT_OFF as error:
            raise Unavailable(f"the mailbox's server does not answer ({type(error).__name__})") from None
        except (LookupError, ValueError, TypeError, AttributeError) as error:
            # The library takes it for granted that a server answers in the form that the standard has.
            raise Unavailable(
                f"the mailbox's server gives an answer that does not fit ({type(error).__name__})"
            ) from None
        except RuntimeError:
            if not self._closed:
                raise
            raise Unavailable("the mailbox is closed") from None
        finally:
            deadline.cancel()

    def _open(self) -> Standing:
        self._let_go()
        self._box = box = Box(self._bound, self._login, ANSWER_S)
        if self._closed:
            self._let_go()
            raise EOFError
        if self._login.password.isascii() and self._login.user.isascii():
            box.login(self._login.user, self._login.password, None)
        else:
            box.login_utf8(self._login.user, self._login.password, None)
        box.folder.set(self._folder)
        _, told = box.client.capability()
        self.tells = b"IDLE" in bytes(told[0] or b"").upper().split()
        found = box.folder.status(self._folder, ("UIDVALIDITY", "UIDNEXT"))
        return Standing(found.get("UIDVALIDITY", 0), found.get("UIDNEXT", 1))

    def _let_go(self) -> None:
        if self._box is not None:
            with suppress(*_CUT_OFF):
                self._box.client.shutdown()
            self._box = None
        self._bound.let_go()

    def _client(self) -> imaplib.IMAP4:
        if self._box is None or self._closed:
            raise EOFError
        return self._box.client

    def _search(self, what: str) -> list[int]:
        lines = _good(self._client().uid("SEARCH", what))
        return sorted(int(one) for line in lines for one in (line or b"").split())

    def _sizes(self, uids: Sequence[int]) -> dict[int, int]:
        found: dict[int, int] = {}
        for line in _good(self._client().uid("FETCH", ",".join(map(str, uids)), "(UID RFC822.SIZE)")):
            uid, size = _UID.search(line or b""), _SIZE.search(line or b"")
            if uid is not None and size is not None:
                found[int(uid.group(1))] = int(size.group(1))
        return found

    def _mail(self, uid: int, part: str, section: str = "") -> bytes | None:
        lines = _good(self._client().uid("FETCH", str(uid), f"(BODY.PEEK[{section}]{part})"))
        return next((bytes(one[1]) for one in lines if isinstance(one, tuple)), None)

    def _mark(self, uids: Sequence[int]) -> None:
        _good(self._client().uid("STORE", ",".join(map(str, uids)), "+FLAGS.SILENT", r"(\Seen)"))

    def _wait(self, seconds: float) -> None:
        client = self._client()
        if self._box is not None:
            with self._box.idle as listening:
                if not _has_read(client):
                    listening.poll(seconds)


def _has_read(client: imaplib.IMAP4) -> bool:
    """Whether the server has told something already. What it says together with its leave to listen was read with that
    from the socket, at which the library waits.
    """
    wire = client.socket()
    before_s = wire.gettimeout()
    wire.settimeout(0)
    try:
        return bool(client.readline())
    except (BlockingIOError, ssl.SSLWantReadError):
        return False
    finally:
        wire.settimeout(before_s)


def _since(day: date) -> str:
    return f"SINCE {day.day:02}-{_MONTHS[day.month - 1]}-{day.year}"


def _good(answer: tuple[str, list[Any]]) -> list[Any]:
    if answer[0] != "OK":
        raise EOFError
    return answer[1]
