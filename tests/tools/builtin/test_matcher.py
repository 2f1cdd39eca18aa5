from __future__ import annotations

import io
import json
import re

from sulla.tools.builtin.matcher import find, serve


def ask(pattern: str, *texts: str, limit: int = 10, ignore_case: bool = False) -> list[object]:
    order = {"pattern": pattern, "ignore_case": ignore_case, "limit": limit}
    raw = [text.encode() for text in texts]
    asked = io.BytesIO(json.dumps(order).encode() + b"\n" + b"".join(len(one).to_bytes(4, "big") + one for one in raw))
    answers = io.BytesIO()
    serve(asked, answers)
    return [json.loads(line) for line in answers.getvalue().splitlines()]


def test_each_text_is_answered_by_lines_and_columns() -> None:
    assert ask("b+", "abb\nc\nb", "none", "é b") == [None, [[0, 1], [2, 0]], [], [[0, 2]]]


def test_capitals_make_a_difference_unless_told() -> None:
    assert ask("B", "b") == [None, []]
    assert ask("B", "b", ignore_case=True) == [None, [[0, 0]]]


def test_a_line_counts_once_and_only_so_many_do() -> None:
    assert find(re.compile("a"), "aa\na\na", 2) == [(0, 0), (1, 0)]


def test_a_broken_expression_is_answered_with_the_reason() -> None:
    (reason,) = ask("(", "text")
    assert "unterminated" in str(reason)
