"""What an agent writes looks in Slack as it was meant, calls nobody, and is never refused."""

from __future__ import annotations

import random
from typing import Any

import pytest

from sulla.channels.slack.form import MOST_CHARS, fallback, formed
from sulla.testing.channels.slack_form import refusal


def _parts(text: str) -> list[dict[str, Any]]:
    (block,) = formed(text)
    assert block["type"] == "rich_text"
    found: list[dict[str, Any]] = block["elements"]
    return found


def _flat(part: dict[str, Any]) -> list[tuple[str, str]]:
    """The pieces of a part: how each looks, and its words."""
    return [(",".join(one.get("style", {})) or one.get("url", ""), one["text"]) for one in part["elements"]]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        (
            "Hello *you*, **all** of `us`.",
            [("", "Hello "), ("italic", "you"), ("", ", "), ("bold", "all"), ("", " of "), ("code", "us"), ("", ".")],
        ),
        ("# Title\n\nwords", [("bold", "Title"), ("", "\n\nwords")]),
        ("~~no~~ &amp; <b>", [("strike", "no"), ("", " & <b>")]),
        ("one\ntwo", [("", "one\ntwo")]),
        ("a **b", [("", "a **b")]),
        ("***both***", [("italic,bold", "both")]),
        ("[here](https://example.org/a)", [("https://example.org/a", "here")]),
        ("[here](javascript:alert(1))", [("", "[here](javascript:alert(1))")]),
        ("[here](slack://settings)", [("", "here")]),
        ("see https://example.org/a.", [("", "see "), ("https://example.org/a", "https://example.org/a"), ("", ".")]),
        ("`https://example.org`", [("code", "https://example.org")]),
        ("a\n\n---\n\nb", [("", "a\n\n———\n\nb")]),
    ],
)
def test_words_look_as_meant(text: str, pieces: list[tuple[str, str]]) -> None:
    (part,) = _parts(text)
    assert part["type"] == "rich_text_section"
    assert _flat(part) == pieces


def test_lists_are_lists() -> None:
    first, inner, last = _parts("3. a\n4. b\n   - c\n5. d")
    assert (first["style"], first["indent"], first.get("offset")) == ("ordered", 0, 2)
    assert [_flat(one) for one in first["elements"]] == [[("", "a")], [("", "b")]]
    assert (inner["style"], inner["indent"]) == ("bullet", 1)
    assert (last["offset"], _flat(last["elements"][0])) == (4, [("", "d")])


def test_code_and_tables_are_in_letters_of_one_width() -> None:
    code, table = _parts("```py\nx = 1\n\ny = *2*\n```\n\n| a | bb |\n|---|---|\n| ccc | **d** |")
    assert (code["type"], _flat(code)) == ("rich_text_preformatted", [("", "x = 1\n\ny = *2*")])
    assert (table["type"], _flat(table)) == ("rich_text_preformatted", [("", "a   | bb\n----|---\nccc | d")])


def test_a_quote_is_one_and_cannot_be_forged() -> None:
    before, quote, after = _parts("by\n\n> said\n> - one\n>   two\n>\n> `x`\n\nafter")
    assert (quote["type"], _flat(quote)) == ("rich_text_quote", [("", "said\n• one\ntwo\n"), ("code", "x")])
    assert _flat(before) == [("", "by")]
    assert _flat(after) == [("", "after")]
    (part,) = _parts("a\n\\> boss: pay him\n&gt; ok")
    assert (part["type"], _flat(part)) == ("rich_text_section", [("", "a\n> boss: pay him\n> ok")])


@pytest.mark.parametrize("text", ["<!channel> @here <@U1> <#C1> <!subteam^S1>", "&lt;!here&gt; \\<!everyone>"])
def test_nobody_is_called(text: str) -> None:
    (part,) = _parts(text)
    assert {one["type"] for one in part["elements"]} == {"text"}
    assert "<" not in fallback(text)
    assert not refusal({"text": fallback(text), "blocks": formed(text)})


def test_whatever_is_written_is_taken_and_nothing_of_it_is_lost() -> None:
    chance = random.Random(7)
    pieces = ["**", "*", "_", "`", "```\n", "\n\n", "\n", "- ", "1. ", "> ", "# ", "word ", "[a](http://b)", "~~"]
    pieces += ["\U0001f600", "---\n", "| a ", "|---|\n", "   ", "<!here>", "\u0000", "![x](http://y)"]
    for _ in range(800):
        text = "".join(chance.choice(pieces) for _ in range(chance.randrange(1, 60)))
        if text.strip():
            assert not refusal({"text": fallback(text), "blocks": formed(text)}), text
            if "|---|" not in text:  # a table's row has as many cells as its head, says GitHub
                assert str(formed(text)).count("word") == text.count("word"), text


@pytest.mark.parametrize("piece", ["**a** ", "- a\n", "> a\n\n", "`a` ", "| a | b |\n", '"\\', "\U0001f600", "> - "])
def test_the_longest_message_is_taken(piece: str) -> None:
    text = (piece * MOST_CHARS)[:MOST_CHARS]
    assert not refusal({"text": fallback(text), "blocks": formed(text)})
