"""Scripts for fake services."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sulla.core.errors import InvalidInput
from tests.servers.script import Asked, Failure, Reply, Rule, Script, ToolUse, parse_script


def test_the_first_rule_that_fits_is_used() -> None:
    script = Script(
        [Rule(Reply("tool"), text="weather", results=0), Rule(Reply("sunny"), text="weather"), Rule(Reply("else"))]
    )
    assert script.answer(Asked("the weather?", 0)) == Reply("tool")
    assert script.answer(Asked("the weather?", 2)) == Reply("sunny")
    assert script.answer(Asked("hello", 0)) == Reply("else")


def test_the_same_question_gets_the_same_answer() -> None:
    script = Script([Rule(Reply("a"), results=0), Rule(Reply("b"))])
    assert [script.answer(Asked("x", 0)) for _ in range(3)] == [Reply("a")] * 3


def test_a_rule_may_wear_out() -> None:
    script = Script([Rule(Failure(529), times=2), Rule(Reply("at last"))])
    assert [script.answer(Asked("x", 0)) for _ in range(3)] == [Failure(529), Failure(529), Reply("at last")]


def test_a_question_that_no_rule_fits_is_an_error() -> None:
    with pytest.raises(InvalidInput, match="'what'"):
        Script([Rule(Reply("a"), text="else")]).answer(Asked("what", 0))


def test_a_script_can_be_a_file() -> None:
    script = parse_script(
        b"""{"rules": [
          {"text": "busy", "times": 1, "fail": {"status": 529, "retry_after": "3"}},
          {"text": "busy", "results": 0,
           "reply": {"text": "look", "tools": [{"name": "t", "args": {"a": 1}}], "delay_s": 0.5}},
          {"reply": {"text": "done", "hold": "gate", "hold_after": 2}}
        ]}"""
    )
    assert script.answer(Asked("busy?", 0)) == Failure(529, retry_after="3")
    assert script.answer(Asked("busy?", 0)) == Reply("look", tools=(ToolUse("t", {"a": 1}),), delay_s=0.5)
    assert script.answer(Asked("busy?", 1)) == Reply("done", hold="gate", hold_after=2)


def test_the_example_in_the_documentation_is_a_script() -> None:
    page = (Path(__file__).parents[2] / "docs/inside/providers.md").read_text()
    (example,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    script = parse_script(example.encode())
    assert script.answer(Asked("the weather?", 0)) != script.answer(Asked("the weather?", 1))
    assert script.answer(Asked("busy", 0)) == Failure(529, retry_after="1")


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        (b"{", "not JSON"),
        (b"[]", "rules"),
        (b'{"rules": [{}]}', "rule 0"),
        (b'{"rules": [{"reply": {}}, {"reply": {}, "fail": {"status": 1}}]}', "rule 1"),
        (b'{"rules": [{"reply": {"txt": ""}}]}', "no 'txt'"),
        (b'{"rules": [{"fail": {}}]}', "status"),
        (b'{"rules": [{"reply": {"tools": [{"name": "t"}]}}]}', "args"),
        (b'{"rules": [{"reply": {"tools": 7}}]}', "tools"),
        (b'{"rules": [{"reply": 7}]}', "expected an object"),
        (b'{"rules": [{"reply": {}, "when": 1}]}', "no 'when'"),
    ],
)
def test_a_file_that_is_no_script_says_where(raw: bytes, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        parse_script(raw)
