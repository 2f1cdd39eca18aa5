"""What somebody else has chosen is read whole, and as it stands."""

from __future__ import annotations

import json

from sulla.agent.approvals.literal import in_line, literal
from sulla.testing.channels.exact_kit import HOSTILE


def test_a_text_of_json_says_the_same_and_nothing_of_it_is_unseen() -> None:
    for row in HOSTILE:
        ascii_ = json.dumps({"body": row})
        assert literal(ascii_) == ascii_
        wide = literal(json.dumps({"body": row}, ensure_ascii=False))
        assert json.loads(wide) == {"body": row}
        assert all(char == "\n" or char.isprintable() or char in "\u200c\u200d" for char in literal(row)), repr(row)


def test_what_nobody_sees_is_spelled_and_what_scripts_need_is_not() -> None:
    shown = {
        "a\u202eb": r"a\u202eb",
        "a\u200bb": r"a\u200bb",
        "a\tb\r\nc\rd": "a\\tb\nc\\rd",
        "\n\na\n": "a",
        "a\u00a0b": r"a\u00a0b",
        "a\ufe0f": r"a\ufe0f",
        "\u3164": r"\u3164",
        "\U000e0041": r"\udb40\udc41",
        "\u0645\u06cc\u200c\u062e": "\u0645\u06cc\u200c\u062e",
        "pay\u200cpal": r"pay\u200cpal",
        "e\u0301\u0301\u0301": "e\u0301\u0301\\u0301",
        "Größe 大": "Größe 大",
    }
    assert {text: literal(text) for text in shown} == shown
    assert in_line("a\n1. Refuse\u202e") == r"a 1. Refuse\u202e"
