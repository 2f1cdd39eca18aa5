"""Names of tools: such as models' services take, and never two the same."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from sulla.mcp.naming import MAX_NAME, tool_names


def test_a_plain_name_is_kept() -> None:
    assert tool_names("notes", ["add", "list-all"]) == {"add": "mcp__notes__add", "list-all": "mcp__notes__list-all"}


def test_a_name_that_is_too_long_or_has_other_characters_ends_in_a_digest() -> None:
    names = tool_names("notes", ["a.b", "x" * 100])
    assert re.fullmatch(r"mcp__notes__a_b_[0-9a-f]{8}", names["a.b"])
    assert len(names["x" * 100]) == MAX_NAME


def test_a_server_cannot_make_two_tools_share_a_name() -> None:
    first = tool_names("s", ["a.b"])["a.b"].removeprefix("mcp__s__")
    names = tool_names("s", ["a.b", "a_b", "a b", first])
    assert len(set(names.values())) == 4
    assert names["a_b"] == "mcp__s__a_b"


@given(st.lists(st.text(min_size=1, max_size=128), unique=True, max_size=20))
def test_names_are_different_and_can_be_used(offered: list[str]) -> None:
    names = tool_names("a-server-of-24-charactersx"[:24], offered)
    assert list(names) == offered
    assert len(set(names.values())) == len(offered)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names.values())
