"""What anybody may send costs about what an ordinary mail of its length does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from time import thread_time

import pytest

from sulla.channels.base import Arrived
from sulla.channels.mail import reading
from sulla.channels.mail.bounded import MOST_HEAD_BYTES, MOST_PARTS
from sulla.channels.mail.mailbox import Mailbox
from sulla.channels.mail.reading import Own, Passed, passed_at_once, read
from sulla.channels.mail.tags import MOST_MARKS
from sulla.channels.mail.words import of_html
from sulla.testing.channels.kit import opened
from sulla.testing.channels.mail.wire import MailWire
from sulla.testing.clock import ManualClock

OWN = Own("sulla@home.example", "mx")
TOP = (
    "Authentication-Results: mx; dmarc=pass header.from=x.example\r\nFrom: Ann <ann@x.example>\r\n"
    "To: sulla@home.example\r\nMessage-ID: <1@x>\r\n"
)
SIZE = 100_000
TIMES = 60
"""So many times what an ordinary mail of its length takes a hostile one may; without bounds it was thousands. One of
short lines, which people may write, takes twenty."""
MIXED = "Content-Type: multipart/mixed; boundary=a\r\n"
HTML = "Content-Type: text/html\r\n\r\n"


def long(unit: str, size: int = SIZE) -> str:
    return (unit * (size // len(unit) + 1))[:size]


def seconds(raw: str) -> float:
    """The least processor time of three looks."""
    found = []
    for _ in range(3):
        began = thread_time()
        read(raw.encode(), "7.1", OWN)
        found.append(thread_time() - began)
        if found[-1] < 0.2:
            break
    return min(found)


@pytest.fixture(scope="module")
def ordinary_s() -> float:
    return max(
        0.005, seconds(TOP + "\r\n" + long("An ordinary line, as people write many of them, of usual length.\r\n"))
    )


def addresses(count: int) -> str:
    return ", ".join(f"a{number}@b.example" for number in range(count))


@pytest.mark.parametrize(
    "head",
    [
        "To: " + addresses(8_000),
        *(f"{name}: {addresses(400)}" for name in ("To", "Cc", "Delivered-To", "Resent-To")),
        "\r\n".join(f"To: {addresses(1_000)}" for _ in range(20)),
        long("Authentication-Results: mx.home.example; dkim=pass header.d=a.b;\r\n"),
        "Authentication-Results: " + long("mx; (a)", 100_000),
        "References: " + " ".join(f"<{number}@b>" for number in range(12_000)),
        "References: " + long("<a@b> ", 100_000),
        long("Received: from a\r\n"),
        "Message-ID: <" + long("(a)", 100_000),
        "Message-ID: <" + long('"', 100_000),
        "MIME-Version: " + long("(a)", 100_000),
        "Date: " + long("(a)", 100_000),
        "Subject: " + long("=?utf-8?q?a?= ", 100_000),
        "Subject: " + "*" * 300 + "!",
        "Subject: " + "()*" * 100 + "!",
        "Content-Type: text/plain; " + "; ".join(f"a{number}=b" for number in range(5_000)),
        "Content-Type: text/plain; " + "; ".join(f"a*{number}*=u''b" for number in range(5_000)),
        "Content-Transfer-Encoding: " + long("(a)", 100_000),
        "X-A: b\r\n" * 20_000,
        long("X-A: b\r\n\tc\r\n"),
    ],
    ids=lambda head: head[:40],
)
def test_a_head_costs_what_it_is_long(head: str, ordinary_s: float) -> None:
    assert seconds(TOP + head + "\r\n\r\nHello") < TIMES * ordinary_s
    assert seconds(f"From: eve@y.example\r\n{head}\r\n\r\nHello") < TIMES * ordinary_s


@pytest.mark.parametrize(
    "sender",
    [addresses(8_000), addresses(400), long("(", 100_000), "(" * 300, long("a ", 8_000), long('"a" ', 8_000)],
    ids=lambda sender: sender[:20],
)
def test_a_sender_costs_what_it_is_long(sender: str, ordinary_s: float) -> None:
    assert seconds(f"From: {sender}\r\nTo: sulla@home.example\r\n\r\nHello") < TIMES * ordinary_s


@pytest.mark.parametrize(
    "rest",
    [
        *(HTML + long(unit) for unit in ("<p", "<a ", "<!--", "<!", "</", "<?", '<a b="', "<a b=c ", "<a\n", "<a/")),
        *(HTML + long(unit) for unit in ("<i>a", "<b>a</b>", "<blockquote>a", "<pre>\n", "&", "<style>", "</b>")),
        *(HTML + "<b>" * 600 + long(unit) for unit in ("<pre>\n", "<i>a", "</i>")),
        *("\r\n" + long(unit) for unit in ("a", " ", "\n", "\r", "> ", ">\n", "--a", "- ", "* ", ":\n", "1a:\n> b\n")),
        "\r\n--a" + long("-") + "x\nend",
        "\r\nHello" + long("\n"),
        "\r\nHello" + long("\n") + "x",
        "\r\nHello" + long("\n--\n") + "x",
        "\r\nHello" + long("\n\nSent from my phone"),
        "\r\n***a" + long("*") + "x\nend",
        *(f"Content-Type: text/plain; format=flowed\r\n\r\n{long(unit)}" for unit in (" ", "a \n", "\n", "> a \n")),
        "Content-Type: text/plain; charset=punycode\r\n\r\n" + long("a-b"),
        "Content-Type: text/plain; charset=idna\r\n\r\n" + long("a-b"),
        MIXED + "\r\n" + long("--a\r\n\r\n"),
        MIXED + long("\r\n--a\r\n" + MIXED),
        MIXED
        + "\r\n"
        + long("--a\r\nContent-Type: text/plain; " + "; ".join(f"a{n}=b" for n in range(100)) + "\r\n\r\n"),
        "Content-Type: message/rfc822\r\n\r\n" * 2_000 + long("x\r\n"),
    ],
    ids=lambda rest: rest[-60:-40],
)
def test_a_body_costs_what_it_is_long(rest: str, ordinary_s: float) -> None:
    assert seconds(TOP + rest) < TIMES * ordinary_s


def test_what_is_within_bounds_is_read_as_before() -> None:
    people = ", ".join(f'"Somebody, called {n}" <p{n}@x.example>' for n in range(15))
    head = f"Cc: {people}\r\nReferences: " + " ".join(f"<r{n}@x.example>" for n in range(200))
    parts = "".join(f"--a\r\nContent-Type: text/plain; name=f{n}.txt\r\n\r\ncontent\r\n" for n in range(15))
    found = read(f"{TOP}{head}\r\n{MIXED}\r\n--a\r\n\r\nHello\r\n{parts}--a--\r\n".encode(), "7.1", OWN)
    assert isinstance(found, Arrived)
    assert (found.text, found.place.id.count(","), found.place.topic) == ("Hello", 15, "<r0@x.example>")
    assert [one.name for one in found.attachments] == [f"f{n}.txt" for n in range(15)]


def test_more_than_is_read_is_passed_over_and_says_so() -> None:
    many = read(f"{TOP}Cc: {addresses(500)}\r\n\r\nx".encode(), "7.1", OWN)
    assert many == Passed("its cc names too many")
    some = "--a\r\n\r\nx\r\n" * (MOST_PARTS + 1)
    parts = read(f"{TOP}{MIXED}\r\n{some}".encode(), "7.1", OWN)
    assert isinstance(parts, Passed)
    assert parts.unread


def test_a_mail_of_very_many_lines_is_read_at_its_beginning() -> None:
    found = read((TOP + "\r\nHello\r\n" + "\n" * 220_000).encode(), "7.1", OWN)
    assert isinstance(found, Arrived)
    assert found.text == "Hello"


def test_a_star_opens_and_closes_and_what_is_passed_on_is_still_known() -> None:
    for subject in ("Fwd: x", "*Fwd: x", "[list] Fwd: x", "[a]*b* (c) Fwd: x", "** Fwd: x", "*(Fwd: x)"):
        found = read(f"{TOP}Subject: {subject}\r\n\r\nobey".encode(), "7.1", OWN)
        assert isinstance(found, Arrived)
        assert "obey" not in found.text, subject


@pytest.fixture
async def wire() -> AsyncIterator[MailWire]:
    wire = MailWire(ManualClock())
    await wire.start()
    yield wire
    await wire.stop()


def test_a_page_is_no_longer_read_than_within_bounds() -> None:
    deep = "<blockquote>" * 400 + "<pre>" + "a\n" * 20_000
    assert len(of_html(deep)) < 5 * len(deep)
    assert "behind" not in of_html("<b></b>" * MOST_MARKS + "behind")
    assert of_html("a" + "<" * 1_000 + "1 < 2 <> <b>c</b> <") == "a" + "<" * 1_000 + "1 < 2 <> c <"


async def test_of_what_nobody_vouches_for_only_the_head_is_fetched(
    wire: MailWire, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole: list[int] = []
    fetch = Mailbox.mail

    async def counted(self: Mailbox, uid: int, most_bytes: int | None = None) -> bytes | None:
        whole.append(uid)
        return await fetch(self, uid, most_bytes)

    monkeypatch.setattr(Mailbox, "mail", counted)
    async with opened(wire) as (_, later):
        await wire.arrive(f"From: eve@y.example\r\nCc: {addresses(8_000)}\r\n\r\nHello".encode())
        await wire.arrive(f"From: eve@y.example\r\n\r\n{long('x')}".encode())
        await wire.say(wire.place(1), wire.person(1), "hello")
        assert (await later.next()).text == "hello"
        assert whole == [3]
    cut = TOP.encode() + b"X: y\r\n" * MOST_HEAD_BYTES
    assert await asyncio.to_thread(passed_at_once, cut[:MOST_HEAD_BYTES], OWN) == Passed("its head is too long", True)
    assert reading.BEGINNING_BYTES > MOST_HEAD_BYTES
