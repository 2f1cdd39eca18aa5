"""E-mail: what comes into a mailbox is read by IMAP, and answers are handed in by SMTP."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from sulla.channels.base import (
    Account,
    Arrived,
    Attachment,
    Batch,
    Manners,
    NotSent,
    Outcome,
    Place,
    Press,
    Said,
    SaidFile,
    Sent,
    Unknown,
)
from sulla.channels.kinds import Wanted
from sulla.channels.mail.bounded import MOST_HEAD_BYTES
from sulla.channels.mail.connection import Login
from sulla.channels.mail.form import Enclosed, Letter, plain, written
from sulla.channels.mail.known import KnownMails
from sulla.channels.mail.mailbox import MOST_FETCHED_BYTES, Mailbox, Standing
from sulla.channels.mail.reading import BEGINNING_BYTES, Own, Passed, content_of, own_id, passed_at_once, read
from sulla.channels.mail.settings import ADDRESS, MailOptions
from sulla.channels.mail.submission import Submission
from sulla.channels.mail.unvouched import Unvouched
from sulla.core.clock import Clock
from sulla.core.errors import NotFound, SettingsError, SullaError
from sulla.host.system import random_id

log = logging.getLogger(__name__)

IDLE_S: Final = 540.0
"""How long one wait for news goes on; routers forget connections that are silent for longer."""
POLL_S: Final = 60.0
"""How often a server is asked that does not tell by itself."""
GRACE_S: Final = 30.0
"""How long a mail that was handed in may take to lie among those that were sent."""
READ_S: Final = 60.0
"""How long reading a mail may take. What is read of one is bounded, so that none does on a machine that works."""
MOST_MAIL_BYTES: Final = MOST_FETCHED_BYTES
"""Of a longer mail the beginning is read."""
_MOST_MAILS: Final = 20
_MOST_BATCH_BYTES: Final = 1_000_000
_MOST_KNOWN: Final = 1_000
_PIECE: Final = 64 * 1024


def make(wanted: Wanted) -> MailChannel:
    """A channel of the kind `mail`; see `kinds.ChannelKind.make`.

    Raises:
        SettingsError: its options are another kind's.
    """
    if not isinstance(wanted.options, MailOptions):
        raise SettingsError(f"the channel {wanted.name!r} has no options of mail's")
    word = wanted.secrets.get("word", "") or wanted.options.word
    return MailChannel(wanted.secrets["password"], wanted.options, wanted.clock, word)


class Cursor(NamedTuple):
    """How far a folder was read."""

    validity: int
    uid: int
    day: date
    """When: where the folder's numbers are others all of a sudden, it is read from then on. While `gathered` says
    something, when it was first read.
    """
    gathered: int = 0
    """Up to which mail only those count that nobody has read: what had gathered before the folder was first read. 0
    once all that was taken."""

    @classmethod
    def of(cls, text: str) -> Cursor | None:
        """What `str` wrote; None for what it did not."""
        try:
            validity, uid, day, *gathered = text.split(" ")
            return cls(int(validity), int(uid), date.fromisoformat(day), *map(int, gathered[:1]))
        except ValueError:
            return None

    def __str__(self) -> str:
        """As it is kept."""
        more = f" {self.gathered}" if self.gathered else ""
        return f"{self.validity} {self.uid} {self.day.isoformat()}{more}"

    def behind(self, uid: int, today: date) -> Cursor:
        """How far it was read now."""
        if uid < self.gathered:
            return self._replace(uid=uid)
        return Cursor(self.validity, max(self.uid, self.gathered, uid), today)


class MailChannel:
    """Keeps `base.Channel` for one mailbox.

    Args:
        password: of the mailbox.
        options: what the settings say.
        clock: all time.
        word: the secret one of the address; empty where its server is believed.
    """

    def __init__(self, password: str, options: MailOptions, clock: Clock, word: str = "") -> None:
        self._options = options
        self._clock = clock
        self._own = Own(options.address.lower(), options.authserv, word)
        user = options.user or options.address
        inbox, outbox = options.imap_server(), options.smtp_server()
        trusted = ssl.create_default_context() if {inbox.security, outbox.security} != {"none"} else None
        self._submission = Submission(outbox, user, password, options.domain, trusted)
        self._box = Mailbox(Login(inbox, user, password, trusted), options.folder)
        self._standing: Standing | None = None
        """Of the folder, until it is read."""
        self._mails: dict[str, bytes] = {}
        """Those of the last batch, by their handles, for a while: their files are fetched soon."""
        self._taken: list[int] = []
        """The numbers of the batch that nobody has acknowledged."""
        self._known = KnownMails()
        self._unvouched = Unvouched(clock)
        self._asked_s: dict[str, float] = {}
        """Since when a mail was looked for in vain."""
        self.manners: Final = Manners(
            most_chars=50_000,
            sends_per_s=2.0,
            place_sends_per_s=0.5,
            tells_sent=bool(options.sent),
            deletes=False,
            edits=False,
            names_answered=True,
            most_file_bytes=18_000_000,  # what is 25 MB long on its way is taken nearly everywhere
        )

    async def open(self) -> Account:
        """See `base.Channel`."""
        self._standing = await self._box.open()
        await self._submission.prove()
        shown = self._own.address
        if self._own.word:
            local, _, domain = shown.rpartition("@")
            shown = f"{local}+…@{domain}"
        return Account(self._own.address, shown)

    async def close(self) -> None:
        """See `base.Channel`."""
        await self._box.close()

    async def first_cursor(self) -> str:
        """What nobody has read counts, as far as it came within a day."""
        return ""

    # ------------------------------------------------------------------------------------------------------- what comes

    async def receive(self, cursor: str) -> AsyncIterator[Batch]:
        """See `base.Channel`. The cursor is the number of the last mail that was read."""
        standing, self._standing = self._standing or await self._box.open(), None
        at, uids = await self._begin(Cursor.of(cursor), standing)
        while True:
            while uids:
                some = await self._some(uids)
                arrived, unread, lost = await self._read(some, standing)
                self._taken, uids = uids[: len(some)], uids[len(some) :]
                at = at.behind(self._taken[-1] if uids else max(self._taken[-1], at.gathered), self._today())
                yield Batch(arrived, str(at), unread, lost=lost)
            uids = await self._box.after(at.uid)
            if uids:
                continue
            yield Batch((), str(at))
            if self._box.tells:
                await self._box.wait(IDLE_S)
            else:
                await self._clock.sleep(POLL_S)
            self._mails.clear()

    async def _begin(self, cursor: Cursor | None, standing: Standing) -> tuple[Cursor, list[int]]:
        """From where on it is read, and what is read before that which comes. Where the folder's numbers are others all
        of a sudden, that is what came since the day before the last mail that was read; what was taken is known again.
        """
        if cursor is None:
            cursor = Cursor(standing.validity, 0, self._today(), standing.next_uid - 1)
        if cursor.validity != standing.validity:
            since = await self._box.since(cursor.day - timedelta(days=1))
            return Cursor(standing.validity, (since or [standing.next_uid])[0] - 1, self._today()), since
        if not cursor.gathered:
            return cursor, []
        unread = await self._box.unread(cursor.day - timedelta(days=1))
        left = [one for one in unread if cursor.uid < one <= cursor.gathered]
        return (cursor, left) if left else (cursor.behind(cursor.gathered, self._today()), [])

    async def _some(self, uids: Sequence[int]) -> Sequence[tuple[int, int | None]]:
        """The next mails, as many as are read at once, with their lengths; None for one that is gone."""
        first = uids[:_MOST_MAILS]
        sizes = await self._box.sizes(first)
        some: list[tuple[int, int | None]] = []
        total = 0
        for uid in first:
            total += sizes.get(uid, 0)
            if some and total > _MOST_BATCH_BYTES:
                break
            some.append((uid, sizes.get(uid)))
        return some

    async def _read(
        self, some: Sequence[tuple[int, int | None]], standing: Standing
    ) -> tuple[tuple[Arrived, ...], int, str]:
        """What some mails say, how many of them could not be read, and why the last that somebody vouches for."""
        found: list[Arrived] = []
        unread, lost = 0, ""
        self._mails.clear()
        for uid, size in some:
            if size is None:
                continue
            arrived = await self._looked_at(uid, size, f"{standing.validity}.{uid}")
            if isinstance(arrived, Arrived):
                found.append(arrived)
                self._known.note(arrived.place, arrived.message_id)
            elif arrived is not None and arrived.unvouched:
                self._unvouched.note(uid, arrived.why)
            elif arrived is not None and arrived.unread:
                log.warning("the mail %d could not be read: %s", uid, arrived.why)
                unread += 1
                lost = f"mail {uid} could not be read: {arrived.why}" if arrived.vouched else lost
        return tuple(found), unread, lost

    async def _looked_at(self, uid: int, size: int, handle: str) -> Arrived | Passed | None:
        """What one mail says; None where it is gone. Of what nobody vouches for no more than the head is fetched."""
        head = await self._box.head(uid, MOST_HEAD_BYTES)
        if head is None:
            return None
        if (passed := await asyncio.to_thread(passed_at_once, head, self._own)) is not None:
            return passed
        large = size > MOST_MAIL_BYTES
        raw = await self._box.mail(uid, BEGINNING_BYTES if large else None)
        if raw is None:
            return None
        try:
            async with self._clock.timeout(READ_S):
                arrived = await asyncio.to_thread(read, raw, handle, self._own, whole_bytes=size if large else None)
        except TimeoutError:  # it is behind us all the same: read anew with each start it would stop each
            return Passed(f"reading it took more than {READ_S:g} s", unread=True, vouched=True)
        if isinstance(arrived, Passed):
            return arrived._replace(vouched=True)
        if arrived.attachments and not large:
            self._mails[handle] = raw
        return arrived

    async def acknowledge(self, cursor: str) -> None:
        """What was taken is marked as read: so another home that gets this mailbox does not take it again."""
        taken, self._taken = self._taken, []
        if taken:
            await self._box.mark(taken)

    async def fetch(self, attachment: Attachment) -> AsyncIterator[bytes]:
        """See `base.Channel`."""
        handle, _, number = attachment.handle.rpartition(".")
        raw = self._mails.get(handle) or await self._fetched(handle)
        content = await asyncio.to_thread(content_of, raw, int(number)) if raw is not None else None
        if content is None:
            raise NotFound("the mail, or what was attached to it, is gone")
        for at in range(0, len(content), _PIECE):
            yield content[at : at + _PIECE]

    async def _fetched(self, handle: str) -> bytes | None:
        """A mail of before, by a connection of its own: the other one waits for news."""
        validity, _, uid = handle.partition(".")
        box = self._box.beside(self._options.folder)
        try:
            standing = await box.open()
            return await box.mail(int(uid)) if str(standing.validity) == validity else None
        finally:
            await box.close()

    # ------------------------------------------------------------------------------------------------------ what goes

    def measure(self, text: str, *exact: str) -> int:
        """See `base.Channel`: a mail's text is what the agent wrote."""
        return sum(len(plain(one)) + 2 for one in (text, *exact)) - 2

    async def send(self, place: Place, said: Said) -> Outcome:
        """See `base.Channel`."""
        return await self._send(place, said, said.reply_to)

    async def edit(self, place: Place, ref: str, said: Said) -> Outcome:
        """A mail cannot be changed: another one answers it, and says what it says now."""
        return await self._send(place, said, ref)

    async def delete(self, place: Place, ref: str) -> Outcome:
        """See `base.Channel`; see `Manners.deletes`."""
        return NotSent("a mail cannot be taken back", final=True)

    async def send_file(self, place: Place, file: SaidFile) -> Outcome:
        """See `base.Channel`."""
        enclosed = Enclosed(file.name, file.content, file.mime)
        return await self._send(place, Said(file.caption or file.name, key=file.key), "", enclosed)

    async def _send(self, place: Place, said: Said, answers: str, enclosed: Enclosed | None = None) -> Outcome:
        to = place.id.split(",")
        if not all(map(ADDRESS.fullmatch, to)):
            return NotSent("this is nobody's address", final=True)
        message_id = own_id(said.key or random_id("mail"), self._options.domain)
        references = [one for one in (place.topic, answers or self._known.last(place)) if one.startswith("<")]
        name = self._known.subject(answers, place)
        letter = Letter(
            self._own.address,
            to,
            message_id,
            said.text,
            name or ("your mail" if place.topic else ""),
            references,
            self._answered_to() if place.kind == "private" else "",
            self._clock.now(),
            said.exact,
        )
        mail = await asyncio.to_thread(written, letter, enclosed)
        outcome = await self._submission.send(self._own.address, to, mail, message_id)
        if isinstance(outcome, Sent):
            self._known.note(replace(place, name=name), message_id)
        return outcome

    async def looked_up(self, place: Place, key: str) -> Outcome:
        """See `base.Channel`: a server that keeps what it was handed in can tell, a while later."""
        if not self._options.sent:
            return Unknown("nobody keeps what was sent: see `sent` in the settings")
        message_id, now_s = own_id(key, self._options.domain), self._clock.elapsed()
        box = self._box.beside(self._options.sent)
        try:
            await box.open()
            if await box.has(message_id):
                self._asked_s.pop(key, None)
                return Sent(message_id)
        except SullaError as error:
            return Unknown(error.message)
        finally:
            await box.close()
        _bounded(self._asked_s)
        if now_s - self._asked_s.setdefault(key, now_s) < GRACE_S:
            return Unknown("it does not lie among those that were sent yet")
        return NotSent("it does not lie among those that were sent")

    async def typing(self, place: Place) -> None:
        """Mail has no such sign."""

    async def answer_press(self, press: Press, text: str) -> None:
        """Mail has no buttons."""

    # ------------------------------------------------------------------------------------------------------- private

    def _answered_to(self) -> str:
        """Where answers go: with the word in it, whoever has it needs no more."""
        local, _, domain = self._own.address.rpartition("@")
        return f"{local}+{self._own.word}@{domain}" if self._own.word else ""

    def _today(self) -> date:
        return datetime.fromtimestamp(self._clock.now(), UTC).date()


def _bounded(some: dict[str, float]) -> None:
    while len(some) > _MOST_KNOWN:
        some.pop(next(iter(some)))
