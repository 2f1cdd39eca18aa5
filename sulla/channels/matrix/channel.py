"""An account at a Matrix homeserver, by the library mautrix."""

from __future__ import annotations

import logging
import mimetypes
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Final

from mautrix.api import Method, Path

from sulla.channels.base import (
    Account,
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
from sulla.channels.matrix.form import (
    BUTTONS,
    KEY,
    MOST_BYTES,
    SIGNS,
    content_of,
    edit_of,
    file_content,
    measured,
    relating,
)
from sulla.channels.matrix.homeserver import FAILURES, Homeserver, is_gone, outcome_of, raised, refused_for_good
from sulla.channels.matrix.listening import Listening, cursor_at
from sulla.channels.matrix.reading import Me, topic_of
from sulla.channels.matrix.rooms import Known, mapping
from sulla.channels.matrix.settings import MatrixOptions
from sulla.core.clock import Clock
from sulla.core.errors import NotFound, SettingsError, Unavailable

log = logging.getLogger(__name__)

MANNERS: Final = Manners(
    most_chars=MOST_BYTES,
    sends_per_s=1.0,
    place_sends_per_s=1.0,
    edits_per_s=0.2,  # what Synapse lets an account send for any length of time (`rc_message`), beside ten at once
    most_buttons=len(SIGNS),
    button_chars=60,
    typing_s=8.0,
    tells_sent=True,
    takes_key=True,
    most_file_bytes=50_000_000,  # or what the homeserver says when it is asked
)
_TYPING_MS: Final = 10_000
_MOST_CHECKED: Final = 1_024
"""Rooms of which it is remembered that they are not encrypted."""


def make(wanted: Wanted) -> MatrixChannel:
    """A channel of the kind `matrix`; see `kinds.ChannelKind.make`.

    Raises:
        SettingsError: its options are another kind's.
    """
    if not isinstance(wanted.options, MatrixOptions):
        raise SettingsError(f"the channel {wanted.name!r} has no options of Matrix's")
    return MatrixChannel(wanted.secrets["token"], wanted.options, wanted.clock)


class MatrixChannel:
    """Keeps `base.Channel` for one account.

    Args:
        token: the account's access token.
        options: what the settings say.
        clock: all time.
    """

    def __init__(self, token: str, options: MatrixOptions, clock: Clock) -> None:
        self._clock = clock
        self._token = token
        self._options = options
        self.manners = replace(MANNERS, sends_per_s=options.sends_per_s)
        self._me = Me("")
        self._connected: Homeserver | None = None
        self._listens: Listening | None = None
        self._checked: dict[str, None] = {}
        self._closed = False

    async def open(self) -> Account:
        """See `base.Channel`."""
        home = self._connected = Homeserver(self._options.homeserver, self._token, self._options.poll_s)
        try:
            me = str((await home.ask(Method.GET, Path.v3.account.whoami))["user_id"])
            self._me = Me(me, await home.name(me))
            most = await _most_file_bytes(home)
        except (*FAILURES, KeyError) as error:
            raise raised(error) from None
        self.manners = replace(self.manners, most_file_bytes=min(most, MANNERS.most_file_bytes))
        self._listens = Listening(home, self._me, self._options.invites, self._clock)
        return Account(me, me)

    async def close(self) -> None:
        """See `base.Channel`."""
        self._closed = True
        if self._connected is not None:
            await self._connected.close()

    @property
    def _home(self) -> Homeserver:
        if self._connected is None:
            raise Unavailable("the channel is not open")
        return self._connected

    @property
    def _listening(self) -> Listening:
        if self._listens is None:
            raise Unavailable("the channel is not open")
        return self._listens

    async def first_cursor(self) -> str:
        """Behind what is older than a minute."""
        return cursor_at(round(self._clock.now() * 1_000))

    async def receive(self, cursor: str) -> AsyncIterator[Batch]:
        """See `base.Channel`. The cursor is where the last sync ended; while what a sync left out is read, it stays
        where that began.
        """
        try:
            async with aclosing(self._listening.batches(cursor)) as batches:
                async for batch in batches:
                    yield batch
        except Unavailable:
            if not self._closed:
                raise

    async def acknowledge(self, cursor: str) -> None:
        """The homeserver keeps all; the cursor is only ours."""

    def measure(self, text: str, *exact: str) -> int:
        """See `base.Channel`: in bytes, as an event's room is counted."""
        return measured(text, *exact)

    async def send(self, place: Place, said: Said) -> Outcome:
        """See `base.Channel`; the key is the transaction's."""
        content = content_of(said.text, said.buttons, said.exact, quiet=said.quiet)
        content |= relating(place.topic, said.reply_to)
        outcome = await self._send(place, content, said.key)
        if isinstance(outcome, Sent):
            await self._offer_signs(place, outcome.ref, content, said.key)
        return outcome

    async def edit(self, place: Place, ref: str, said: Said) -> Outcome:
        """See `base.Channel`."""
        known = self._listening.recent.get(place.id, ref)
        if known is not None and not known.sender:
            return NotSent("somebody has deleted the message", final=True)
        outcome = await self._send(place, edit_of(content_of(said.text, said.buttons, said.exact), ref), "")
        return Sent(ref) if isinstance(outcome, Sent) else outcome

    async def delete(self, place: Place, ref: str) -> Outcome:
        """See `base.Channel`; to redact what is redacted changes nothing."""
        try:
            await self._home.ask(Method.PUT, Path.v3.rooms[place.id].redact[ref][f"gone-{ref}"])
        except FAILURES as error:
            return Sent(ref) if is_gone(error) else outcome_of(error)
        return Sent(ref)

    async def send_file(self, place: Place, file: SaidFile) -> Outcome:
        """See `base.Channel`."""
        mime = file.mime or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        try:
            if await self._encrypted(place.id):
                return _ENCRYPTED
            address = await self._home.upload(file.name, mime, file.content)
        except (*FAILURES, KeyError) as error:
            # Whatever became of the file: nothing stands in the room.
            outcome = outcome_of(error)
            return outcome if isinstance(outcome, NotSent) else NotSent(raised(error).message)
        content = file_content(file.name, mime, len(file.content), address, file.caption)
        return await self._send(place, content | relating(place.topic, ""), file.key)

    async def looked_up(self, place: Place, key: str) -> Outcome:
        """See `base.Channel`: among the account's last messages there."""
        try:
            found = await self._home.last_of(place.id, self._me.id)
        except FAILURES as error:
            return Unknown(raised(error).message)
        chunk = found.get("chunk")
        for event in chunk if isinstance(chunk, list) else ():
            if mapping(mapping(event).get("content")).get(KEY) == key:
                return Sent(str(mapping(event).get("event_id")))
        return NotSent("it is not among the account's last messages there")

    async def typing(self, place: Place) -> None:
        """See `base.Channel`."""
        shown = {"typing": True, "timeout": _TYPING_MS}
        try:
            await self._home.ask(Method.PUT, Path.v3.rooms[place.id].typing[self._me.id], shown)
        except FAILURES as error:
            raise Unavailable(raised(error).message) from None

    async def answer_press(self, press: Press, text: str) -> None:
        """Matrix has no words that go away; what became of a question stands in its message."""

    async def fetch(self, attachment: Attachment) -> AsyncIterator[bytes]:
        """See `base.Channel`."""
        if not attachment.handle:
            raise NotFound("it has no address at a homeserver")
        async with aclosing(self._home.pieces(attachment.handle)) as pieces:
            async for piece in pieces:
                yield piece

    # ------------------------------------------------------------------------------------------------------- private

    async def _send(self, place: Place, content: dict[str, Any], key: str) -> Outcome:
        if key:
            content = content | {KEY: key}
        try:
            if await self._encrypted(place.id):
                return _ENCRYPTED
        except FAILURES as error:
            outcome = outcome_of(error)
            return outcome if isinstance(outcome, NotSent) else NotSent(raised(error).message)
        where = Path.v3.rooms[place.id].send["m.room.message"]
        try:
            sent = await self._home.ask(Method.PUT, where[key or self._home.fresh()], content)
            ref = str(sent["event_id"])
        except (*FAILURES, KeyError) as error:
            return outcome_of(error)
        self._listening.recent.note(place.id, ref, Known(self._me.id, topic_of({"content": content})))
        return Sent(ref)

    async def _encrypted(self, room_id: str) -> bool:
        """Whether people there take it for secret what they read and write."""
        room = self._listening.rooms.get(room_id)
        if room is not None or room_id in self._checked:
            return room is not None and room.encrypted
        if await self._home.encryption(room_id):
            return True
        self._checked[room_id] = None
        while len(self._checked) > _MOST_CHECKED:
            self._checked.pop(next(iter(self._checked)))
        return False

    async def _offer_signs(self, place: Place, ref: str, content: dict[str, Any], key: str) -> None:
        """React to a question with what people can react with: then one touch is enough. Whoever does not see them
        can do it himself.
        """
        for number, sign in enumerate(content.get(BUTTONS, {})):
            relates = {"rel_type": "m.annotation", "event_id": ref, "key": sign}
            transaction = f"{key}-{number}" if key else self._home.fresh()
            where = Path.v3.rooms[place.id].send["m.reaction"][transaction]
            try:
                await self._home.ask(Method.PUT, where, {"m.relates_to": relates})
            except FAILURES as error:
                log.info("a sign was not offered: %s", raised(error).message)
                if not refused_for_good(error):
                    return


_ENCRYPTED: Final = NotSent("the room is encrypted, and this would not be", final=True)


async def _most_file_bytes(home: Homeserver) -> int:
    """What the homeserver takes."""
    try:
        found = await home.ask(Method.GET, Path.v1.media.config)
    except FAILURES as error:
        if not refused_for_good(error):
            raise
        return MANNERS.most_file_bytes
    most = found.get("m.upload.size")
    return most if isinstance(most, int) and most >= 0 else MANNERS.most_file_bytes
