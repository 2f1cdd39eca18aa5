"""Thoughts that a model writes before its answer are told from it, however they are cut into pieces."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sulla.models.wire.thoughts import ThoughtTags


def told(pieces: list[str]) -> list[tuple[str, str]]:
    """What a reply comes to, neighbours of one kind as one."""
    tags = ThoughtTags()
    found: list[tuple[str, str]] = []
    for kind, text in [one for piece in pieces for one in tags.feed(piece)] + list(tags.finish()):
        if found and found[-1][0] == kind:
            found[-1] = (kind, found[-1][1] + text)
        elif text:
            found.append((kind, text))
    return found


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("<think>a < b</think>c", [("thought", "a < b"), ("text", "c")]),
        (" \n<Thinking>a</Thinking>\nc", [("thought", "a"), ("text", "\nc")]),
        ("<think></think>c", [("text", "c")]),
        ("<think>never ends </thin", [("thought", "never ends </thin")]),
        ("c <think>a</think>", [("text", "c <think>a</think>")]),
        ("<thinker>", [("text", "<thinker>")]),
        ("<thi", [("text", "<thi")]),
        ("  ", [("text", "  ")]),
        ("<think>a</think>b<think>c</think>", [("thought", "a"), ("text", "b<think>c</think>")]),
    ],
)
def test_only_what_a_reply_begins_with_is_a_thought(reply: str, found: list[tuple[str, str]]) -> None:
    assert told([reply]) == found
    assert told(list(reply)) == found


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(["<think>", "</think>", "<thinking>", "a", " ", "<", "</", "th"]), max_size=8), st.data()
)
def test_no_cut_makes_a_difference(parts: list[str], data: st.DataObject) -> None:
    reply = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(reply)), max_size=5)))
    pieces = [reply[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(reply)], strict=True)]
    assert told(pieces) == told([reply])
