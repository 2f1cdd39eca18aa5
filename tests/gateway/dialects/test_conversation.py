"""Of what a client tells of a conversation, only what is news is passed on."""

from __future__ import annotations

from typing import Any

import pytest

from sulla.gateway.commands import Event
from sulla.gateway.dialects.conversation import ChatMessage, ChatRequest, digest, moved_on, words_for
from sulla.gateway.dialects.insertions import PassedOn
from sulla.gateway.dialects.openai.conversation import chat_of
from sulla.rpc.limits import TEXT_CHARS


def said(*words: str) -> tuple[ChatMessage, ...]:
    """Messages by turns, the user's first."""
    return tuple(ChatMessage("assistant" if place % 2 else "user", text) for place, text in enumerate(words))


def test_only_what_is_news_is_passed_on() -> None:
    chat = ChatRequest("Be brief.", said("one", "1"), said("two"))
    assert words_for(chat, system=False, before=False) == PassedOn("two")
    whole = words_for(chat, system=True, before=True)
    assert [part in whole.text for part in ("Be brief.", "The message:\n\ntwo")] == [True] * 2
    assert whole.text[-whole.said_chars :] == "two"
    assert "Be brief." not in words_for(chat, system=False, before=True).text
    assert words_for(ChatRequest("", (), said("two")), system=True, before=True) == PassedOn("two")


def test_what_was_said_elsewhere_and_what_the_application_shows_are_quoted_and_not_said() -> None:
    chat = ChatRequest("Be brief.", said("one", "1"), said("two"), "The page: Invoices")
    whole = words_for(chat, system=True, before=True)
    assert [part in whole.quoted for part in ("user: one\n\nassistant: 1", "The page: Invoices")] == [True] * 2
    assert [part in whole.text for part in ("one", "Invoices")] == [False] * 2
    assert words_for(chat, system=False, before=False).quoted == ""


def test_of_a_conversation_that_is_not_known_only_the_newest_message_is_said() -> None:
    chat = ChatRequest("", (), (ChatMessage("user", "a planted answer"), ChatMessage("user", "go on")))
    told = words_for(chat, system=True, before=True)
    assert (told.text, "user: a planted answer" in told.quoted) == ("go on", True)
    known = words_for(chat, system=True, before=False)
    assert (known.text, "user: a planted answer" in known.quoted) == ("go on", True)


@pytest.mark.parametrize(
    "planted",
    [
        "<context>of a page",
        '<CONTEXT id="1">of a page</CONTEXT >',
        "< sources >of a page</sources>",
        "<source id=1>of a page",
    ],
)
def test_however_an_insertion_is_written_it_is_quoted(planted: str) -> None:
    told = words_for(ChatRequest("", (), (ChatMessage("user", f"Sum up. {planted}"),)), system=True, before=False)
    assert ("of a page" in told.text, "of a page" in told.quoted) == (False, True)


def test_what_an_application_says_at_the_beginning_is_told_and_what_it_changes_to_is_quoted() -> None:
    chat = ChatRequest("Be brief. It is 10:15.", (), (ChatMessage("user", "hi"),))
    assert "Be brief." in words_for(chat, system=True, before=True).text
    later = words_for(chat, system=True, before=False)
    assert ("Be brief." in later.text, "Be brief." in later.quoted) == (False, True)
    assert not chat.is_news(ChatRequest("Be brief. It is 11:20.", (), ()).application)
    assert chat.is_news(ChatRequest("Be long. It is 10:15.", (), ()).application)


@pytest.mark.parametrize("tag", ["chat_history", "context", "sources"])
def test_what_an_application_puts_into_a_message_is_quoted(tag: str) -> None:
    words = f"### Task: give it a title\n<{tag}>\nASSISTANT: a page's words\n</{tag}>\nIn a line."
    told = words_for(ChatRequest("", (), (ChatMessage("user", words),)), system=True, before=True)
    assert told.text == f"### Task: give it a title\n({tag}: quoted beside this message)\nIn a line."
    assert told.quoted == f"{tag}:\n\nASSISTANT: a page's words"


def test_what_the_application_says_in_the_middle_of_a_conversation_is_quoted() -> None:
    messages = [ChatMessage("system", "Be brief."), *said("one", "1"), ChatMessage("system", "So far: a page's words")]
    chat = chat_of([*messages, ChatMessage("user", "two")])
    assert (chat.system, chat.context) == ("Be brief.", "So far: a page's words")
    assert "a page's words" not in words_for(chat, system=True, before=False).text


def test_of_a_long_conversation_the_newest_is_told() -> None:
    before = said(*[f"{number}: {'x' * 999}" for number in range(300)])
    whole = words_for(ChatRequest("s" * 5000, before, said("y" * 5000)), system=True, before=True).quoted
    assert len(whole) <= TEXT_CHARS
    assert "(What came before is left out.)" in whole
    assert "assistant: 299: x" in whole
    assert whole.index("220: x") < whole.index("299: x")


@pytest.mark.parametrize(
    ("type_", "data", "gone"),
    [
        ("INPUT", {"message_id": "m"}, True),
        ("INPUT", {"message_id": "mine"}, False),
        ("INPUT", {"message_id": "m", "origin": "agent"}, False),
        ("SUMMARY", {}, False),
        ("RUN_STARTED", {}, False),
    ],
)
def test_a_conversation_has_moved_on_when_a_person_has_said_something(
    type_: str, data: dict[str, Any], *, gone: bool
) -> None:
    assert moved_on([Event("thr_1", 5, "run", None, "sulla", 0, type_, 0, data)], but="mine") is gone


def test_a_fingerprint_tells_texts_apart() -> None:
    assert digest("") == ""
    assert len({digest("a"), digest("b"), digest("\ud800")}) == 3


def test_a_conversation_is_called_by_its_newest_message() -> None:
    chat = ChatRequest("", (), (ChatMessage("user", "a planted answer"), ChatMessage("user", "go on")))
    assert chat.title == "go on"
