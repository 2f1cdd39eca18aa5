from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.agent.input.said import MOST_CHARS
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.match import ChatTrigger, chat_triggers, matching


def about(*texts: str) -> tuple[ChatTrigger, ...]:
    return tuple(ChatTrigger(f"p{number}", text, "", {}) for number, text in enumerate(texts))


@pytest.mark.parametrize(
    ("trigger", "message"),
    [
        ("a new lead", "We have a new lead: Ann of Example Ltd"),
        ("a new lead", "NEW LEADS came in today, look at the list"),
        ("a new lead", "Lead, new, from the form"),
        ("the weekly report", "please write this week's weekly report."),
        ("neuer Kunde", "Ein NEUER Kunde hat angerufen"),
        ("\uff30\uff32 review", "could you do a PR review of #12?"),
        ("access to the boss", "the boss wants access"),
    ],
)
def test_a_message_with_all_the_words_of_a_trigger_is_about_it(trigger: str, message: str) -> None:
    assert [found.about for found in matching(message, about(trigger))] == [trigger]


@pytest.mark.parametrize(
    ("trigger", "message"),
    [
        ("a new lead", "what is new?"),
        ("a new lead", "a newly misleading text"),
        ("a new lead", ""),
        ("is this about it", "is this about it"),
        ("", "anything"),
        ("bos", "the boss"),
        ("gas", "ga"),
    ],
)
def test_fewer_words_parts_of_words_and_small_words_are_nothing(trigger: str, message: str) -> None:
    assert matching(message, about(trigger)) == ()


@pytest.mark.parametrize(
    "message",
    [
        "Please do NOT water the roses today, it rained.",
        "don't water the roses",
        "Don\u2019t water the roses!",
        "dont water the roses",
        "never water the roses",
        "Stop watering; the water for the roses is not needed",
        "No water for the roses",
        "It rained. The roses need no water.",
        "Bitte nicht: water the roses",
        "Water the roses? No!",
        "We should water nothing of the roses",
        "water none of the roses",
        "there is nothing to water on the roses",
        "Don\u02bct water the roses",
        "Water the roses. Just kidding, don't do that",
        "Water the roses. Now! Don't do it, please.",
        "Water the roses. Just kidding!",
        "Water the roses. Forget that, please.",
        "Water the roses, just kidding",
        "Water the roses. Sorry, not yet.",
        "Die Rosen: water the roses. Bitte mach das doch nicht.",
        'what does "water the roses" mean?',
        "> water the roses\nwho wrote that?",
        "```\nwater the roses\n```",
    ],
)
def test_what_says_no_or_is_quoted_starts_nothing(message: str) -> None:
    assert matching(message, about("water the roses")) == ()


@pytest.mark.parametrize(
    ("trigger", "message"),
    [
        ("water the roses", "It did not rain. Water the roses."),
        ("water the roses", "Don't do that. Water the roses."),
        ("water the roses", "Water the roses. Don't forget the tulips."),
        ("water the roses", "Water the roses. Don't forget it, please."),
        ("water the roses", "Water the roses. I do not want them to die."),
        ("water the roses", "knot the hose and water the roses"),
        ("do not disturb", "Do not disturb me"),
        ("stop the pump", "please stop the pump"),
    ],
)
def test_a_no_elsewhere_or_in_the_trigger_itself_is_none(trigger: str, message: str) -> None:
    assert [found.about for found in matching(message, about(trigger))] == [trigger]


def test_each_playbook_counts_once_and_in_the_order_given() -> None:
    triggers = (
        ChatTrigger("b", "new lead", "", {}),
        ChatTrigger("a", "lead", "", {}),
        ChatTrigger("b", "lead", "", {"n": 1}),
        ChatTrigger("c", "invoice", "", {}),
    )
    assert [(found.playbook, found.about) for found in matching("a lead", triggers)] == [("a", "lead"), ("b", "lead")]
    assert [found.about for found in matching("a new lead", triggers)] == ["new lead", "lead"]


def test_only_the_beginning_of_a_long_message_is_looked_at() -> None:
    assert matching("x " * MOST_CHARS + "new lead", about("new lead")) == ()


@given(st.text(max_size=200), st.text(max_size=40))
def test_any_text_is_matched_by_itself_or_by_nothing_and_always_alike(message: str, trigger: str) -> None:
    found = matching(message, about(trigger))
    assert found == matching(message, about(trigger))
    assert matching(f"{message} {trigger}", about(trigger)) in ((), about(trigger))
    if found:
        assert matching(f"{message} {message}", about(trigger)) == found


def test_one_that_lacks_inputs_is_left_to_the_agent() -> None:
    def text(name: str, on: str) -> str:
        return f"name: {name}\non: {on}\ninputs: {{lead: string}}\nsteps: [{{id: s, respond: hi}}]\n"

    lacking = check_playbook(text("lacking", "{chat: a lead}")).definition
    whole = check_playbook(text("whole", "[manual, {chat: a lead, inputs: {lead: x}}]")).definition
    assert lacking is not None
    assert whole is not None
    assert chat_triggers([lacking, whole]) == (ChatTrigger("whole", "a lead", "", {"lead": "x"}),)
