"""What an agent writes looks in Discord as it was meant, rings nobody up, and grows no more than it is measured."""

from __future__ import annotations

import random

import pytest

from sulla.channels.discord.form import MOST_CHARS, formed, measured
from sulla.channels.machine.cutting import cut_up, utf16_units

_PIECES = (
    "||",
    "|",
    "@everyone",
    "<@1>",
    "<#2>",
    "</do:3>",
    "```",
    "~~~",
    "`",
    "``",
    "__b__",
    "**",
    "![x](http://y)",
    ">>> q",
    "> ",
    "#### h",
    "-# s",
    "+ l",
    "\n",
    "\n\n",
    " ",
    "word",
    "\U0001f600",
    "\\",
    "\x00",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Hello *you*, **all** of `us`.", "Hello *you*, **all** of `us`."),
        ("__strong__ and snake__case__name", "**strong** and snake__case__name"),
        ("# Title\n\n#### Small", "# Title\n\n**Small**"),
        ("- a\n+ b\n  1. c", "- a\n- b\n  1. c"),
        ("[here](https://example.org/a) ![pic](https://x/y)", "[here](https://example.org/a) [pic](https://x/y)"),
        ("```py\na || b @everyone\n```", "```py\na || b @everyone\n```"),
        ("~~~\n```\n~~~", "```\n``\u200b`\n```"),
        ("```\nhalf", "```\nhalf\n```"),
        ("| a | **b** |\n|---|---|\n| 100 | 2 |\nend", "```\na   | b\n----|--\n100 | 2\n```\nend"),
        ("a | b\n---|---\n1 | 2\\|3", "```\na | b\n--|----\n1 | 2|3\n```"),
        (f"| a | b |\n|---|---|\n| {'x' * 60} | @everyone |", f"• a: {'x' * 60}\n  b: @\u200beveryone"),
        ("`||x||` ||x||", "`||x||` \\|\\|x\\|\\|"),
        ("a | b", "a | b"),
        ("line\\\nbreak", "line\nbreak"),
        ("\x00", "…"),
    ],
)
def test_it_is_shown_as_meant(text: str, shown: str) -> None:
    assert formed(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("@everyone @here <@1> <@&2> <@!3>", "@\u200beveryone @\u200bhere <@\u200b1> <@\u200b&2> <@\u200b!3>"),
        ("</ban:77> <#5>", "<\u200b/ban:77> <#\u200b5>"),
        (">>> Ann said yes\nand more", "> Ann said yes\nand more"),
        ("> > > Ann", "> Ann"),
        ("-# edited by Discord", "-\\# edited by Discord"),
        ("ann@example.org", "ann@example.org"),
    ],
)
def test_what_only_discord_reads_into_it_is_plain(text: str, shown: str) -> None:
    assert formed(text) == shown


def test_whatever_it_is_it_fits_where_it_was_measured() -> None:
    chance = random.Random(7)
    for _ in range(2_000):
        text = "".join(chance.choice(_PIECES) for _ in range(chance.randrange(1, 40)))
        assert utf16_units(formed(text)) <= max(1, measured(text)), text
        assert formed(text).strip()


def test_the_measure_never_falls_and_parts_fit() -> None:
    chance = random.Random(8)
    text = "".join(chance.choice(_PIECES) for _ in range(3_000))
    measures = [measured(text[:end]) for end in range(2_000)]
    assert measures == sorted(measures)
    assert all(utf16_units(formed(part)) <= MOST_CHARS for part in cut_up(text, MOST_CHARS, measured))
