"""What an agent writes looks in Matrix as it was meant, calls nobody, and is never refused."""

from __future__ import annotations

import json
import random

import pytest

from sulla.channels.base import Button
from sulla.channels.matrix.form import (
    BUTTONS,
    MOST_BYTES,
    SIGNS,
    content_of,
    edit_of,
    file_content,
    html_of,
    measured,
    relating,
)
from sulla.testing.channels.kit import HOSTILE

ROOM_FOR_THE_REST = 2_000


@pytest.mark.parametrize(
    ("text", "rich"),
    [
        ("Hello there.\nYou, too.", ""),
        ("Hello *you*, **all** of `us`.", "<p>Hello <em>you</em>, <strong>all</strong> of <code>us</code>.</p>"),
        ("# Title", "<h1>Title</h1>"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        ("2. c", '<ol start="2">\n<li>c</li>\n</ol>'),
        ("> said", "<blockquote>\n<p>said</p>\n</blockquote>"),
        ("```py\nx < 1\n```", '<pre><code class="language-py">x &lt; 1\n</code></pre>'),
        ("~~no~~ <b>", "<p><s>no</s> &lt;b&gt;</p>"),
        ("[here](https://example.org/a?b=1&c)", '<p><a href="https://example.org/a?b=1&amp;c">here</a></p>'),
        ("![x](https://example.org/y)", '<p><a href="https://example.org/y">x</a></p>'),
        ("one **b**\ntwo", "<p>one <strong>b</strong><br />\ntwo</p>"),
    ],
)
def test_it_is_shown_as_meant(text: str, rich: str) -> None:
    assert html_of(text) == rich
    assert content_of(text)["body"].lstrip("\n") == text


def test_a_table_is_one() -> None:
    rich = html_of("| a | b |\n|---|---|\n| 1 | 2 |")
    assert rich.startswith("<table>")
    assert "<td>1</td>" in rich


@pytest.mark.parametrize(
    "text",
    [
        "[a](javascript:alert(1))",
        "[Ann](https://matrix.to/#/@ann:example.org)",
        "[Ann](HTTPS://MATRIX.TO./#/@ann:example.org)",
        "<https://matrix.to/#/@ann:example.org>",
        "[Ann](https://matrix%2eto/#/@ann:example.org)",
        "[Ann](https://x@matrix.to:443/#/@ann:example.org)",
        "[Ann](matrix:u/ann:example.org)",
        "[a](https:///example.org)",
        "[a](data:text/html;base64,PGI+)",
        "<a href='https://matrix.to/#/@ann:example.org'>Ann</a>",
        "<mx-reply>forged</mx-reply>",
        "<img src=x>",
    ],
)
def test_nobody_is_called_and_nothing_runs(text: str) -> None:
    rich = html_of(f"**{text}**")
    assert "<a " not in rich
    assert "<mx-reply" not in rich
    assert "<img" not in rich
    assert content_of("@room @ann:example.org")["m.mentions"] == {}


def test_a_citation_is_not_forged() -> None:
    assert not content_of("> <@ann:example.org> I said so\n\nNo.")["body"].startswith(">")


def test_buttons_say_what_they_send_and_how_they_are_pressed() -> None:
    content = content_of("May I **do** it?", (Button("t1", "Yes <b>"), Button("t2", "No")))
    assert content["body"].endswith(f"{SIGNS[0]} Yes <b>\n{SIGNS[1]} No")
    assert "Yes &lt;b&gt;" in content["formatted_body"]
    assert content[BUTTONS] == {SIGNS[0]: {"label": "Yes <b>", "token": "t1"}, SIGNS[1]: {"label": "No", "token": "t2"}}


def test_threads_answers_and_changes_say_where_they_belong() -> None:
    assert relating("", "") == {}
    assert relating("", "$r") == {"m.relates_to": {"m.in_reply_to": {"event_id": "$r"}}}
    thread = relating("$t", "")["m.relates_to"]
    assert thread == {
        "rel_type": "m.thread",
        "event_id": "$t",
        "is_falling_back": True,
        "m.in_reply_to": {"event_id": "$t"},
    }
    assert relating("$t", "$r")["m.relates_to"]["is_falling_back"] is False
    edit = edit_of(content_of("new"), "$m")
    assert edit["m.relates_to"] == {"rel_type": "m.replace", "event_id": "$m"}
    assert edit["m.new_content"]["body"] == "new"
    assert edit["body"] == "* new"


def test_files_are_of_their_sort() -> None:
    assert file_content("a.png", "image/png", 3, "mxc://a/b", "")["msgtype"] == "m.image"
    voice = file_content("a.ogg", "audio/ogg", 3, "mxc://a/b", "listen")
    assert (voice["msgtype"], voice["filename"], voice["body"]) == ("m.audio", "a.ogg", "listen")
    assert "org.matrix.msc3245.voice" in voice
    assert file_content("a.txt", "text/plain", 3, "mxc://a/b", "")["body"] == "a.txt"


def test_whatever_it_is_an_event_holds_it_and_measure_never_falls() -> None:
    chance = random.Random(7)
    pieces = [
        "**",
        "*",
        "`",
        "```\n",
        "\n\n",
        "\n",
        "- ",
        "> ",
        "# ",
        "word ",
        "[a](http://b)",
        "|a|b|\n|-|-|\n",
        '"',
        "\0",
    ]
    pieces += ["\ud800", "\U0001f600", HOSTILE]
    for _ in range(40):
        text = ""
        while measured(text) < MOST_BYTES - 400:
            before = measured(text)
            text += chance.choice(pieces) * chance.randrange(1, 40)
            assert measured(text) >= before
        while measured(text) > MOST_BYTES:
            text = text[:-50]
        content = edit_of(content_of(text, [Button("t" * 22, "\U0001f600" * 60)] * 8), "$" + "e" * 43)
        size = len(json.dumps(content, ensure_ascii=False).encode())
        assert size < 65_536 - ROOM_FOR_THE_REST


def test_a_table_that_grows_out_of_all_bounds_is_shown_plainly() -> None:
    text = "|" + "a|" * 500 + "\n|" + "-|" * 500 + "\n" + "b\n" * 500
    content = content_of(text)
    assert "formatted_body" not in content
    assert content["body"] == text
