"""Conditions say yes or no of a turn, are called by their names, and are named where they fail."""

from __future__ import annotations

import re

import pytest

from sulla.core.errors import FlowError, SettingsError
from sulla.core.jsontypes import Json
from sulla.flows.conditions import ConditionRegistry, SessionContext

REGISTRY = ConditionRegistry()


def test_the_seven_of_the_seed_are_there() -> None:
    assert set(REGISTRY.names) == {
        "is_deep_thinking",
        "enable_more_suggest",
        "enable_plan",
        "plan_should_start_execution",
        "task_not_completed",
        "self_check_should_retry",
        "need_summary",
    }


@pytest.mark.parametrize(
    ("name", "context", "holds"),
    [
        ("is_deep_thinking", SessionContext({}, {"deep_thinking": True}), True),
        ("is_deep_thinking", SessionContext({"deep_thinking": True}, {}), False),
        ("enable_plan", SessionContext({"plan": "pro"}, {"plan": True}), True),
        ("enable_plan", SessionContext({}, {"plan": False}), False),
        ("enable_more_suggest", SessionContext({}, {"more_suggest": True}), True),
        ("plan_should_start_execution", SessionContext({}, {}, {"plan": {"status": "start_execution"}}), True),
        ("plan_should_start_execution", SessionContext({}, {}, {"plan": {"status": "need_user_input"}}), False),
        ("plan_should_start_execution", SessionContext({}), False),
        ("task_not_completed", SessionContext({}), True),
        ("task_not_completed", SessionContext({}, {}, {"task_completion_judge": {"status": "in_progress"}}), True),
        ("task_not_completed", SessionContext({}, {}, {"task_completion_judge": {"status": "completed"}}), False),
        ("task_not_completed", SessionContext({}, {}, {"task_completion_judge": {"status": "need_user_input"}}), False),
        ("task_not_completed", SessionContext({}, {}, {"task_completion_judge": {"status": "failed"}}), False),
        ("self_check_should_retry", SessionContext({}), True),
        ("self_check_should_retry", SessionContext({}, {}, {"self_check": {"passed": False}}), True),
        ("self_check_should_retry", SessionContext({}, {}, {"self_check": {"passed": True}}), False),
        ("need_summary", SessionContext({}, answered=True), False),
        ("need_summary", SessionContext({}), True),
    ],
)
def test_each_holds_as_the_seed_says(name: str, context: SessionContext, holds: bool) -> None:
    assert REGISTRY.holds(name, context) is holds


@pytest.mark.parametrize(
    ("name", "value"), [("judge.a", 1), ("tier", "pro"), ("agent_mode", "multi"), ("both", "of a part")]
)
def test_a_variable_is_what_a_part_gave_or_what_was_said_with_the_message(name: str, value: Json) -> None:
    context = SessionContext(
        {"tier": "pro", "both": "said"}, {"agent_mode": "multi"}, {"judge": {"a": 1}, "both": "of a part"}
    )
    assert context.variable(name) == value


def test_a_variable_without_a_value_is_named_with_those_that_have_one() -> None:
    with pytest.raises(FlowError, match=r"'teir' has no value in this turn \(it has: judge, tier\)"):
        SessionContext({"tier": "pro"}, {}, {"judge": 1}).variable("teir")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("judge", "'judge' has several values: name one of them (judge.a, judge.c)"),
        ("check", "'check' has its value under another name: write check.passed"),
        ("judge.b", "'judge.b' has no value in this turn: no 'b' in 'judge', which has: judge.a, judge.c"),
        ("tier.x", "'tier.x' has no value in this turn: no 'x' in 'tier', which is \"pro\""),
    ],
)
def test_a_variable_names_one_value(name: str, said: str) -> None:
    with pytest.raises(FlowError, match=re.escape(said)):
        SessionContext({"tier": "pro"}, {}, {"judge": {"a": 1, "c": 2}, "check": {"passed": True}}).variable(name)


def test_a_condition_that_is_gone_or_says_neither_yes_nor_no_fails_by_name() -> None:
    @ConditionRegistry.register("odd")
    def odd(session_context: SessionContext, session: object = None) -> bool:
        return "yes"  # type: ignore[return-value]  # what is tried

    with pytest.raises(FlowError, match="'odd' gave str; expected True or False"):
        ConditionRegistry([odd]).holds("odd", SessionContext({}))
    with pytest.raises(FlowError, match="'odd' is not there any more"):
        REGISTRY.holds("odd", SessionContext({}))


def test_two_conditions_of_one_name_and_one_without_are_refused() -> None:
    @ConditionRegistry.register("enable_plan")
    def other(session_context: SessionContext, session: object = None) -> bool:
        return True

    with pytest.raises(SettingsError, match="two conditions are called 'enable_plan'"):
        ConditionRegistry([other])
    with pytest.raises(SettingsError, match="mark the function with"):
        ConditionRegistry([len])


def test_a_condition_that_cannot_be_called_as_one_is_refused_with_whose_it_is_and_what_was_expected() -> None:
    @ConditionRegistry.register("late")  # type: ignore[type-var]  # what is tried
    async def late(session_context: SessionContext, session: object = None) -> bool:
        return True

    @ConditionRegistry.register("needs_more")
    def needs_more(session_context: SessionContext, session: object) -> bool:
        return True

    def unmarked(session_context: SessionContext) -> bool:
        return True

    for one, said in (
        (late, "the condition 'late' is async; expected a plain function"),
        (needs_more, "the condition 'needs_more' cannot be called (missing a required argument: 'session')"),
        (unmarked, "is no condition of flows: mark the function"),
    ):
        with pytest.raises(SettingsError) as refused:
            ConditionRegistry([one], ["rules:one of the capability 'billing'"])
        assert refused.value.message.startswith("rules:one of the capability 'billing': ")
        assert said in refused.value.message
