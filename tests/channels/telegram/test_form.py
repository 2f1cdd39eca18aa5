"""What an agent writes looks in Telegram as it was meant, and is never refused or longer than it is measured."""

from __future__ import annotations

import random

import pytest

from sulla.channels.machine.cutting import utf16_units
from sulla.channels.telegram.form import Span, formed, measured


@pytest.mark.parametrize(
    ("text", "plain", "spans"),
    [
        (
            "Hello *you*, **all** of `us`.",
            "Hello you, all of us.",
            [("italic", 6, 3), ("bold", 11, 3), ("code", 18, 2)],
        ),
        ("# Title\n\nwords", "Title\n\nwords", [("bold", 0, 5)]),
        ("- a\n- b\n  1. c\n  2. d", "• a\n• b\n  1. c\n  2. d", []),
        ("> said\n\nby", "said\n\nby", [("blockquote", 0, 4)]),
        ("> said\n> > more\n\nby", "said\n\nmore\n\nby", [("blockquote", 0, 10)]),
        ("```py\nx = 1\n```", "x = 1", [("pre", 0, 5)]),
        (
            "| a | *be* |\n|---|--:|\n| 100 | 2 |\n\nend",
            "a   | be\n----|---\n100 | 2\n\nend",
            [("pre", 0, 25)],
        ),
        (f"| a | b |\n|-|-|\n| {'x' * 60} | 2 |", f"• a: {'x' * 60}\n  b: 2", []),
        ("~~no~~ &amp; <b>", "no & <b>", [("strikethrough", 0, 2)]),
        ("\U0001f600 **b**", "\U0001f600 b", [("bold", 3, 1)]),
        ("one\ntwo", "one\ntwo", []),
        ("a **b", "a **b", []),
    ],
)
def test_it_is_shown_as_meant(text: str, plain: str, spans: list[tuple[str, int, int]]) -> None:
    made = formed(text)
    assert made.text == plain
    assert [(one.kind, one.offset, one.length) for one in made.spans] == spans


def test_a_link_keeps_its_address_and_a_script_is_none() -> None:
    assert formed("[here](https://example.org/a)").spans == (Span("text_link", 0, 4, "https://example.org/a"),)
    assert formed("[here](javascript:alert(1))").spans == ()


def test_it_is_never_longer_and_its_marks_lie_within() -> None:
    chance = random.Random(7)
    pieces = [
        "**",
        "*",
        "_",
        "`",
        "```\n",
        "\n\n",
        "\n",
        "- ",
        "1. ",
        "> ",
        "# ",
        "word ",
        "[a](http://b)",
        "~~",
        "\U0001f600",
        "---\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
    ]
    for _ in range(500):
        text = "".join(chance.choice(pieces) for _ in range(chance.randrange(1, 60)))
        made = formed(text)
        assert utf16_units(made.text) <= measured(text), text
        assert all(one.offset >= 0 and one.offset + one.length <= utf16_units(made.text) for one in made.spans), text
        assert made.text.strip() or not text.strip(), text
