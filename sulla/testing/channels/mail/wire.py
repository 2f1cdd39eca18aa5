"""Mail, as the conformance kit uses it: people with a mail program each, and a provider that checks who they are."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import format_datetime
from itertools import count
from typing import Final
from urllib.parse import quote

from sulla.channels.base import AttachmentKind, Channel, Place, Sender
from sulla.channels.kinds import Wanted
from sulla.channels.mail.settings import MailOptions
from sulla.core.clock import Clock
from sulla.testing.channels.blocks import page_blocks
from sulla.testing.channels.mail.folders import INBOX, SENT, Folder
from sulla.testing.channels.mail.imap import ImapSide
from sulla.testing.channels.mail.smtp import SmtpSide
from sulla.testing.channels.network import Network
from sulla.testing.channels.wire import Seen

PASSWORD: Final = 'fake-"password"-of-a-mailbox'
ADDRESS: Final = "sulla@home.example"
AUTHSERV: Final = "mx.home.example"
_KINDS: Final = {"file": "application/octet-stream", "picture": "image/jpeg", "voice": "audio/ogg"}


class MailWire:
    """Keeps `wire.Wire` for mail.

    Args:
        clock: all time.
        sent: whether the provider keeps what was handed in.
        word: the secret word of the address; empty where the provider's checks are believed.
    """

    secret = PASSWORD

    def __init__(self, clock: Clock, *, sent: bool = False, word: str = "") -> None:
        self._clock = clock
        self._network = Network(clock)
        self.folders = {INBOX: Folder(clock), SENT: Folder(clock)}
        self.imap = ImapSide(self.folders, (ADDRESS, PASSWORD), self._network)
        self.smtp = SmtpSide((ADDRESS, PASSWORD), self._taken, self._network)
        self._more = ({"word": word} if word else {"authserv": AUTHSERV}) | ({"sent": SENT} if sent else {})
        """What the settings say beside where the servers are; the word is among the secrets."""
        self._servers: list[asyncio.Server] = []
        self._numbers = count(1)
        self._begun: set[str] = set()
        self._went: list[tuple[str, str, Seen]] = []
        """What the daemon sent: to whom, in which conversation, and as it is seen."""
        self.sent: list[EmailMessage] = []
        """The same as mails."""
        self._meanwhile: list[bytes] = []

    @property
    def typing(self) -> int:
        """Mail has no such sign."""
        return 0

    @property
    def fastest_s(self) -> float:
        """See `wire.Wire`."""
        return self._network.fastest_s

    # ------------------------------------------------------------------------------------------------------ the wire

    async def start(self) -> None:
        """See `wire.Wire`."""
        for serve in (self.imap.serve, self.smtp.serve):
            self._servers.append(await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 26))

    async def stop(self) -> None:
        """See `wire.Wire`."""
        for server in self._servers:
            server.close()
        await self.imap.connections.end()
        await self.smtp.connections.end()

    def options(self) -> dict[str, str]:
        """What the settings say of the mailbox."""
        imap, smtp = (one.sockets[0].getsockname()[1] for one in self._servers)
        servers = {"imap": f"imap://127.0.0.1:{imap}", "smtp": f"smtp://127.0.0.1:{smtp}"}
        return {"address": ADDRESS, **servers, **{name: one for name, one in self._more.items() if name != "word"}}

    def channel(self, *, secret: str | None = None) -> Channel:
        """See `wire.Wire`."""
        from sulla.channels.mail.channel import make

        secrets = {"password": secret or PASSWORD} | {name: one for name, one in self._more.items() if name == "word"}
        options = MailOptions.model_validate(self.options(), context=secrets)
        return make(Wanted("mail", options, secrets, self._clock))

    async def _taken(self, to: list[str], raw: bytes) -> None:
        message = message_from_bytes(raw, policy=policy.default)
        people, root = ",".join(sorted(to)), (str(message.get("References", "")).split() or [""])[0]
        self.sent.append(message)
        self._went.append((people, root, _seen(message)))
        self._network.paced(f"{people}\n{root}")
        self.folders[SENT].add(raw)
        # Some providers put what is sent into the inbox, too.
        self.folders[INBOX].add(_stamped(raw, ADDRESS))

    # ----------------------------------------------------------------------------------------------------- as people

    def place(self, number: int, *, group: bool = False) -> Place:
        """See `wire.Wire`: the mails that began with a certain one."""
        if group:
            people = sorted(self.person(one).id for one in (1, 2, 8))
            return Place(",".join(people), f"<group-{number}@people.example>", "group")
        return Place(self.person(number).id, f"<private-{number}@people.example>")

    def person(self, number: int) -> Sender:
        """See `wire.Wire`."""
        return Sender(f"person{number}@people.example", f"Person {number}")

    async def say(
        self,
        place: Place,
        sender: Sender,
        text: str,
        *,
        mentions: bool = False,
        reply_to: str = "",
        forwarded: bool = False,
        files: Sequence[tuple[str, bytes, AttachmentKind]] = (),
    ) -> str:
        """See `wire.Wire`; in a group it is meant where it is not just copied in."""
        message = EmailMessage(policy=policy.SMTP)
        first = place.topic not in self._begun
        self._begun.add(place.topic)
        message_id = place.topic if first else f"<mail-{next(self._numbers)}@people.example>"
        local, _, domain = ADDRESS.partition("@")
        own = f"{local}+{self._more['word']}@{domain}" if "word" in self._more else ADDRESS
        others = [one for one in place.id.split(",") if one != sender.id]
        message["From"] = f"{sender.name} <{sender.id}>"
        message["To"] = ", ".join([own] if mentions or place.kind == "private" else others)
        if place.kind == "group":
            message["Cc"] = ", ".join(others if mentions else [own])
        message["Message-ID"] = message_id
        message["Date"] = format_datetime(datetime.fromtimestamp(self._clock.now(), UTC))
        if not first:
            message["In-Reply-To"] = reply_to or place.topic
            message["References"] = " ".join(dict.fromkeys((place.topic, reply_to or place.topic)))
        message.set_content(_forward(text) if forwarded else text)
        for number, (_, content, kind) in enumerate(files):
            main, _, sub = _KINDS[kind].partition("/")
            message.add_attachment(content, maintype=main, subtype=sub, filename=f"file-{number}")
        raw = message.as_bytes()
        for number, (name, _, _) in enumerate(files):
            # As programs write names that no header can hold as they are (RFC 2231).
            plain, encoded = f'filename="file-{number}"', f"filename*=UTF-8''{quote(name, safe='')}"
            raw = raw.replace(plain.encode(), encoded.encode())
        await self.arrive(_stamped(raw, sender.id))
        return message_id

    async def arrive(self, raw: bytes) -> None:
        """A mail comes into the mailbox, now or when it is there again."""
        if self._network.gone:
            self._meanwhile.append(raw)
        else:
            self.folders[INBOX].add(raw)

    async def nonsense(self, place: Place, sender: Sender, text: str) -> bool:
        """See `wire.Wire`."""
        head = f"From: {sender.id}\r\nTo: {ADDRESS}\r\nSubject: {text}\r\n" + "X-Again: and again\r\n" * 2_000
        await self.arrive(_stamped(f"{head}\r\n{text}".encode(), sender.id))
        return True

    async def edit(self, place: Place, sender: Sender, message_id: str, text: str) -> bool:
        """A mail cannot be changed."""
        return False

    async def delete(self, place: Place, sender: Sender, message_id: str) -> bool:
        """A mail cannot be taken back."""
        return False

    async def press(self, place: Place, sender: Sender, ref: str, token: str) -> bool:
        """Mail has no buttons."""
        return False

    def seen(self, place: Place) -> Sequence[Seen]:
        """See `wire.Wire`."""
        return [one for people, root, one in self._went if people == place.id and root in (place.topic, "")]

    # -------------------------------------------------------------------------------------------------- as the network

    async def repeat(self) -> None:
        """All that came in comes in once more, as after a server had lost an acknowledgement."""
        for one in list(self.folders[INBOX].mails):
            self.folders[INBOX].add(one.raw)

    def away(self, gone: bool) -> None:
        """See `wire.Wire`."""
        self._network.gone = gone
        if gone:
            self.imap.connections.cut()
            return
        meanwhile, self._meanwhile = self._meanwhile, []
        for raw in meanwhile:
            self.folders[INBOX].add(raw)

    def refuse(self, sends: int, retry_after_s: float) -> None:
        """See `wire.Wire`."""
        self._network.refuse(sends, retry_after_s)

    def lose(self, answers: int) -> None:
        """See `wire.Wire`."""
        self._network.lose(answers)


def _stamped(raw: bytes, sender: str) -> bytes:
    """A mail as the provider takes it in: with what it found out, above all that was there."""
    domain = sender.rpartition("@")[2]
    spf, dkim = f"spf=pass (ok) smtp.mailfrom={sender}", f"dkim=pass header.d={domain}"
    found = f"{AUTHSERV}; {spf};\r\n {dkim}; dmarc=pass header.from={domain}"
    return f"Return-Path: <{sender}>\r\nAuthentication-Results: {found}\r\n".encode() + raw


def _forward(text: str) -> str:
    head = "From: Somebody <somebody@else.example>\nDate: Monday\nSubject: Hm\nTo: person@people.example\n\n"
    return f"---------- Forwarded message ---------\n{head}{text}\n"


def _seen(message: EmailMessage) -> Seen:
    body = message.get_body(("plain",))
    files = [part.get_payload(decode=True) for part in message.iter_attachments()]
    file = next((one for one in files if isinstance(one, bytes)), None)
    text = body.get_content().replace("\r\n", "\n").rstrip("\n") if body is not None else ""
    page = message.get_body(("html",))
    blocks = page_blocks(page.get_content().replace("\r\n", "\n")) if page is not None else ()
    return Seen(str(message["Message-ID"]), text, {}, file, blocks)
