from __future__ import annotations

import pytest

from sulla.core.errors import InvalidInput
from sulla.tools.builtin.expression import Expression, MatcherGone


def test_texts_are_matched_one_after_another() -> None:
    with Expression(r"\bb", ignore_case=False, limit=5) as expression:
        assert expression.find("a b\nb") == [(0, 2), (1, 0)]
        assert expression.find("") == []
        assert expression.find("x" * 1_000_000 + " b") == [(0, 1_000_001)]
        assert expression.find("half \ud83d b") == [(0, 7)]


def test_what_is_no_expression_is_refused() -> None:
    expression = Expression("[", ignore_case=False, limit=5)
    with pytest.raises(InvalidInput, match=r"'\[' is not a regular expression: unterminated"), expression:
        pass
    expression.close()


def test_a_killed_one_says_that_it_is_gone() -> None:
    with Expression("x", ignore_case=False, limit=5) as expression:
        expression.kill()
        expression.kill()
        with pytest.raises(MatcherGone):
            expression.find("x")
    expression.kill()
