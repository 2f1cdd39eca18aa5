"""What an agent writes goes out as it was written, and as a page in which nothing is foreign and nothing is loaded."""

from __future__ import annotations

from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

import pytest

from sulla.channels.mail.form import Enclosed, Letter, page, unescaped, written

HOSTILE = "a\r\nBcc: eve@x\r\n\r\n<script>x</script>\x00\ud800 \u202egnp"


def mail(text: str, subject: str = "", **more: Any) -> EmailMessage:
    letter = replace(Letter("sulla@home.example", ["ann@x.example"], "<1@h>", text, subject), **more)
    return message_from_bytes(written(letter), policy=policy.default)


def part(message: EmailMessage, kind: str) -> str:
    found = message.get_body((kind,))
    assert found is not None
    return str(found.get_content()).replace("\r\n", "\n")


@pytest.mark.parametrize(
    "text",
    ["**b** `c`\n\n- a\n- b", "```py\nx = 1\n```", "| a | b |\n|---|---|\n| 1 | 2 |", ".\n.\nFrom x", "x" * 5_000],
)
def test_the_text_is_as_it_was_written(text: str) -> None:
    assert part(mail(text), "plain") == f"{text}\n"


def test_backslashes_that_keep_marks_from_being_some_are_for_who_shows_them() -> None:
    for text, read in (
        (
            r"(This answer to “long\-one” was broken off.)",
            "(This answer to “long-one” was broken off.)",
        ),
        (r"> a \*b\* \\ C:\dir \`x\`", r"> a *b* \ C:\dir `x`"),
        (r"`a\-b` \- ``c\`d``", r"`a\-b` - ``c\`d``"),
        ("```\na\\-b\n~~~\n\\-\n```\n\\-", "```\na\\-b\n~~~\n\\-\n```\n-"),
        ("    a\\-b", "    a\\-b"),
        ("x" + "`" * 50_000 + r"\-", "x" + "`" * 50_000 + "-"),
    ):
        assert unescaped(text) == read
    broken = mail(r"*(This answer to “a\-b” was broken off.)*")
    assert part(broken, "plain") == "*(This answer to “a-b” was broken off.)*\n"
    assert "a-b" in part(broken, "html")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**b** ~~s~~ `c`", "<p><strong>b</strong> <s>s</s> <code>c</code></p>"),
        ("```py\n<b>\n```", '<pre><code class="language-py">&lt;b&gt;\n</code></pre>'),
        ("1. a\n2. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>"),
        ("| a |\n|---|\n| 1 |", "<td>1</td>"),
        ("> q", "<blockquote>\n<p>q</p>\n</blockquote>"),
        ("[a](https://x.example)", '<a href="https://x.example">a</a>'),
        ("[a](javascript:alert(1))", "<p>[a](javascript:alert(1))</p>"),
        ("![p](http://x.example/p)", '!<a href="http://x.example/p">p</a>'),
        ("<img src=x onerror=y> <b>", "&lt;img src=x onerror=y&gt; &lt;b&gt;"),
        ("<div>\n<script>x</script>\n</div>", "&lt;script&gt;"),
    ],
)
def test_the_page_has_nothing_of_its_own(text: str, shown: str) -> None:
    made = page(text)
    assert shown in made
    assert "<script" not in made
    assert "<img" not in made


def test_no_line_of_the_head_can_be_forged() -> None:
    made = mail(HOSTILE, HOSTILE)
    assert made["Bcc"] is None
    assert str(made["Subject"]).startswith("Re: a Bcc: eve@x <script>")
    wanted = "from to subject date message-id auto-submitted x-auto-response-suppress mime-version content-type"
    assert sorted(map(str.lower, made.keys())) == sorted(wanted.split())
    assert str(mail("# Tea\n\nis ready")["Subject"]) == "Tea"
    assert str(mail("\n \n")["Subject"]) == "A message"


def test_an_answer_says_what_it_answers() -> None:
    made = mail("x", "Lunch", references=("<1@x>", "<2@x>"), reply_to="sulla+w@home.example")
    assert (made["References"], made["In-Reply-To"], made["Subject"]) == ("<1@x> <2@x>", "<2@x>", "Re: Lunch")
    assert (made["Reply-To"], made["Auto-Submitted"]) == ("sulla+w@home.example", "auto-replied")


@pytest.mark.parametrize("mime", ["text/plain", "", "message/rfc822", "nonsense", "multipart/mixed"])
def test_a_file_goes_with_it_whatever_it_is_called(mime: str) -> None:
    letter = Letter("sulla@home.example", ["ann@x.example"], "<1@h>", "See.", "")
    made = message_from_bytes(written(letter, Enclosed('a"\n;b.txt', b"\x00\xff", mime)), policy=policy.default)
    (file,) = made.iter_attachments()
    assert (file.get_filename(), file.get_payload(decode=True)) == ('a" ;b.txt', b"\x00\xff")
    assert part(made, "plain") == "See.\n"
