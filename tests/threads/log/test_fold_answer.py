"""What a run that a playbook asked owes it, and that a head keeps all of it."""

from __future__ import annotations

import orjson
import pytest

from sulla.core.ids import ThreadId
from sulla.threads.log import records as f
from sulla.threads.log.fold_answer import NO_ANSWER
from sulla.threads.log.plays import AnswerGiven, OwedAnswer, Question
from tests.threads.log.kept_log import CALL, Log

PLAYBOOK = ThreadId("thr_play")
QUESTION = Question(PLAYBOOK, "ask:1", "reply", "say it", {"type": "object"})


def asked(*, tainted: bool = False) -> Log:
    log = Log()
    log.start(log.say(QUESTION, tainted=tainted))
    return log


def test_an_answer_is_owed_with_what_it_took_and_only_once_its_run_is_over() -> None:
    log = asked(tainted=True)
    log.reply("reply", {"reply": "green"})
    log.decide(f.ToolCallResult(CALL, "Passed on."))
    assert log.state.links.owes == {}
    log.finish(2)
    owed = OwedAnswer(PLAYBOOK, "ask:1", '{"reply":"green"}', False, 34, 9, tainted=True)
    assert log.state.links.owes == {"ask:1": owed}
    log.decide(AnswerGiven("ask:1"))
    assert log.state.links.owes == {}


@pytest.mark.parametrize("tool", ["reply", "other"])
def test_an_answer_that_was_refused_and_a_call_of_something_else_are_none(tool: str) -> None:
    log = asked()
    log.reply(tool, {"reply": 5})
    log.decide(f.ToolCallResult(CALL, "reply: expected a string", is_error=tool == "reply"))
    log.finish(2)
    (owed,) = log.state.links.owes.values()
    assert (owed.is_error, owed.text) == (True, NO_ANSWER)


def test_an_answer_whose_call_has_no_result_yet_is_none() -> None:
    log = asked()
    log.reply("reply", {"reply": "green"})
    log.finish(2, f.Outcome("cancelled", reason="interrupted"))
    (owed,) = log.state.links.owes.values()
    assert (owed.is_error, owed.text) == (True, "interrupted")


def test_a_run_that_nobody_asked_anything_owes_nothing() -> None:
    log = Log()
    log.start(log.say())
    log.reply("reply", {"reply": "green"})
    log.decide(f.ToolCallResult(CALL, "Passed on."))
    log.finish(2)
    assert log.state.links.owes == {}


def test_what_is_owed_is_json_as_the_model_gave_it() -> None:
    log = asked()
    log.reply("reply", {"ä": [1, {"b": None}]})
    log.decide(f.ToolCallResult(CALL, "Passed on."))
    log.finish(2)
    assert orjson.loads(log.state.links.owes["ask:1"].text) == {"ä": [1, {"b": None}]}
