"""What a tool gave as values comes back as it was, however it is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from sulla.playbooks.machine.result import kept, seen


@given(
    some.text("ab\n", max_size=60), some.text("ab\n[]", max_size=60), some.sampled_from(["whole", "end", "begin", "no"])
)
def test_a_text_comes_back_whether_or_not_it_stands_in_the_output(text: str, more: str, how: str) -> None:
    output = {"whole": text, "end": f"{more}\n{text}", "begin": f"{text}\n{more}", "no": more}[how]
    found = seen(kept({"text": text, "n": 3}, output, truncated=False), output)
    assert found == {"text": text, "truncated": False, "n": 3}


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("[a.csv: lines 1-900 of 900]\n" + "1,2\n" * 900, "1,2\n" * 900),
        ("x" * 5_000 + "\n[exit status 0, 0.1 s]", "x" * 5_000 + "\n\n\n"),
    ],
)
def test_a_long_text_is_kept_once(output: str, text: str) -> None:
    found = kept({"text": text}, output, truncated=False)
    assert found is not None
    assert len(str(found)) < 60
    assert seen(found, output)["text"] == text


def test_a_tool_that_gives_no_values_has_its_text_and_nothing_is_kept() -> None:
    assert kept(None, "hello", truncated=False) is None
    assert kept({"text": "hello"}, "hello", truncated=False) is None
    assert seen(None, "hello") == {"text": "hello", "truncated": False}


def test_what_was_left_out_is_told() -> None:
    assert seen(kept(None, "hel", truncated=True), "hel") == {"text": "hel", "truncated": True}
