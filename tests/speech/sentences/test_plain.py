from __future__ import annotations

import pytest

from sulla.speech.sentences.plain import plain


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("Hello there.", "Hello there."),
        ("Tom &amp; Jerry &lt;3 &#8364;5, AT&T; R&D", "Tom & Jerry <3 €5, AT&T; R&D"),
        ("Write `&amp;` here.", "Write & here."),
        ("two  spaces\tand a tab", "two spaces and a tab"),
        ("**Bold** and *slanted* and ***both***.", "Bold and slanted and both."),
        ("__Bold__ and _slanted_, not snake_case_names.", "Bold and slanted, not snake_case_names."),
        ("**cut off by a clause,", "cut off by a clause,"),
        ("2 * 3 and 4*5", "2 * 3 and 4*5"),
        ("~~gone~~ here", "gone here"),
        ("Run `rm -r *_old*` now.", "Run rm -r *_old* now."),
        ("Use ``a ` b`` here.", "Use a ` b here."),
        ("An open `tick", "An open tick"),
        ("# Heading", "Heading"),
        ("###### Small", "Small"),
        ("#hashtag", "#hashtag"),
        ("- item", "item"),
        ("* item", "item"),
        ("• item", "item"),
        ("- [x] done", "done"),
        ("- [ ] to do", "to do"),
        ("1. First", "1. First"),
        ("> quoted", "quoted"),
        ("> - quoted item", "quoted item"),
        ("-5 degrees", "-5 degrees"),
        ("See [the docs](https://example.com/a_(b)) now.", "See the docs now."),
        ('See [it](https://example.com "A title").', "See it."),
        ("See [it][1].", "See it."),
        ("![A cat](cat.png)", "A cat"),
        ("Known.[1][2] True.[^note]", "Known. True."),
        ("Go to <https://example.com/a_b_c>.", "Go to https://example.com/a_b_c."),
        ("<speak>Hello.</speak>", "Hello."),
        ('Wait <break time="1s"/> here.', "Wait here."),
        ("if a < b and c > d", "if a < b and c > d"),
        ("x <y and z> w", "x <y and z> w"),
        (r"5 \* 3 and \_x\_", "5 * 3 and _x_"),
        ("| Name | Age |", "Name, Age"),
        ("| **Ann** | 5 |", "Ann, 5"),
        ("|---|:--:|", ""),
        ("---", ""),
        ("***", ""),
        ("- ", ""),
        ("...", ""),
        ("👍", ""),
        ("Well done 🎉", "Well done 🎉"),
        ("你好。", "你好。"),
    ],
)
def test_what_is_said_is_without_what_is_for_the_eye(raw: str, said: str) -> None:
    assert plain(raw.strip()) == said


def test_what_was_made_plain_stays_as_it_is() -> None:
    text = 'Ann\'s dog, 3.5 years old, said: "Why?" It is fine.'
    assert plain(text) == text
