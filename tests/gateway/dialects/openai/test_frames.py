"""A turn as a completion, in pieces or whole."""

from __future__ import annotations

import json
from typing import Any

import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from sulla.gateway.dialects.content import AGAIN
from sulla.gateway.dialects.openai.frames import Chunks, CompletionReply, CompletionWhole, said_chunks
from sulla.gateway.dialects.steps import (
    Dropped,
    Step,
    StepAsked,
    StepBegun,
    StepEnded,
    StepQuestion,
    StepSuggests,
    StepText,
    StepUsage,
    StepWaits,
)
from sulla.gateway.problems import DEFECT, Problem

REPLY = CompletionReply("chatcmpl-1", "sulla", 1_800_000_000, "thr_1", may_answer=True)
DONE = StepEnded("done", "", 9, StepUsage(16, 5, 3))
ASK = StepAsked((StepQuestion("approval:t", "May I?", "t", "post", "", (), None),), 7)
AWAY = Problem(502, "provider_error", "the service is away")


def chunks(*steps: Step, reply: CompletionReply = REPLY) -> list[Any]:
    """What a client reads, without the last word, which has to be there."""
    made = Chunks(reply)
    raw = (made.opening + b"".join(made.show(step) for step in steps)).decode()
    assert raw.endswith("data: [DONE]\n\n")
    blocks = raw.removesuffix("data: [DONE]\n\n").split("\n\n")[:-1]
    return [json.loads(block.removeprefix("data: ")) for block in blocks]


def text_of(found: list[Any]) -> str:
    return "".join(choice["delta"].get("content", "") for one in found for choice in one.get("choices", []))


def whole(*steps: Step) -> tuple[int, Any]:
    made = CompletionWhole(REPLY)
    *before, last = [made.show(step) for step in steps]
    assert not any(before)
    return made.head()[0], json.loads(last)


def test_what_a_turn_waits_for_is_told_beside_the_answer() -> None:
    found = chunks(StepWaits("provider_unreachable", 10.4), StepText("a", 0, "One"), DONE)
    beside = [choice["delta"].get("reasoning_content") for one in found for choice in one["choices"]]
    assert [one for one in beside if one] == ["[the model's service does not answer; again in 10 s]\n"]


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ([StepText("a", 0, "Hel"), StepText("a", 3, "lo"), DONE], "Hello"),
        ([StepText("a", 0, "One."), StepText("b", 0, "Two."), DONE], "One.\n\nTwo."),
        ([Dropped("a", 0), StepText("b", 0, "Two."), DONE], "Two."),
        ([StepWaits("provider_unreachable", 10.4), StepText("a", 0, "One"), DONE], "One"),
        ([DONE], "(The agent has said nothing.)"),
        ([StepEnded("done", "", 9, response="All sent.")], "All sent."),
        ([StepEnded("blocked", "", 9, blocker="No key.\nA key.")], "No key.\nA key."),
        ([StepText("a", 0, "I tried."), StepEnded("blocked", "", 9, blocker="No key.")], "I tried.\n\nNo key."),
        ([StepText("a", 0, "No key."), StepEnded("blocked", "", 9, blocker="No key.")], "No key."),
        ([StepEnded("joined", "", 9, joined="run_2")], "(This message was taken up by the turn that was going on.)"),
        ([StepText("a", 0, "So:"), ASK], "So:\n\nThe agent asks:\n\n    May I?\n\nAnswer **yes** or **no**."),
    ],
)
def test_the_text_is_the_same_in_pieces_and_whole(steps: list[Step], text: str) -> None:
    assert text_of(chunks(*steps)) == text
    status, value = whole(*steps)
    assert (status, value["choices"][0]["message"]["content"]) == (200, text)


@pytest.mark.parametrize(
    ("steps", "pieces", "at_once"),
    [
        ([StepText("b", 0, "Two."), DONE], f"One\n\n{AGAIN}\n\nTwo.", "Two."),
        ([DONE], "One", "(The agent has said nothing.)"),
    ],
)
def test_what_is_void_is_left_out_of_a_whole_answer_and_followed_by_a_line_in_pieces(
    steps: list[Step], pieces: str, at_once: str
) -> None:
    void: list[Step] = [StepText("a", 0, "O"), StepText("a", 1, "ne"), Dropped("a", 3)]
    assert text_of(chunks(*void, *steps)) == pieces
    assert whole(*void, *steps)[1]["choices"][0]["message"]["content"] == at_once
    before = StepText("z", 0, "Zero.")
    expected = "Zero." if steps == [DONE] else "Zero.\n\nTwo."
    assert whole(before, *void, *steps)[1]["choices"][0]["message"]["content"] == expected


def test_pieces_have_openais_form() -> None:
    found = [ChatCompletionChunk.model_validate(one) for one in chunks(StepText("a", 0, "Hi"), DONE)]
    assert [one.choices[0].finish_reason for one in found] == [None, None, "stop"]
    assert found[0].choices[0].delta.role == "assistant"
    assert {(one.id, one.created, one.model, one.object) for one in found} == {
        ("chatcmpl-1", 1_800_000_000, "sulla", "chat.completion.chunk")
    }


def test_so_has_a_whole_answer() -> None:
    answer = ChatCompletion.model_validate(whole(StepText("a", 0, "Hi"), DONE)[1])
    assert answer.usage is not None
    assert answer.usage.prompt_tokens_details is not None
    assert (answer.usage.prompt_tokens, answer.usage.prompt_tokens_details.cached_tokens) == (16, 5)
    assert answer.usage.total_tokens == 19


def test_tokens_come_in_a_piece_of_their_own_if_they_are_asked_for() -> None:
    found = chunks(DONE, reply=CompletionReply("chatcmpl-1", "sulla", 1, "thr_1", may_answer=True, usage=True))
    assert [one["usage"] is None for one in found] == [True] * 3 + [False]
    assert found[-1]["choices"] == []


def test_a_failure_is_an_error() -> None:
    failed = StepEnded("failed", "provider_error", 9, problem=AWAY)
    found = chunks(StepText("a", 0, "Well,"), failed)
    assert found[-1]["error"]["code"] == "provider_error"
    assert text_of(found) == "Well,"
    made = CompletionWhole(REPLY)
    body = made.show(failed)
    status, headers = made.head()
    assert (status, json.loads(body)["error"]["type"]) == (502, "server_error")
    assert dict(headers)[b"x-should-retry"] == b"false"


def test_even_one_that_might_pass_is_not_to_be_tried_again_by_a_library_because_the_turn_is_over() -> None:
    made = CompletionWhole(REPLY)
    made.show(StepEnded("failed", "", 9, problem=Problem(503, "store_unavailable", "away", retryable=True)))
    assert dict(made.head()[1])[b"x-should-retry"] == b"false"


@pytest.mark.parametrize(
    ("problem", "status", "again"),
    [(None, 503, b"true"), (DEFECT, 500, b"false"), (Problem(401, "unauthorized", "revoked"), 401, b"false")],
)
def test_an_answer_that_breaks_off_says_why(problem: Problem | None, status: int, again: bytes) -> None:
    pieces = Chunks(REPLY).cut("stopping" if problem is None else "failed", problem)
    assert pieces.endswith(b"data: [DONE]\n\n")
    made = CompletionWhole(REPLY)
    error = json.loads(made.cut("stopping" if problem is None else "failed", problem))["error"]
    assert error["message"].encode() in pieces
    found, headers = made.head()
    assert (found, dict(headers)[b"x-should-retry"]) == (status, again)


def test_who_speaks_is_the_model_of_the_answer() -> None:
    steps = (
        StepBegun("run_1", "sulla"),
        StepBegun("run_1", "cook", handed="sulla hands over: cook has it"),
        StepText("a", 0, "Soup."),
        DONE,
    )
    assert [one["model"] for one in chunks(*steps)] == ["sulla", "cook", "cook"]
    assert whole(*steps)[1]["model"] == "cook"
    assert [one["model"] for one in chunks(StepBegun("run_1", "cook"), *steps[2:])] == ["cook"] * 3, (
        "also of the first piece"
    )


def test_a_text_that_is_known_already_comes_in_pieces_too() -> None:
    raw = said_chunks(REPLY, "Wait.").decode()
    assert raw.count("Wait.") == 1
    assert raw.endswith("data: [DONE]\n\n")


def test_what_might_be_asked_next_stands_beside_the_answer() -> None:
    steps = (StepText("a", 0, "Hello"), StepSuggests(("And?",)), StepEnded("done", "", 9))
    _, value = whole(*steps)
    assert value["sulla"] == {"suggestions": ["And?"]}
    found = [chunk for chunk in chunks(*steps) if "sulla" in chunk]
    assert [chunk["sulla"] for chunk in found] == [{"suggestions": ["And?"]}]
    assert found[0]["choices"][0]["finish_reason"] == "stop"
