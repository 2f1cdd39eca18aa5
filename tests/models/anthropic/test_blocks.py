"""The content blocks of a reply."""

from __future__ import annotations

import pytest

from sulla.core.ids import CallId
from sulla.core.message import Reasoning, Text, ToolCall
from sulla.models.anthropic.blocks import CallBlock, RedactedBlock, TextBlock, ThinkingBlock
from sulla.models.base import ReasoningDelta, TextDelta


def test_text_grows_and_says_so() -> None:
    block = TextBlock({"type": "text", "text": "A"})
    assert (block.begin(), block.shown_as) == ("A", TextDelta)
    assert block.add({"type": "text_delta", "text": "b"}) == "b"
    assert block.add({"type": "text_delta", "text": ""}) == ""
    assert block.add({"type": "citations_delta"}) == ""
    assert block.part() == Text("Ab", "agent")
    assert TextBlock({"type": "text", "text": ""}).part() is None


def test_thinking_goes_back_as_it_came_with_every_field() -> None:
    block = ThinkingBlock({"type": "thinking", "thinking": "", "signature": ""})
    assert (block.begin(), block.shown_as) == ("", ReasoningDelta)
    assert block.add({"type": "thinking_delta", "thinking": "hm"}) == "hm"
    assert block.add({"type": "signature_delta", "signature": "s1"}) == ""
    assert block.part() == Reasoning("hm", {"type": "thinking", "thinking": "hm", "signature": "s1"})


def test_thinking_that_is_not_shown_still_goes_back() -> None:
    block = ThinkingBlock({"type": "thinking", "thinking": "", "signature": "s1"})
    assert block.part() == Reasoning("", {"type": "thinking", "thinking": "", "signature": "s1"})


def test_thinking_without_a_signature_cannot_go_back() -> None:
    block = ThinkingBlock({"type": "thinking", "thinking": "hm"})
    assert block.part() == Reasoning("hm", None)
    assert ThinkingBlock({"type": "thinking"}).part() is None


def test_redacted_thinking_is_kept_untouched() -> None:
    block = RedactedBlock({"type": "redacted_thinking", "data": "xyz"})  # type: ignore[typeddict-unknown-key]  # the service's own
    assert block.begin() == ""
    assert block.part() == Reasoning("", {"type": "redacted_thinking", "data": "xyz"})


@pytest.mark.parametrize(
    ("pieces", "cut", "args"),
    [
        (['{"a"', ": 1}"], False, {"a": 1}),
        (['{"a"', ": 1}"], True, {"a": 1}),
        (["", "{}"], True, {}),
        ([""], False, {}),
        ([], False, {}),
        ([], True, None),
        (['{"a"'], False, None),
        (['{"a": 1}x'], False, None),
        (["[1]"], False, None),
        (["1"], False, None),
    ],
)
def test_arguments_are_whole_or_there_is_no_call(pieces: list[str], cut: bool, args: dict[str, int] | None) -> None:
    block = CallBlock({"type": "tool_use", "id": "c1", "name": "t", "input": {}})
    for piece in pieces:
        assert block.add({"type": "input_json_delta", "partial_json": piece}) == ""
    assert block.whole(cut) == (args is not None)
    if args is not None:
        assert block.part() == ToolCall(CallId("c1"), "t", args)


def test_arguments_that_were_there_from_the_start_count() -> None:
    block = CallBlock({"type": "tool_use", "id": "c1", "name": "t", "input": {"a": 1}})
    assert block.whole(cut=False)
    assert block.part() == ToolCall(CallId("c1"), "t", {"a": 1})


@pytest.mark.parametrize("content", [{"id": "", "name": "t"}, {"id": "c", "name": ""}, {"id": 1, "name": "t"}])
def test_a_call_has_an_id_and_a_name(content: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        CallBlock(content)  # type: ignore[arg-type]  # that is what is tested


@pytest.mark.parametrize(
    "block",
    [TextBlock({}), ThinkingBlock({}), RedactedBlock({}), CallBlock({"id": "c", "name": "t"})],
    ids=lambda block: type(block).__name__,
)
def test_a_piece_of_another_kind_is_refused(block: TextBlock | ThinkingBlock | RedactedBlock | CallBlock) -> None:
    with pytest.raises(TypeError):
        block.add({"type": "some_delta"})
