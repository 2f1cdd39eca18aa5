"""A mail that cannot be read, or not in time, is given up with its reason, and stops neither what comes behind it nor
the next start.
"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from sulla.channels.base import Arrived
from sulla.channels.mail import channel as mail_channel
from sulla.channels.mail import unvouched
from sulla.channels.mail.bounded import MOST_PARTS
from sulla.channels.mail.reading import Own, Passed, read
from sulla.host.system import random_id
from sulla.store.memory import MemoryStore
from sulla.testing.channels.mail.wire import ADDRESS, AUTHSERV, MailWire
from sulla.testing.channels.scene import ECHO, Scene
from sulla.testing.clock import ManualClock
from tests.soon import PATIENCE_S

TOO_MUCH = "Content-Type: multipart/mixed; boundary=a\r\n\r\n" + "--a\r\n\r\nx\r\n" * (MOST_PARTS + 1)


def mail(rest: str, *, good: bool = True) -> bytes:
    said = "pass" if good else "none"
    head = f"Authentication-Results: {AUTHSERV}; dmarc={said} header.from=people.example\r\n"
    return f"{head}From: person1@people.example\r\nTo: {ADDRESS}\r\nMessage-ID: <m@x>\r\n{rest}".encode()


async def test_what_cannot_be_read_is_given_up_with_its_reason(
    wire: MailWire, clock: ManualClock, tmp_path: Path
) -> None:
    async with Scene(wire, tmp_path / "ws", store=MemoryStore(clock, random_id), clock=clock) as scene:
        await scene.pair(1, "ann")
        await wire.arrive(mail(TOO_MUCH, good=False))
        await wire.say(wire.place(1), wire.person(1), "hello")
        await scene.until(lambda: scene.texts(1), "an answer")
        assert scene.line.held is not None
        assert scene.line.held.book.given_up.count == 0  # a stranger's are nothing to anybody
        await wire.arrive(mail(TOO_MUCH))
        await scene.until(lambda: scene.line.held and scene.line.held.book.given_up.count, "that it is told")
        lost = scene.line.held.book.given_up
        assert (lost.count, lost.place) == (1, ADDRESS)
        assert lost.why == f"mail 4 could not be read: it has more than {MOST_PARTS} parts"


async def test_what_is_not_read_in_time_is_behind_it_also_for_the_next_start(
    wire: MailWire, clock: ManualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, over = threading.Event(), threading.Event()

    def stuck(raw: bytes, handle: str, own: Own, *, whole_bytes: int | None = None) -> Arrived | Passed:
        if b"poison" in raw:
            begun.set()
            over.wait(PATIENCE_S)
        return read(raw, handle, own, whole_bytes=whole_bytes)

    monkeypatch.setattr(mail_channel, "read", stuck)
    store = MemoryStore(clock, random_id)
    async with Scene(wire, tmp_path / "ws", store=store, clock=clock) as scene:
        await scene.pair(1, "ann")
        await wire.arrive(mail("\r\npoison"))
        await scene.until(begun.is_set, "a look at it")
        await scene.pass_time(mail_channel.READ_S)
        await wire.say(wire.place(1), wire.person(1), "hello")
        await scene.until(lambda: scene.texts(1), "an answer")
        assert scene.line.held is not None
        assert "took more than" in scene.line.held.book.given_up.why
        over.set()
        await scene.pass_time(1)
    begun.clear()
    async with Scene(wire, tmp_path / "ws", store=store, clock=clock, boot=2) as scene:
        await wire.say(wire.place(1), wire.person(1), "again")
        await scene.until(lambda: f"{ECHO}again" in scene.texts(1), "an answer")
        assert not begun.is_set()


async def test_what_nobody_vouches_for_is_said_in_the_log_once_an_hour(
    wire: MailWire, clock: ManualClock, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", unvouched.__name__)

    def told() -> list[str]:
        return [one.getMessage() for one in caplog.records if "passed over" in one.getMessage()]

    async with Scene(wire, tmp_path / "ws", store=MemoryStore(clock, random_id), clock=clock) as scene:
        await scene.pair(1, "ann")
        for _ in range(3):
            await wire.arrive(mail("\r\nhello", good=False))
        await wire.say(wire.place(1), wire.person(1), "hello")
        await scene.until(lambda: scene.texts(1), "an answer")
        assert len(told()) == 1
        assert f"because {AUTHSERV} says of no check" in told()[0]
        await scene.pass_time(unvouched.TELL_S)
        await wire.arrive(mail("\r\nhello", good=False))
        await scene.until(lambda: len(told()) == 2, "that it is said again")
        assert told()[1].startswith("3 mails were passed over, the last (")
