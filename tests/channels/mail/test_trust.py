"""Whose mail is believed: what the mailbox's own server found out, and nothing that a mail says of itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.channels.base import Arrived
from sulla.channels.mail.reading import Own, Passed, read
from sulla.channels.mail.trust import results_of, unbelieved, vouched

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
        # As servers write it: Google, Yahoo, Fastmail, OpenDKIM, amavis, Zoho, Exim, pypolicyd-spf.
        ('mx; dkim=pass header.i=@x.example header.s=1 header.b="a/b+c"; dara=pass header.i=@google.example', True),
        ("mx; dkim=unknown; dmarc=pass(p=REJECT) header.from=x.example;", True),
        (
            "mx; dkim=pass (2048-bit rsa key) header.d=x.example x-bits=2048; bimi=skipped (DMARC did not); x-ptr=none",
            True,
        ),
        ("mx; dkim=pass (2048-bit key; unprotected) header.d=x.example header.i=@x.example header.b=ab/c+d", True),
        ("mx (amavisd-new); dkim=pass (2048-bit key) header.d=x.example", True),
        ("mx; spf=pass (mx: a (b) c)  smtp.mailfrom=a@y.example; dmarc=pass(p=none)  header.from=<a@x.example>", True),
        (
            "mx;\r\n\tiprev=pass (h) smtp.remote-ip=2001:db8::1;\r\n\tspf=pass smtp.mailfrom=SRS0=a/b=T=y@x.example",
            True,
        ),
        ("mx; spf=pass smtp.mailfrom=x.example (client-ip=192.0.2.1; helo=h; envelope-from=a@x.example)", True),
        ('mx; spf=pass smtp.mailfrom="a b"@x.example', True),
        ('mx; dkim=none reason="no; signature (at all"; spf=pass smtp.mailfrom="a@x.example"', True),
        ("mx; none", False),
        # What a sender is called has a mark in it.
        ("mx; dkim=pass header.d=x.example(.evil.example header.s=s1; spf=pass smtp.mailfrom=eve@evil.example", False),
        ("mx; spf=pass smtp.mailfrom=x.example(.evil.example; dkim=none", False),
        ("mx; spf=pass smtp.mailfrom=eve@x.example(.evil.example", False),
        ("mx; dkim=pass header.d=x.example().evil.example", False),
        ("mx; dkim=pass header.d=x.example(a) header.s=b", False),
        ("mx; dkim=pass header.d=x.example (a).evil.example", False),
        ("mx; dkim=pass header.d=x.example\\.evil.example", False),
        ('mx; dkim=pass header.d=x.example".evil.example"', False),
        ("mx; dkim=pass header.d=x.example,evil.example", False),
        ("mx; dkim=pass header.d=x.example>.evil.example", False),
        ("mx; spf=pass smtp.mailfrom=<eve@x.example>.evil.example", False),
        ("mx; spf=pass smtp.mailfrom=eve@evil.example@x.example", False),
        ("mx; dkim=pass header.d=x.example.; dmarc=none", False),
        ("mx; dkim=pass header.d=x_y.example; dmarc=pass header.from=x.example", False),
        ("mx; dkim=pass header.s=a(b header.d=x.example", False),
        ('mx; dkim=pass header.s=a"b header.d=x.example', False),
        ('mx; spf=fail smtp.mailfrom=" ; dmarc=pass header.from=x.example', False),
        ("mx; spf=fail (of a@b).evil.example) smtp.mailfrom=a; dmarc=pass header.from=x.example", False),
        ('mx; spf=fail (of "a) smtp.helo=b; dmarc=pass header.from=x.example; x=y ("@evil.example) smtp.helo=b', False),
        ("mx; dmarc=pass header.from=x.example header.from=evil.example", False),
        ("mx; dmarc=pass (header.from=x.example", False),
        ("mx; dmarc=pass (a)header.from=x.example", False),
        ("mx; dmarc=pass header.from = x.example", False),
        ("mx; dmarc=pass header.from=x.example )", False),
        ("mx; dmarc=pass header.from=x.example; spf", False),
        ("mx;; dmarc=pass header.from=x.example", False),
        # The name is another's for whoever takes out what comes in under it.
        ("=?utf-8?q?mx?=; dkim=pass header.d=x.example", False),
        ("=?utf-8?b?bXg=?=; dkim=pass header.d=x.example", False),
        ("=?utf-8?q?mx=3B?= dkim=pass header.d=x.example", False),
        ("mx; dkim=pass header.d=x.example (=?utf-8?q?a?=)", False),
        ("mx; dkim=pass header.d==?utf-8?q?x.example?=", False),
        ('"mx"; dkim=pass header.d=x.example', False),
        ("(a) mx; dkim=pass header.d=x.example", False),
        ("mx(a); dkim=pass header.d=x.example", False),
        ("mx dkim=pass; dkim=pass header.d=x.example", False),
        ("mx; spf=none smtp.mailfrom=<>; dmarc=pass header.from=x.example", True),
        ('mx; spf=pass smtp.mailfrom=""; dmarc=pass header.from=x.example', True),
        ("mx; spf=pass smtp.mailfrom=<>", False),
        ("mx; spf=pass smtp.mailfrom=<> smtp.mailfrom=x.example", False),
        ("mx; spf=pass smtp.mailfrom=<>x.example; dmarc=pass header.from=x.example", False),
        ("mx; spf=pass smtp.mailfrom=; dmarc=pass header.from=x.example", False),
        ("mx; dmarc=pass header.from=<>", False),
        ("m\u212a; dkim=pass header.d=x.example", False),
        ("mx; dkim=pass header.d=x.ex\u200bample", False),
        ("mx; dkim=pass\x0bheader.d=x.example", False),
        ("mx; dkim=pass header.d=x.example\nmx; a=b", False),
    ],
)
def test_only_what_passed_for_this_domain_counts(header: str, good: bool) -> None:
    assert vouched([header], "mx", "x.example") is good


def test_why_nobody_vouches_is_said() -> None:
    good = "mx; dmarc=pass header.from=x.example"
    assert unbelieved([good], "mx", "x.example") == ""
    assert "cannot be read" in unbelieved(
        ["mx; spf=pass (c) client-ip=1.2.3.4; envelope-from=a@d", good], "mx", "x.example"
    )
    assert "mx says of no check" in unbelieved(["mx; spf=none", good], "mx", "x.example")
    assert "is by other" in unbelieved([good], "other", "x.example")


def test_a_domain_vouches_for_those_below_it() -> None:
    assert vouched(["mx; dkim=pass header.d=x.example"], "MX", "mail.x.example")


def test_the_topmost_line_of_the_own_server_counts() -> None:
    ours, forged = "mx; dkim=fail header.d=x.example", "mx; dmarc=pass header.from=x.example"
    assert not vouched([ours, forged], "mx", "x.example")
    assert not vouched(["mx; spf=none", forged], "mx", "x.example")
    assert vouched(["relay; dkim=none", forged], "mx", "x.example")


@pytest.mark.parametrize(
    "unreadable",
    [
        "mx; dkim=pass header.d=x.example(.evil.example",
        "=?utf-8?q?mx?=; dkim=none",
        '"mx"; dkim=none',
        "spf=pass smtp.mailfrom=evil.example",
        "",
    ],
)
def test_nothing_counts_below_a_line_that_may_be_the_servers_own(unreadable: str) -> None:
    below = "mx; dmarc=pass header.from=x.example"
    assert vouched([below, unreadable], "mx", "x.example")
    assert not vouched([unreadable, below], "mx", "x.example")


def test_what_it_looked_at_is_read() -> None:
    read = results_of('MX.x 1; spf=pass (a (b) c) smtp.mailfrom="a;b"@x.y smtp.helo=h(; x=y)')
    assert read is None
    read = results_of('MX.x 1; spf=pass (a (b) c) smtp.mailfrom="a;b"@x.y smtp.helo=h ')
    assert read is not None
    assert read.server == "mx.x"
    assert [(one.method, one.result, dict(one.found)) for one in read.results] == [
        ("spf", "pass", {"smtp.mailfrom": "x.y"})
    ]


_PRETENDED = ("x.example", "@x.example", "header.from=x.example", "dmarc=pass", "spf=pass", "mx")
_MARKS = ("(", ")", "()", '"', "\\", ";", "=", "@", ".", "<", ">", ",", "\xff", "=?", "?=", "a", "-")
_CHOSEN = st.lists(st.sampled_from((*_PRETENDED, *_MARKS)), max_size=10).map("".join)
"""What may stand in a name of the domain system, or a mail's signature: any octets but blanks."""
_QUOTED = st.lists(
    st.sampled_from((*_PRETENDED, *_MARKS, " ", "; ", " (", ") ", " header.from=x.example ")), max_size=10
)


def _quoted(pieces: list[str]) -> str:
    said = "".join(pieces).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{said}"'


_LOCAL = _CHOSEN | _QUOTED.map(_quoted)


@given(_CHOSEN, _LOCAL, _LOCAL, _CHOSEN, st.sampled_from(["none", "fail", "pass"]), st.sampled_from(["none", "pass"]))
def test_nothing_that_a_server_copies_makes_anothers_domain_count(
    chosen: str, local: str, signer: str, selector: str, dkim: str, spf: str
) -> None:
    """A server that escapes nothing: what it copies ends in the sender's own domain, as it does in truth."""
    own = f"{chosen}.evil.example"
    sender = f"{local}@{own}"
    signed = f"dkim={dkim} (2048-bit key) header.d={own} header.i={signer}@{own} header.s={selector} header.b=ab"
    sent = f"spf={spf} (mx: domain of {sender} designates 192.0.2.1) smtp.mailfrom="
    for line in (
        f"mx; {signed}; {sent}{sender}; dmarc=none header.from=x.example",
        f"mx; {signed}",
        f"mx; {signed}; {sent}{own}",
        f"mx; spf={spf} smtp.mailfrom={sender} smtp.helo={chosen}; dmarc=none",
        f"mx; spf={spf} smtp.mailfrom={own}; dkim={dkim} header.i={signer}@{own}",
    ):
        assert not vouched([line, "mx; dmarc=pass header.from=x.example"], "mx", "x.example"), line


@given(st.text(st.characters(codec="utf-8"), max_size=200) | _CHOSEN)
def test_any_line_is_read_without_a_failure(text: str) -> None:
    for line in (text, f"mx; {text}", f"mx; dkim=pass {text}"):
        assert not vouched([line, "mx; dmarc=pass header.from=x.example"], "nobody", "x.example")
        assert results_of(f"{line} (") is None


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
    assert who(mail("Authentication-Results: =?utf-8?q?mx.home.example?=; dmarc=pass header.from=x.example")) == ""
    assert who(mail("Authentication-Results: mx.home.example;\r\n dmarc=pass\r\n\theader.from=x.example")) != ""
    assert who(mail("Authentication-Results: mx.home.\r\n example; dmarc=pass header.from=x.example")) == ""


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
