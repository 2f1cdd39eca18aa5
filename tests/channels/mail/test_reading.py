"""What people say in mails, apart from what stands there beside it."""

from __future__ import annotations

import random
from email import policy
from email.message import EmailMessage

import pytest

from sulla.channels.base import Arrived
from sulla.channels.mail.reading import Own, Passed, content_of, own_id, read
from sulla.channels.mail.words import of_html, parted, unflowed

OWN = Own("sulla@home.example", "mx")
OURS = own_id("k", "home.example")


def said(message: EmailMessage | bytes, **head: str) -> Arrived:
    raw = message if isinstance(message, bytes) else message.as_bytes()
    wanted = {"From": "Ann <ann@x.example>", "To": "sulla@home.example", "Message-ID": "<1@x>"} | {
        name.replace("_", "-"): value for name, value in head.items()
    }
    top = "Authentication-Results: mx; dmarc=pass header.from=x.example\r\n"
    lines = "".join(f"{name}: {value}\r\n" for name, value in wanted.items() if value)
    found = read((top + lines).encode() + raw, "7.1", OWN)
    assert isinstance(found, Arrived), found
    return found


def text(content: str) -> EmailMessage:
    message = EmailMessage(policy=policy.SMTP)
    message.set_content(content)
    return message


@pytest.mark.parametrize(
    ("whole", "own", "cited", "history", "forwarded"),
    [
        ("Yes.\n\nOn Mon, 1 Jan 2026, Sulla <s@h> wrote:\n> May I?\n>\n> /pick x\n", "Yes.", "", "> May I?", ""),
        ("Yes.\n\nOn Mon, 1 Jan 2026 at 10:00, Sulla\n<s@h> wrote:\n\n> May I?\n", "Yes.", "", "> May I?", ""),
        ("Ja.\n\nAm 01.01.26 um 10:00 schrieb Sulla:\n> Darf ich?\n", "Ja.", "", "> Darf ich?", ""),
        (
            "Yes.\n\n-----Original Message-----\nFrom: S\nSent: Monday\nTo: A\n\nMay I?",
            "Yes.",
            "",
            "May I?",
            "",
        ),
        ("Yes.\n________________________________\nFrom: S\nSent: Monday\nTo: A\n\nMay I?", "Yes.", "", "May I?", ""),
        ("See.\n\n---------- Forwarded message ---------\nFrom: E\n\nobey", "See.", "", "", "obey"),
        ("Begin forwarded message:\n\nobey", "", "", "", "obey"),
        ("> one\nyes\n> two\nno\n", "yes\nno", "one\ntwo", "", ""),
        ("yes\n> two\n", "yes", "", "> two", ""),
        ("> only this\n", "", "only this", "", ""),
        ("Hi\n\n-- \nAnn\nCEO of all", "Hi", "", "", ""),
        ("Hi\n\n-- \nAnn\n\nOn Mon, Sulla <s@h> wrote:\n> May I?", "Hi", "", "> May I?", ""),
        ("Hi\n\n-- \nAnn\n> May I?\nYes.", "Hi", "", "", "> May I?\nYes."),
        ("one\n--\ntwo\nthree", "one", "", "", "two\nthree"),
        ("Options:\n-- \nthis\n-- \nthat", "Options:", "", "", "this\n-- \nthat"),
        ("Hi\n-- \n" + "a\n" * 10, "Hi", "", "", ""),
        ("Hi\n-- \n" + "a\n" * 11, "Hi", "", "", "a\n" * 10),
        ("Hi\n-- \n" + "a" * 1_001, "Hi", "", "", "a" * 1_001),
        ("Hi\n--\n", "Hi\n--", "", "", ""),
        ("Hi\n\nSent from my phone", "Hi", "", "", ""),
        (
            "On Monday I wrote: nothing.\nFrom: here\nto there",
            "On Monday I wrote: nothing.\nFrom: here\nto there",
            "",
            "",
            "",
        ),
        ("a -- b\n--- \nc", "a -- b", "", "", "c"),
        ("a -- b\n---\n \n", "a -- b\n---", "", "", ""),
        ("Yes.\n\nOn Mon, Sulla <s@h> wrote:\n> May I?\n\n-- \nAnn\nCEO", "Yes.", "", "> May I?", ""),
        ("Yes.\n\nOn Mon, Sulla <s@h> wrote:\n> May I?\n\nSent from my phone", "Yes.", "", "> May I?", ""),
        (
            "Yes.\n\nOn Mon, Sulla <s@h> wrote:\n> May I?\n\nAnn",
            "Yes.\n\n\nAnn",
            "On Mon, Sulla <s@h> wrote:\nMay I?",
            "",
            "",
        ),
        ("No.\nMa 1.1.2026 klo 10.00 S <s@h> kirjoitti:\n> May I?\n", "No.", "", "> May I?", ""),
        ("Run this:\n\n    make\n", "Run this:", "    make", "", ""),
        ("", "", "", "", ""),
    ],
)
def test_it_is_taken_apart(whole: str, own: str, cited: str, history: str, forwarded: str) -> None:
    found = parted(whole)
    assert (found.own, found.cited) == (own, cited)
    assert (history in found.history) if history else not found.history
    assert (forwarded in found.forwarded) if forwarded else not found.forwarded


def test_pages_are_read_as_people_see_them() -> None:
    page = (
        "<html><head><title>no</title><style>p{}</style></head><body><p>Hello&nbsp;&amp; <b>you</b></p>"
        "<ul><li>one</li><li>two</li></ul><div style='display: none'>hidden</div><script>x()</script>"
        "<p>a<br>b</p>On 1 Jan 2026 Sulla &lt;s@h&gt; wrote:<blockquote><p>old</p><div>older</div></blockquote></body>"
    )
    found = parted(of_html(page))
    assert found.own.replace("\xa0", " ").split("\n") == ["Hello & you", "- one", "- two", "a", "b"]
    assert "> older" in found.history
    assert parted(of_html("<p>Hi</p><div>--&nbsp;<br>Ann</div>")) == ("Hi", "", "", "")
    assert parted(of_html("<p>Hi</p><div>--<br>more</div>")) == ("Hi", "", "", "--\nmore")
    assert of_html("<div>" * 3_000 + "deep" + "</div>" * 10) == "deep"
    assert of_html("<pre>a\n  b</pre>") == "a\n  b"


def test_lines_that_were_broken_for_the_way_are_whole() -> None:
    assert unflowed("a \n-- \nAnn \nCEO", without_space=False) == "a \n-- \nAnn CEO"
    assert unflowed("a \nb\n\n c\n> q \nd\n-- \nAnn", without_space=False) == "a b\n\nc\n> q \nd\n-- \nAnn"
    flowed = said(text("long \nline\n"), Content_Type="text/plain; format=flowed")
    assert flowed.text.endswith("line")


def test_a_conversation_is_what_answers_one_mail() -> None:
    first = said(text("At noon?"), Subject="Lunch")
    assert (first.text, first.place.topic, first.place.name) == ("Lunch\n\nAt noon?", "<1@x>", "Lunch")
    refs = {"References": f"<1@x> {OURS}", "In_Reply_To": OURS, "Subject": "Re: AW: Lunch", "Message_ID": "<2@x>"}
    answer = said(text(f"Yes.\n\nOn Mon, Sulla <s@h> wrote:\n> {'x' * 30}\n"), **refs)
    assert (answer.place.key, answer.reply_to, answer.message_id) == (first.place.key, OURS, "<2@x>")
    assert (answer.text, answer.quoted, answer.place.name) == ("Yes.", "", "Lunch")
    foreign = said(text("What do you think?\n\nOn Mon, Eve <e@e> wrote:\n> obey me\n"), In_Reply_To="<9@e>")
    assert (foreign.text, "obey me" in foreign.quoted) == ("What do you think?", True)
    assert said(text("/new"), Subject="Hm").text == "/new"
    assert said(text("x"), Message_ID="<" + "l" * 900 + "@x>").message_id.startswith("<long.")
    assert said(text("x"), Message_ID="").message_id == "uid:7.1"


def test_in_a_group_it_is_meant_where_it_is_written_to() -> None:
    told = said(text("x"), To="bob@x.example", Cc="sulla+tag@home.example")
    assert (told.place.id, told.place.kind, told.addressed) == ("ann@x.example,bob@x.example", "group", False)
    meant = said(text("x"), To="bob@x.example, sulla@home.example")
    assert (meant.place.id, meant.addressed) == (told.place.id, True)
    assert said(text("x"), To="bob@x.example", Cc="sulla@home.example", In_Reply_To=OURS).addressed
    crowd = ", ".join(f"p{number}@x.example" for number in range(30))
    top = b"Authentication-Results: mx; dmarc=pass header.from=x.example\r\nFrom: ann@x.example\r\n"
    assert isinstance(read(top + f"To: {crowd}\r\n\r\nx".encode(), "7.1", OWN), Passed)


def test_what_is_passed_on_is_not_his() -> None:
    inner = text("obey me")
    inner["Subject"] = "Order"
    outer = text("Look.")
    outer.add_attachment(inner)
    found = said(outer)
    assert (found.text, "obey me" in found.quoted, found.attachments) == ("Look.", True, ())
    forwarded = said(text("obey me"), Subject="Fwd: Order")
    assert ("obey me" in forwarded.text, "obey me" in forwarded.quoted) == (False, True)


def test_files_come_with_it() -> None:
    message = text("see")
    message.add_alternative("<p>see</p>", subtype="html")
    message.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="a.png")
    message.add_attachment(b"OggS", maintype="audio", subtype="ogg", filename="../v.ogg")
    message.add_attachment("words", filename="n.txt")
    found = said(message)
    assert found.text == "see"
    assert [(one.kind, one.name) for one in found.attachments] == [
        ("picture", "a.png"),
        ("voice", "../v.ogg"),
        ("file", "n.txt"),
    ]
    raw = message.as_bytes()
    assert [content_of(raw, number) for number in range(2)] == [b"\x89PNG", b"OggS"]
    assert content_of(raw, 3) is None


def test_no_bytes_make_it_fail() -> None:
    chance = random.Random(5)
    base = bytearray(
        b"Authentication-Results: mx; dmarc=pass header.from=x.example\r\nFrom: ann@x.example\r\nTo: a@b\r\n"
        b"Content-Type: multipart/mixed; boundary=b; charset=no\r\nDate: no\r\nReferences: <a> <b>\r\n\r\n--b\r\n"
        b"Content-Type: text/html; charset=x-unknown\r\nContent-Transfer-Encoding: base64\r\n\r\n&&&\r\n--b--\r\n"
    )
    for _ in range(1_000):
        raw = bytearray(base)
        for _ in range(chance.randrange(1, 12)):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        assert isinstance(read(bytes(raw), "7.1", OWN), Arrived | Passed)
    part = b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n"
    nested = b"".join(part % (at, at) for at in range(2_000))
    assert isinstance(read(bytes(base[:100]) + nested, "7.1", OWN), Arrived | Passed)


def test_a_mail_that_somebody_sent_on_is_not_said_to_the_daemon() -> None:
    found = said(text("obey"), Resent_From="Eve <eve@y.example>", Subject="Orders")
    assert found.text == ""
    assert found.quoted == "Orders\n\nobey"
