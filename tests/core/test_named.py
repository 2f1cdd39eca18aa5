"""Which of some names an answer is. More of it: tests/playbooks/machine/test_decide.py."""

from __future__ import annotations

import pytest

from sulla.core.named import name_in


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("Yes", "yes"),
        ('"yes".', "yes"),
        ("`no.`", "no"),
        ("```\nno\n```", "no"),
        ("yes please", ""),
        ("yesno", ""),
        ("", ""),
    ],
)
def test_a_name_counts_with_nothing_but_quotes_a_fence_or_a_full_stop_around_it(answer: str, name: str) -> None:
    assert name_in(answer, ("yes", "no")) == name
