"""The intents of an agent's file: what each leads to, and where a slip of the pen stands."""

from __future__ import annotations

import pytest

from sulla.core.errors import InvalidInput
from sulla.definitions.agent_file import read_agent
from sulla.definitions.intents import Intent


def read(text: str) -> tuple[Intent, ...]:
    return read_agent("boss", {"agent.toml": text}).intents


def test_each_has_its_phrases_and_leads_somewhere() -> None:
    text = """
        [[intents]]
        phrases = ["water  the roses", "mow"]
        phrase = "prune"
        to = "agent:gardener"
        [[intents]]
        phrase = "what is there"
        to = "tool: list_dir"
        args = {path = "inbox"}
        [[intents]]
        phrase = "opening hours"
        text = " From nine to five. "
    """
    assert read(text) == (
        Intent(("prune", "water the roses", "mow"), "agent", "gardener"),
        Intent(("what is there",), "tool", "list_dir", {"path": "inbox"}),
        Intent(("opening hours",), "text", "From nine to five."),
    )
    assert [intent.leads_to for intent in read(text)] == ["the agent gardener", "the tool list_dir", "a fixed text"]
    assert read("") == ()


def test_an_agent_with_intents_can_be_a_key() -> None:
    intent = Intent(("x",), "tool", "t", {"a": [1]})
    assert {intent: 1}[Intent(("x",), "tool", "t", {"a": [1]})] == 1


@pytest.mark.parametrize(
    ("intent", "said"),
    [
        (
            'phrase = "x", to = "agnet:x"',
            "agent.toml:1:1: intents[1].to is 'agnet:x'; expected 'agent:ID', 'tool:NAME' or",
        ),
        ('phrase = "x", to = "agnet:x"', "Did you mean 'agent'?"),
        ('phrase = "x", to = "agent:"', "intents[1].to is 'agent:'"),
        ('phrase = "x", to = "agent:*"', "intents[1].to is 'agent:*'"),
        ('phrase = "x", to = 7', "intents[1].to is 7"),
        (
            'phrase = "x", too = "agent:x"',
            "there is no setting 'too'. Did you mean 'to'? Known: phrase, phrases, to, args",
        ),
        ('phrase = "x"', "intents[1]: expected either `to`, which leads to something, or `text`"),
        ('phrase = "x", to = "agent:x", text = "y"', "intents[1]: expected either `to`"),
        ('to = "agent:x"', "intents[1] has 0 phrases; expected 1 to 50"),
        ('phrase = "?!", to = "agent:x"', "intents[1].phrase has '?!'; expected words of at most 200 characters"),
        ('phrases = ["x", 1], to = "agent:x"', "intents[1].phrases has 1; expected words"),
        ('phrase = "x", text = " "', "intents[1].text is ' '; expected a text"),
        ('phrase = "x", text = "y", args = {a = 1}', "intents[1].args is {'a': 1}; expected a table, and a tool or"),
        ('phrase = "x", to = "tool:t", args = 1', "intents[1].args is 1"),
        ('phrase = "x", text = "y"}, 1, {phrase = "z", text = "z"', "intents[2] is 1; expected a table"),
    ],
)
def test_what_is_wrong_is_told_with_its_place_and_what_was_expected(intent: str, said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read(f"intents = [{{{intent}}}]")
    assert said in str(refused.value)


def test_what_is_no_list_is_refused() -> None:
    with pytest.raises(InvalidInput, match="intents is 'x'; expected at most 100 tables"):
        read('intents = "x"')


def test_of_two_intents_with_the_same_phrase_the_first_has_it_and_that_is_told() -> None:
    text = 'intents = [{phrase = "x", text = "y"}, {phrases = ["X", "z"], text = "w"}, {phrase = "Z", text = "v"}]'
    agent = read_agent("boss", {"agent.toml": text})
    assert [(intent.phrases, intent.to) for intent in agent.intents] == [(("x",), "y"), (("z",), "w")]
    assert agent.warnings == (
        "agent.toml:1:1: intents[2] has the phrase 'X' of intents[1], which has it alone",
        "agent.toml:1:1: intents[3] has the phrase 'Z' of intents[2], which has it alone",
    )
