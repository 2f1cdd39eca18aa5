"""A conversation that is told anew each time is found again by its words."""

from __future__ import annotations

from typing import Any

import pytest

from sulla.gateway.bookmarks import BOOKMARK_BYTES
from sulla.gateway.dialects.conversation import ChatMessage, ChatRequest, digest
from sulla.gateway.dialects.openai.conversation import (
    ConversationMark,
    Posted,
    chat_of,
    note_mark,
    note_posted,
    place_key,
    read_mark,
    read_posted,
    request_key,
    thread_key,
)
from sulla.gateway.dialects.openai.form import Completion, read_completion
from sulla.gateway.dialects.positions import ClientPosition, note_position, read_spot


def said(*words: str) -> tuple[ChatMessage, ...]:
    """Messages by turns, the user's first."""
    return tuple(ChatMessage("assistant" if place % 2 else "user", text) for place, text in enumerate(words))


def asked(**more: Any) -> Completion:
    return read_completion({"model": "sulla", "messages": [{"role": "user", "content": "x"}], **more})


def test_a_request_is_what_was_before_and_what_is_new() -> None:
    messages = [ChatMessage("system", "Be brief."), *said("one", "1", "two"), ChatMessage("system", "Be kind.")]
    chat = chat_of([*messages, ChatMessage("user", "three")])
    assert chat == ChatRequest(
        "Be brief.", said("one", "1"), (ChatMessage("user", "two"), ChatMessage("user", "three")), "Be kind."
    )
    assert chat.text == "two\n\nthree"


def test_empty_messages_and_results_of_tools_are_nothing_that_was_said() -> None:
    messages = [
        *said("one", ""),
        ChatMessage("tool", "result"),
        ChatMessage("assistant", "1"),
        ChatMessage("user", "two"),
    ]
    assert chat_of(messages).before == said("one", "1")


@pytest.mark.parametrize(
    ("text", "title"),
    [("Hello\n you", "Hello you"), ("x" * 90, "x" * 59 + "…"), ("a\x00b\x1b", "a b"), ("", "")],
)
def test_a_title_is_one_short_line(text: str, title: str) -> None:
    assert chat_of([ChatMessage("user", text)]).title == title


def test_the_same_words_have_the_same_key_however_they_are_spaced() -> None:
    assert place_key("ann", asked(), said("one\n\ntwo ", "1")) == place_key("ann", asked(), said("one two", " 1"))


def test_other_words_other_people_and_other_agents_have_other_keys() -> None:
    one = said("one", "1")
    keys = [
        place_key("ann", asked(), one),
        place_key("bob", asked(), one),
        place_key("ann", asked(user="x"), one),
        place_key("ann", asked(model="other"), one),
        place_key("ann", asked(), said("one", "2")),
        place_key("ann", asked(), said("one1", "")),
        place_key("ann", asked(), said("one")),
        thread_key("ann", asked(), "thr_1"),
        thread_key("bob", asked(), "thr_1"),
        request_key("ann", asked(), ""),
        request_key("ann", asked(thread_id="x"), ""),
        request_key("ann", asked(), "k"),
        request_key("bob", asked(), "k"),
    ]
    assert len(set(keys)) == len(keys)


def test_a_named_request_is_the_same_whatever_it_says() -> None:
    assert request_key("ann", asked(), "k") == request_key("ann", asked(user="x"), "k")


# -------------------------------------------------------------------------------------------------------------- noted


def test_notes_are_read_as_they_were_made() -> None:
    position = ClientPosition("thr_1", 7, digest("x"), "run_1", "approval:t", ("a", "b"), "May I?")
    assert read_spot(note_position(position)) == position
    posted = Posted("thr_1", "msg_1", system=True, before=False)
    assert read_posted(note_posted(posted)) == posted
    posted = Posted("thr_1", "msg_1", answered=position, at_s=7.5)
    assert read_posted(note_posted(posted)) == posted
    for mark in (ConversationMark(position), ConversationMark(position, "msg_1", 7.5)):
        assert read_mark(note_mark(mark)) == mark
    assert note_mark(ConversationMark(position)) == note_position(position), (
        "as it was noted before anybody could say so"
    )


@pytest.mark.parametrize("noted", ["[]", "{}", '{"thread_id": "thr_1"}'])
def test_notes_of_another_version_are_none(noted: str) -> None:
    assert (read_spot(noted), read_posted(noted), read_mark(noted)) == (None, None, None)


def test_a_note_always_fits() -> None:
    long = "🙂" * 5000
    position = ClientPosition("t" * 128, 2**53, digest(long), "r" * 128, "q" * 512, ("🙂" * 300, "🙂" * 300), long)
    assert len(note_position(position).encode()) <= BOOKMARK_BYTES
    assert len(note_mark(ConversationMark(position, "m" * 128, 2.0**33 + 0.1)).encode()) <= BOOKMARK_BYTES
    assert len(note_posted(Posted("t" * 128, "m" * 128, answered=position)).encode()) <= BOOKMARK_BYTES
    short = read_spot(note_position(ClientPosition("t", 1, choices=(long,))))
    assert short is not None
    assert short.choices == ()
