"""Whose mail is believed: what the mailbox's own server found out, and nothing that a mail says of itself."""

from __future__ import annotations

import pytest

from sulla.channels.base import Arrived
from sulla.channels.mail.reading import Own, Passed, read
from sulla.channels.mail.trust import results_of, vouched

US = Own("sulla@home.example", "mx.home.example")
WORD = Own("sulla@home.example", word="k3jh5k2jh3g4k5jh")


def mail(*head: str, sender: str = "ann@x.example", to: str = "sulla@home.example") -> bytes:
    return "\r\n".join([*head, f"From: {sender}", f"To: {to}", "Message-ID: <1@x>", "", "hello"]).encode()


def who(raw: bytes, own: Own = US) -> str:
    found = read(raw, "7.1", own)
    return found.sender.id if isinstance(found, Arrived) else ""


@pytest.mark.parametrize(
    ("header", "good"),
    [
        ("mx; dmarc=pass (p=NONE dis=NONE) header.from=x.example", True),
        ("mx 1; dkim=pass header.d=x.example header.b=ab", True),
        ("mx; dkim=pass header.i=@x.example", True),
        ("mx; dkim=pass header.d=example", False),
        ("mx; dkim=pass header.d=xx.example", False),
        ("mx; dkim=pass header.d=sub.x.example", False),
        ("mx; spf=pass smtp.mailfrom=bounce@x.example", True),
        ("mx; spf=pass smtp.mailfrom=x.example.evil", False),
        ("mx; spf=pass smtp.helo=x.example", False),
        ("mx; dkim=fail header.d=x.example", False),
        ("mx; dkim=fail header.d=x.example; dkim=pass header.d=evil.example", False),
        ("mx; dmarc=fail header.from=x.example; spf=pass smtp.mailfrom=x.example", False),
        ("mx; dkim=none (dkim=pass header.d=x.example)", False),
        ('mx; dkim=neutral reason="; dkim=pass header.d=x.example"', False),
        ("mx; iprev=pass header.d=x.example", False),
        ("other; dmarc=pass header.from=x.example", False),
        ("", False),
        ("mx", False),
        (";;;=;(((", False),
        ("(" * 20_000, False),
    ],
)
def test_only_what_passed_for_this_domain_counts(header: str, good: bool) -> None:
    assert vouched([header], "mx", "x.example") is good


def test_a_domain_vouches_for_those_below_it() -> None:
    assert vouched(["mx; dkim=pass header.d=x.example"], "MX", "mail.x.example")


def test_the_topmost_line_of_the_own_server_counts() -> None:
    ours, forged = "mx; dkim=fail header.d=x.example", "mx; dmarc=pass header.from=x.example"
    assert not vouched([ours, forged], "mx", "x.example")
    assert not vouched(["mx; spf=none", forged], "mx", "x.example")
    assert vouched(["relay; dkim=none", forged], "mx", "x.example")


def test_what_it_looked_at_is_read() -> None:
    name, (one,) = results_of('"mx.x"; spf=pass (a (b) c) smtp.mailfrom = "a;b@x" ')
    assert (name, one.method, one.result, dict(one.found)) == ("mx.x", "spf", "pass", {"smtp.mailfrom": "a;b@x"})


GOOD = "Authentication-Results: mx.home.example; dmarc=pass header.from=x.example"
EVIL = "Authentication-Results: mx.home.example; dmarc=pass header.from=evil.example"


@pytest.mark.parametrize(
    "sender",
    [
        "ann@x.example <eve@evil.example>",
        '"ann@x.example" <eve@x.example>, ann@x.example',
        "<ann@x.example> <eve@evil.example>",
        "ann@x.example\r\nFrom: eve@x.example",
        "ann@x.example (",
        "",
        "Group: ann@x.example, eve@x.example;",
        '"an n"@x.example',
        "ann@[127.0.0.1]",
    ],
)
def test_a_sender_that_can_be_read_in_two_ways_is_nobody(sender: str) -> None:
    assert who(mail(GOOD, sender=sender)) == ""
    assert who(mail(EVIL, sender=sender)) == ""


def test_names_and_addresses_that_look_like_others_are_what_they_are() -> None:
    assert who(mail(GOOD, sender="Ann <Ann@X.example>")) == "ann@x.example"
    assert who(mail(EVIL, sender='"ann@x.example" <eve@evil.example>')) == "eve@evil.example"
    assert who(mail(EVIL, sender="=?utf-8?q?ann=40x.example?= <eve@evil.example>")) == "eve@evil.example"
    assert who(mail(EVIL)) == ""
    assert who(mail()) == ""
    assert who(mail("Authentication-Results: mx.evil.example; dmarc=pass header.from=x.example")) == ""


def test_who_knows_the_word_is_believed_where_nobody_else_reads_it() -> None:
    secret = "sulla+k3jh5k2jh3g4k5jh@home.example"
    assert who(mail(to=secret), WORD) == "ann@x.example"
    assert who(mail(f"Delivered-To: {secret}", to="hidden@home.example"), WORD) == ""
    assert who(mail(f"Delivered-To: {secret}"), WORD) == "ann@x.example"
    assert who(mail(to=f"{secret}, bob@x.example"), WORD) == ""
    assert who(mail(), WORD) == ""
    assert who(mail(to="sulla+k3jh5k2jh3g4k5j@home.example"), WORD) == ""
    assert who(mail(GOOD), WORD) == ""


@pytest.mark.parametrize(
    "head",
    [
        "Auto-Submitted: auto-replied",
        "Auto-Submitted: auto-generated (by a calendar)",
        "Precedence: bulk",
        "List-Id: <all.x.example>",
        "List-Unsubscribe: <mailto:no@x.example>",
        "X-Auto-Response-Suppress: All",
        "X-Autoreply: yes",
        "Return-Path: <>",
        "Content-Type: multipart/report; boundary=a",
        "\r\n".join(["Received: by x"] * 51),
    ],
)
def test_programs_are_never_answered(head: str) -> None:
    assert isinstance(read(mail(GOOD, head), "7.1", US), Passed)


@pytest.mark.parametrize("sender", ["MAILER-DAEMON@x.example", "noreply@x.example", "sulla@home.example"])
def test_nobody_is_behind_some_addresses(sender: str) -> None:
    assert isinstance(read(mail(GOOD, sender=sender), "7.1", US), Passed)


def test_auto_submitted_no_is_a_person() -> None:
    assert who(mail(GOOD, "Auto-Submitted: no", "Return-Path: <ann@x.example>")) == "ann@x.example"
