"""The original desktop client's frames."""

from __future__ import annotations

import contextlib
import json
import re
import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from sulla.core.errors import InvalidInput
from sulla.gateway.dialects.hub.wire import agent_of, frame, frame_id, read_envelope, read_words


def sent(data: object = None, **more: object) -> Any:
    return read_envelope(json.dumps({"type": "user_message", "id": "m1", "data": data, **more}))


def test_a_frame_is_read_whatever_else_is_in_it() -> None:
    read = sent({"content": "hi", "role": "user"}, channel="workbench", timestamp=1.5, event={"id": 7})
    assert (read.type, read.id, read.channel, read.thread, read.original_id) == (
        "user_message",
        "m1",
        "workbench",
        "",
        "",
    )
    assert read_envelope('{"type":"stop_run","id":"1"}').object == {}
    assert read_envelope('{"type":"ack","id":"1","originalId":"2","data":null}').original_id == "2"


@pytest.mark.parametrize(("field", "value"), [("threadId", "thread_1"), ("thread_id", "thread_1")])
def test_a_conversation_is_named_in_either_spelling(field: str, value: str) -> None:
    assert sent({"content": "hi", field: value}).thread == "thread_1"


@pytest.mark.parametrize("value", [7, "a\nb", "x" * 201, ["thr_1"]])
def test_what_is_no_name_of_a_conversation_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match=r"data\.threadId"):
        sent({"content": "hi", "threadId": value}).check()


def test_a_bare_text_is_what_is_said() -> None:
    assert read_words(sent("  hello ")).text == "hello"


def test_what_the_words_come_with_is_read() -> None:
    about = {"origin": "scheduler", "eventId": 7, "agentId": "researcher", "attachments": [{"type": "image"}]}
    words = read_words(sent({"content": "look", "metadata": about}))
    assert (words.text, words.agent, words.event_id, words.left_out) == ("look", "researcher", 7, 1)
    words = read_words(sent({"content": "look", "metadata": {"eventId": 7}}))
    assert (words.agent, words.event_id, words.left_out) == (None, None, 0)


SCHEDULED = {"origin": "scheduler", "eventId": 7}


@pytest.mark.parametrize(
    ("data", "channel", "found"),
    [
        (SCHEDULED, "", (True, 7)),
        ({"metadata": SCHEDULED}, "", (True, 7)),
        (SCHEDULED | {"metadata": SCHEDULED}, "sulla-desktop", (True, 7)),
        ({"origin": "scheduler", "metadata": {"eventId": 7}}, "", (True, 7)),
        ({"metadata": {"origin": "scheduler"}}, "", (True, None)),
        ({"origin": "scheduler", "eventId": True}, "", (True, None)),
        ({}, "calendar_event", (True, None)),
        ({"eventId": 7}, "sulla-desktop", (False, None)),
        ({"metadata": {"origin": "user"}}, "", (False, None)),
    ],
)
def test_what_the_calendar_says_is_told_from_what_a_person_says(
    data: dict[str, Any], channel: str, found: tuple[bool, int | None]
) -> None:
    words = read_words(sent({"content": "The dentist."} | data, channel=channel))
    assert (words.by_calendar, words.event_id) == found


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "expected some text"),
        ({"content": ["a"]}, "got a list, expected a text"),
        ({"content": "", "metadata": {"attachments": [{}]}}, "attachments are not taken"),
    ],
)
def test_what_cannot_be_passed_on_is_refused(data: object, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        read_words(sent(data))


def test_a_request_is_called_as_its_frame_is_if_it_can_be() -> None:
    named = str(uuid.uuid4())
    assert sent(id=named).key == named
    odd = sent(id="ä b")
    assert re.fullmatch(r"msg_[0-9a-f]{24}", odd.key)
    assert odd.key == sent(id="ä b").key != sent(id="ä c").key


def test_a_channel_is_its_agent_unless_it_is_the_client_s_own() -> None:
    assert [agent_of(name) for name in ("sulla-desktop", "workbench", "heartbeat", "calendar_event", "", "bob")] == [
        *[None] * 5,
        "bob",
    ]


def test_an_id_is_a_uuid_and_the_same_for_the_same() -> None:
    one = frame_id("thr_1", "7", "0")
    assert one == frame_id("thr_1", "7", "0") != frame_id("thr_1", "70", "")
    assert (uuid.UUID(one).version, uuid.UUID(one).variant) == (4, uuid.RFC_4122)


def test_a_frame_has_all_that_frames_have() -> None:
    assert json.loads(frame("pong", None, "i", "c", 7, "o")) == {
        "type": "pong",
        "data": None,
        "id": "i",
        "channel": "c",
        "timestamp": 7,
        "originalId": "o",
    }
    assert "originalId" not in json.loads(frame("pong", None, "i", "c", 7))


FIELDS = ("type", "id", "data", "channel", "content", "metadata", "threadId", "originalId", "eventId", "attachments")
VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(),
    lambda inner: some.lists(inner) | some.dictionaries(some.sampled_from(FIELDS), inner),
)


@given(VALUES)
def test_whatever_comes_is_read_or_refused(value: object) -> None:
    with contextlib.suppress(InvalidInput):
        envelope = read_envelope(json.dumps(value))
        envelope.check()
        assert read_words(envelope).text
