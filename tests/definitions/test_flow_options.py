"""What is said of a flow is read as it was said, or refused with the key and what was expected."""

from __future__ import annotations

import re

import pytest

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json
from sulla.definitions.flow_options import NO_FLOW, FlowOptions, SubAgent, options_to_json, read_flow_options

WHOLE: dict[str, Json] = {
    "agent_mode": "fibre",
    "deep_thinking": True,
    "plan": False,
    "more_suggest": True,
    "max_loop_count": 7,
    "custom_flow": {"name": "x", "root": "simple"},
    "custom_sub_agents": [
        {"agent_key": "a", "description": "b", "system_prompt": "c", "available_tools": ["read_file"]},
        {"agent_key": "d", "description": "e", "system_prompt": "f"},
    ],
    "system_context": {"plan": "pro"},
}


def test_what_a_message_says_is_read_and_written_again() -> None:
    assert options_to_json(read_flow_options(WHOLE, turn=True)) == WHOLE


@pytest.mark.parametrize("value", [None, {}, {"plan": None}])
def test_nothing_said_is_no_flow(value: Json) -> None:
    assert not read_flow_options(value, turn=True)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("multi", "'multi'; expected keys and values such as `agent_mode`"),
        ({"agent_mod": "multi"}, "there is no key 'agent_mod'"),
        ({"agent_mode": "mutli"}, "agent_mode is 'mutli'; expected one of simple, multi, fibre. Did you mean 'multi'?"),
        ({"plan": "yes"}, "plan is 'yes'; expected true or false"),
        ({"max_loop_count": 0}, "max_loop_count is 0; expected a whole number from 1 to 100"),
        ({"max_loop_count": True}, "max_loop_count is True; expected a whole number"),
        ({"flow": "../x"}, "flow is '../x'; expected a name"),
        ({"flow": "x", "custom_flow": {}}, "flow and custom_flow: expected one of them"),
        ({"custom_flow": "simple"}, "custom_flow is 'simple'; expected an object"),
        ({"system_context": {"a": "b" * 20_000}}, "system_context has more than 16,000 characters"),
        ({"custom_sub_agents": {}}, "custom_sub_agents is {}; expected a list of up to 32 agents"),
        ({"custom_sub_agents": ["a"]}, "custom_sub_agents[0] is 'a'; expected an object"),
        ({"custom_sub_agents": [{"agent_key": "a"}]}, "custom_sub_agents[0].system_prompt is None"),
        ({"custom_sub_agents": [{"agent_key": "a", "prompt": "b"}]}, "there is no key 'prompt'"),
        (
            {"custom_sub_agents": [{"agent_key": "a", "system_prompt": "b", "available_tools": "bash"}]},
            "available_tools is 'bash'; expected a list of names of tools",
        ),
        (
            {"custom_sub_agents": [{"agent_key": "a", "system_prompt": "b"}] * 2},
            "custom_sub_agents: two agents are called 'a'",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_key(value: Json, said: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(said)):
        read_flow_options(value, turn=True)


@pytest.mark.parametrize("key", ["custom_flow", "custom_sub_agents", "system_context"])
def test_an_agents_file_holds_no_flow_of_its_own(key: str) -> None:
    with pytest.raises(InvalidInput, match=f"there is no key '{key}'"):
        read_flow_options({key: WHOLE[key]}, turn=False)


@pytest.mark.parametrize(
    ("said", "others", "found"),
    [
        (NO_FLOW, FlowOptions("multi", plan=True), FlowOptions("multi", plan=True)),
        (FlowOptions(plan=False), FlowOptions("multi", plan=True), FlowOptions("multi", plan=False)),
        (FlowOptions("simple"), FlowOptions(flow="mine", plan=True), FlowOptions("simple", plan=True)),
        (FlowOptions(flow="a"), FlowOptions("multi", max_loop_count=3), FlowOptions(flow="a", max_loop_count=3)),
        (FlowOptions(plan=True), FlowOptions(flow="mine"), FlowOptions(flow="mine", plan=True)),
        (
            FlowOptions(custom_sub_agents=(SubAgent("a", "b", "c"),)),
            FlowOptions("fibre"),
            FlowOptions("fibre", custom_sub_agents=(SubAgent("a", "b", "c"),)),
        ),
    ],
)
def test_what_a_message_says_counts_before_what_its_agent_says(
    said: FlowOptions, others: FlowOptions, found: FlowOptions
) -> None:
    assert said.over(others) == found
