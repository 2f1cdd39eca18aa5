from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from sulla.core.jsontypes import Json
from sulla.playbooks.definition import (
    AgentStep,
    ConditionStep,
    HumanStep,
    Kind,
    MergeStep,
    PlaybookStep,
    PromptStep,
    RespondStep,
    RouterStep,
    Template,
    ToolStep,
    WaitStep,
)
from sulla.playbooks.machine.decide import NO, YES
from sulla.playbooks.machine.moves import (
    MAX_ASKED,
    MAX_ROUNDS,
    AskAgent,
    AskModel,
    AskPerson,
    AwaitTime,
    CallTool,
    Complete,
    Decide,
    Fail,
    Move,
    MoveNote,
    RunPlaybook,
    SetToWork,
    TellThread,
    move_of,
)
from sulla.playbooks.plans.plan import plan_schema

T = Template("as the fact gives it")


def agent(verdict: str, notes: str = "", **more: Json) -> MoveNote:
    return MoveNote("agent", {"verdict": verdict, **({"notes": notes} if notes else {}), **more})


def person(value: Json) -> MoveNote:
    return MoveNote("person", value)


def worked(value: Json) -> MoveNote:
    return MoveNote("work", value)


def after(does: Kind, given: dict[str, Any], *notes: MoveNote) -> Move:
    return move_of(does, given, notes)


def failed(move: Move) -> tuple[str, str]:
    assert isinstance(move, Fail), move
    return move.failure.kind, move.failure.reason


# ------------------------------------------------------------------------------------------------- kinds of one move


@pytest.mark.parametrize(
    ("does", "given", "move"),
    [
        (WaitStep(T), {"until_ms": 1}, AwaitTime()),
        (MergeStep(), {}, AwaitTime()),
        (PlaybookStep("inner"), {"args": {"a": 1}}, RunPlaybook("inner", {"a": 1})),
        (PlaybookStep("inner"), {}, RunPlaybook("inner", {})),
        (RespondStep(T), {"text": "hello"}, TellThread("hello")),
        (
            RouterStep(T, {"a": "an a", "b": "a b"}),
            {"question": "Which?"},
            AskModel("Which?", {"a": "an a", "b": "a b"}),
        ),
        (ToolStep("send"), {"args": {"to": "x"}}, CallTool("send", {"to": "x"})),
        (ToolStep("send"), {}, CallTool("send", {})),
    ],
)
def test_most_kinds_are_one_move(does: Kind, given: dict[str, Any], move: Move) -> None:
    assert after(does, given) == move


def test_a_condition_that_asks_is_a_choice_of_yes_and_no() -> None:
    move = after(ConditionStep(question=T), {"question": "Is it so?"})
    assert isinstance(move, AskModel)
    assert (move.question, set(move.choices)) == ("Is it so?", {YES, NO})


def test_a_prompt_asks_the_agent_for_its_reply_and_takes_it() -> None:
    does = PromptStep(T)
    move = after(does, {"text": "What do you think?"})
    assert isinstance(move, AskAgent)
    assert (move.number, move.text, move.tool) == (0, "What do you think?", "reply")
    assert after(does, {"text": "?"}, MoveNote("agent", {"reply": "Fine."})) == Complete("Fine.")


# ------------------------------------------------------------------------------------------------------------- people


def test_an_approval_asks_for_yes_or_no() -> None:
    assert after(HumanStep(T), {"question": "Shall I?"}) == AskPerson(0, "Shall I?", (), yes_or_no=True)


@pytest.mark.parametrize("answer", [True, False, YES, NO])
def test_an_approval_takes_yes_and_no(answer: Json) -> None:
    assert after(HumanStep(T), {"question": "Shall I?"}, person(answer)) == Decide(answer)


@pytest.mark.parametrize("answer", ["perhaps", "Yes!", "yes please", "", 1, None])
def test_an_approval_that_is_answered_otherwise_is_asked_again_with_the_reason(answer: Json) -> None:
    move = after(HumanStep(T), {"question": "Shall I?"}, person(answer))
    assert isinstance(move, AskPerson)
    assert (move.number, move.yes_or_no) == (1, True)
    assert move.text.startswith("Shall I?\n")
    assert "expected exactly one of 'yes', 'no'" in move.text


def test_a_choice_of_a_person_offers_its_names_and_takes_one() -> None:
    does = HumanStep(T, choices=("red", "blue"))
    assert after(does, {"question": "Which?"}) == AskPerson(0, "Which?", ("red", "blue"))
    assert after(does, {"question": "Which?"}, person("blue")) == Decide("blue")


def test_a_choice_that_is_none_of_the_names_is_asked_again() -> None:
    does = HumanStep(T, choices=("red", "blue"))
    move = after(does, {"question": "Which?"}, person("Blueish"))
    assert isinstance(move, AskPerson)
    assert move.choices == ("red", "blue")
    assert "expected exactly one of 'red', 'blue'; the answer was 'Blueish'" in move.text


@pytest.mark.parametrize("answer", [True, False])
def test_yes_and_no_are_no_answer_where_other_names_are_offered(answer: bool) -> None:
    move = after(HumanStep(T, choices=("red", "blue")), {"question": "Which?"}, person(answer))
    assert isinstance(move, AskPerson)
    assert move.number == 1


def test_free_text_is_taken_as_it_is() -> None:
    does = HumanStep(T, input={"type": "string"})
    assert after(does, {"question": "Name?"}, person("12")) == Decide("12")


def test_a_schema_is_shown_and_json_is_read() -> None:
    does = HumanStep(T, input={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
    move = after(does, {"question": "How many?"})
    assert isinstance(move, AskPerson)
    assert '"n": a whole number' in move.text
    assert after(does, {"question": "How many?"}, person('{"n": 3}')) == Decide({"n": 3})


@pytest.mark.parametrize("answer", ['{"n": "three"}', "three", "{", "[]", "null"])
def test_what_does_not_fit_the_schema_is_asked_again(answer: str) -> None:
    does = HumanStep(T, input={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
    move = after(does, {"question": "How many?"}, person(answer))
    assert isinstance(move, AskPerson)
    assert (move.number, "did not fit" in move.text) == (1, True)


def test_only_the_latest_answer_counts() -> None:
    does = HumanStep(T, choices=("red", "blue"))
    assert after(does, {"question": "?"}, person("green"), person("red")) == Decide("red")


def test_a_person_whose_answers_never_fit_is_asked_so_often_and_no_more() -> None:
    does, notes = HumanStep(T, choices=("red", "blue")), [person("green")] * (MAX_ASKED + 1)
    numbers = []
    for count in range(MAX_ASKED + 1):
        move = after(does, {"question": "?"}, *notes[:count])
        assert isinstance(move, AskPerson)
        numbers.append(move.number)
    assert numbers == list(range(MAX_ASKED + 1)), "each is a new question: an answer to the one before counts for none"
    assert failed(after(does, {"question": "?"}, *notes)) == ("permanent", "no_answer")


# ------------------------------------------------------------------------------------------------- checked arguments

CHECKED = ToolStep("send", {}, "orchestrator")
ARGS: dict[str, Any] = {"args": {"to": "ann"}}


def test_a_checked_call_is_shown_to_the_agent_first() -> None:
    move = after(CHECKED, ARGS)
    assert isinstance(move, AskAgent)
    assert (move.number, move.tool) == (0, "check_call")
    assert 'send with {"to": "ann"}' in move.text
    assert "verdict" in str(move.schema["required"])
    assert "args" not in str(move.schema["required"])


def test_a_confirmed_call_is_made_as_it_was() -> None:
    assert after(CHECKED, ARGS, agent("confirm")) == CallTool("send", {"to": "ann"}, 1)


def test_an_edited_call_is_made_with_the_other_arguments() -> None:
    assert after(CHECKED, ARGS, agent("edit", args={"to": "bob"})) == CallTool("send", {"to": "bob"}, 1)


@pytest.mark.parametrize("more", [{}, {"args": None}, {"args": "bob"}, {"args": ["bob"]}])
def test_an_edit_without_arguments_makes_no_call(more: dict[str, Any]) -> None:
    assert failed(after(CHECKED, ARGS, agent("edit", **more))) == ("llm_error", "no_arguments")


def test_a_refused_call_is_not_made_and_says_why() -> None:
    move = after(CHECKED, ARGS, agent("refuse", "she asked not to be written to"))
    assert failed(move) == ("human_rejected", "refused")
    assert isinstance(move, Fail)
    assert "she asked not to be written to" in move.failure.message


@pytest.mark.parametrize("value", [None, "confirm", {}, {"verdict": "sure"}, ["confirm"]])
def test_an_answer_that_is_no_verdict_makes_no_call(value: Json) -> None:
    assert failed(after(CHECKED, ARGS, MoveNote("agent", value)))[1] == "refused"


# ------------------------------------------------------------------------------------------------------------- agents

PLAIN = AgentStep(T, "writer", tools=("read",))
TASK: dict[str, Any] = {"prompt": "Write it."}


def test_an_agent_is_set_to_work_and_its_result_is_the_output() -> None:
    assert after(PLAIN, TASK) == SetToWork(0, "writer", "Write it.", ("read",))
    assert after(PLAIN, TASK, worked("Here.")) == Complete("Here.")


def test_what_counts_as_done_is_told_to_the_agent() -> None:
    move = after(PLAIN, {**TASK, "success": "it rhymes"})
    assert isinstance(move, SetToWork)
    assert "It is done when: it rhymes" in move.text


BEFORE = AgentStep(T, before=T)
BEFORE_TASK = {**TASK, "before": "Is this wise?"}


def test_the_orchestrator_is_asked_before() -> None:
    move = after(BEFORE, BEFORE_TASK)
    assert isinstance(move, AskAgent)
    assert (move.number, move.tool) == (0, "review_before")
    assert "Is this wise?" in move.text
    assert "Write it." in move.text


def test_go_sets_the_agent_to_work_and_notes_are_added() -> None:
    assert after(BEFORE, BEFORE_TASK, agent("go")) == SetToWork(1, "", "Write it.", None)
    move = after(BEFORE, BEFORE_TASK, agent("go_with_notes", "be brief"))
    assert isinstance(move, SetToWork)
    assert move.text == "Write it.\n\nThe orchestrator adds: be brief"


def test_before_may_ask_a_person_whose_answer_the_agent_is_told() -> None:
    asked = agent("ask", "For whom?")
    assert after(BEFORE, BEFORE_TASK, asked) == AskPerson(1, "For whom?")
    move = after(BEFORE, BEFORE_TASK, asked, person("for Ann"))
    assert isinstance(move, SetToWork)
    assert (move.number, "'For whom?', a person answered: for Ann" in move.text) == (2, True)


def test_a_question_without_words_is_still_one() -> None:
    assert after(BEFORE, BEFORE_TASK, agent("ask")) == AskPerson(1, "What is to be done?")


AFTER = AgentStep(T, after=T)
AFTER_TASK = {**TASK, "after": "Is it good?"}


def test_the_orchestrator_sees_the_result_and_what_counts_as_done() -> None:
    move = after(AFTER, {**AFTER_TASK, "success": "it rhymes"}, worked("A poem."))
    assert isinstance(move, AskAgent)
    assert (move.number, move.tool) == (1, "review_after")
    for words in ("Is it good?", "it rhymes", "A poem."):
        assert words in move.text


def test_what_is_approved_is_the_output() -> None:
    assert after(AFTER, AFTER_TASK, worked("A poem."), agent("approve")) == Complete("A poem.")


def test_what_is_to_be_better_is_done_again_with_the_notes_and_what_was_there() -> None:
    move = after(AFTER, AFTER_TASK, worked("A poem."), agent("retry", "shorter"))
    assert isinstance(move, SetToWork)
    assert move.number == 2
    for words in ("Write it.", "shorter", "A poem."):
        assert words in move.text
    assert after(AFTER, AFTER_TASK, worked("1"), agent("retry"), worked("2"), agent("approve")) == Complete("2")


def test_after_may_ask_a_person_and_is_asked_again_with_the_answer() -> None:
    notes = [worked("A poem."), agent("ask", "Does she like poems?")]
    assert after(AFTER, AFTER_TASK, *notes) == AskPerson(2, "Does she like poems?")
    move = after(AFTER, AFTER_TASK, *notes, person("very much"))
    assert isinstance(move, AskAgent)
    assert (move.number, move.tool) == (3, "review_after")
    assert "very much" in move.text
    assert after(AFTER, AFTER_TASK, *notes, person("very much"), agent("approve")) == Complete("A poem.")


def test_work_is_done_again_so_often_and_no_more() -> None:
    rounds: list[MoveNote] = []
    for _ in range(MAX_ROUNDS + 1):
        assert isinstance(after(AFTER, AFTER_TASK, *rounds), SetToWork)
        rounds += [worked("A poem."), agent("retry", "better")]
    assert failed(after(AFTER, AFTER_TASK, *rounds)) == ("permanent", "not_approved")


def test_before_and_after_together() -> None:
    both, given = AgentStep(T, before=T, after=T), {**BEFORE_TASK, **AFTER_TASK}
    notes = [agent("go_with_notes", "be brief"), worked("1"), agent("retry", "more"), worked("2"), agent("approve")]
    kinds = [type(after(both, given, *notes[:count])) for count in range(len(notes) + 1)]
    assert kinds == [AskAgent, SetToWork, AskAgent, SetToWork, AskAgent, Complete]
    again = after(both, given, *notes[:3])
    assert isinstance(again, SetToWork)
    assert "be brief" in again.text, "what was said before holds for every round"


@pytest.mark.parametrize(
    "notes", [(), (agent("go"),), (agent("go"), worked("1")), (agent("go"), worked("1"), agent("retry"))]
)
def test_the_number_of_a_move_tells_it_from_every_other_one(notes: Sequence[MoveNote]) -> None:
    move = after(AgentStep(T, before=T, after=T), {**BEFORE_TASK, **AFTER_TASK}, *notes)
    assert isinstance(move, AskAgent | SetToWork)
    assert move.number == len(notes)


# -------------------------------------------------------------------------------------------------------- its result

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"facts": {"type": "array"}}, "required": ["facts"]}
SHAPED = AgentStep(T, output=SCHEMA)


def test_the_schema_is_told_to_the_agent() -> None:
    move = after(SHAPED, TASK)
    assert isinstance(move, SetToWork)
    assert json.dumps(SCHEMA) in move.text


@pytest.mark.parametrize(
    "said",
    [
        '{"facts": [1]}',
        '  {"facts": [1]}\n',
        '```json\n{"facts": [1]}\n```',
        '```\n{"facts": [1]}\n```',
        '{"facts":\n[1]}',
    ],
)
def test_json_is_read_also_where_it_stands_in_a_block_of_code(said: str) -> None:
    assert after(SHAPED, TASK, worked(said)) == Complete({"facts": [1]})


@pytest.mark.parametrize(
    "said",
    [
        "",
        "I found nothing.",
        'Here: {"facts": [1]}',
        '{"facts": 1}',
        "{}",
        "[1]",
        '```json\n{"facts": 1}\n```',
        "``````",
    ],
)
def test_what_is_not_what_was_asked_for_fails_in_a_way_that_may_be_tried_again(said: str) -> None:
    again = after(SHAPED, TASK, worked(said))
    assert isinstance(again, SetToWork)
    assert "the answer cannot be used: the result is not" in again.text
    assert failed(after(SHAPED, TASK, worked(said), worked(said))) == ("llm_error", "output")


WORDS = AgentStep(T, output={"enum": ["web", "app", "other"]})


def test_an_agent_is_told_in_plain_words_that_the_word_stands_in_double_quotes() -> None:
    move = after(WORDS, TASK)
    assert isinstance(move, SetToWork)
    assert 'one of these words alone, in double quotes: "web" or "app" or "other"' in move.text


@pytest.mark.parametrize("said", ['"web"', "web", "Web.", "'web'", "`web`", "```\nweb\n```", '"web".', '"\\u0077eb"'])
def test_a_bare_word_is_taken_where_the_whole_answer_is_one_that_was_asked_for(said: str) -> None:
    assert after(WORDS, TASK, worked(said)) == Complete("web")


@pytest.mark.parametrize("said", ["I would say web", "web app", "webs", "web, app", "", "[web]"])
def test_nothing_is_guessed_of_a_bare_word_and_the_agent_is_told_what_to_write(said: str) -> None:
    again = after(WORDS, TASK, worked(said))
    assert isinstance(again, SetToWork)
    assert 'expected "web" or "app" or "other", with its double quotes' in again.text
    assert failed(after(WORDS, TASK, worked(said), worked(said))) == ("llm_error", "output")


def test_an_answer_that_fits_the_second_time_is_the_result() -> None:
    assert after(SHAPED, TASK, worked("no"), worked('{"facts": [1]}')) == Complete({"facts": [1]})


def test_a_long_result_that_does_not_fit_is_told_in_short() -> None:
    again = after(SHAPED, TASK, worked("x" * 100_000))
    assert isinstance(again, SetToWork)
    assert len(again.text) < 10_000
    assert "(cut)" in again.text
    move = after(SHAPED, TASK, worked("x" * 100_000), worked("x" * 100_000))
    assert isinstance(move, Fail)
    assert len(move.failure.message) < 600


def test_a_plan_is_judged_beyond_its_schema_and_told_what_is_wrong() -> None:
    plan = AgentStep(T, output=plan_schema(["writer"]))
    ring = {"tasks": [{"id": "a", "title": "A", "depends_on": ["b"]}, {"id": "b", "title": "B", "depends_on": ["a"]}]}
    again = after(plan, TASK, worked(json.dumps(ring)))
    assert isinstance(again, SetToWork)
    assert "tasks depend on each other in a ring: a -> b -> a" in again.text
    stranger = {"tasks": [{"id": "a", "title": "A", "agent": "digger"}]}
    move = after(plan, TASK, worked(json.dumps(ring)), worked(json.dumps(stranger)))
    assert isinstance(move, Fail)
    assert "'writer'" in move.failure.message
    good: Json = {"tasks": [{"id": "a", "title": "A", "agent": "writer"}]}
    assert after(plan, TASK, worked(json.dumps(ring)), worked(json.dumps(good))) == Complete(good)
