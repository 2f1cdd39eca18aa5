"""What services' failures have in common."""

from __future__ import annotations

import pytest

from sulla.providers.failures import innermost, retry_after_s


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({}, None),
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "9", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 90.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:01 GMT"}, 0.0),
    ],
)
def test_the_wait_is_read_in_each_of_its_forms(headers: dict[str, str], wait_s: float | None) -> None:
    assert retry_after_s(headers, now_s=10.0) == wait_s


def test_the_innermost_words_of_a_failure_are_told() -> None:
    outer = ValueError("it failed")
    outer.__cause__ = OSError("connection refused")
    assert innermost(outer) == "connection refused"
    assert innermost(OSError()) == "OSError"
