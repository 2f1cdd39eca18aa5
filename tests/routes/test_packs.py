"""The routes of the two packs read without a fault, and lead where their pages say."""

from __future__ import annotations

import pytest

from sulla.definitions.agent_file import read_agent
from sulla.definitions.agents import texts_of
from sulla.routes.faults import KnownNames
from sulla.routes.gates import TurnFacts, route_of
from sulla.routes.plan import KINDS, RouteTable
from sulla.routes.reading import read_routes
from sulla.routes.service import Before, tried_in_a_row
from tests.house.source import ROOT
from tests.kits.in_turn import in_turn

pytestmark = in_turn(3)


def pack(name: str) -> RouteTable:
    """The routes of a pack."""
    found = read_routes((ROOT / "skills" / name / "routes.yaml").read_text("utf-8"), KnownNames())
    assert found.faults == ()
    assert found.table is not None
    return found.table


def test_the_wellbeing_pack_has_the_routes_of_the_seed_two_more_exercises_and_one_for_a_no() -> None:
    table = pack("wellbeing")
    assert {name: route.kind for name, route in table.routes.items()} == {
        "crisis_response": "incident",
        "crisis_clarification": "clarify",
        "crisis_ruled_out": "clarify",
        "grounded_lookup": "grounded",
        "guided_exercise": "procedure",
        "guided_grounding": "procedure",
        "guided_thought_record": "procedure",
        "memory_control": "memory",
        "therapeutic": "default",
    }
    assert {route.kind for route in table.routes.values()} == set(KINDS)
    assert table.routes["crisis_response"].tools.require
    assert not table.routes["crisis_clarification"].tools.require
    assert not table.routes["crisis_response"].fallback


@pytest.mark.parametrize("name", ["wellbeing", "support-desk"])
def test_a_pack_names_no_number_that_somebody_would_ring(name: str) -> None:
    texts = [route.reply.fixed_text + route.reply.instructions for route in pack(name).routes.values()]
    assert not any(character.isdigit() for text in texts for character in text)


@pytest.mark.parametrize(
    ("name", "message", "route"),
    [
        ("wellbeing", "Can we do the breathing exercise again?", "guided_exercise"),
        ("wellbeing", "Help me to calm down, please", "guided_exercise"),
        ("wellbeing", "Could we try the 5-4-3-2-1 thing?", "guided_grounding"),
        ("wellbeing", "I'd like to do a grounding exercise", "guided_grounding"),
        ("wellbeing", "What is a grounding exercise good for?", None),
        ("wellbeing", "Let's do a thought record", "guided_thought_record"),
        ("wellbeing", "I don't want to do that thought record", None),
        ("wellbeing", "I don't want another exercise", None),
        ("wellbeing", "What do you remember about me?", "memory_control"),
        ("wellbeing", "What is CBT?", "grounded_lookup"),
        ("wellbeing", "Can we do an exercise? I want to die", "crisis_response"),
        ("support-desk", "your site is down since noon", "incident"),
        ("support-desk", "I want a refund. Also, somebody logged into my account!", "incident"),
        ("support-desk", "You charged me twice, I want my money back", "refund"),
        ("support-desk", "What is your refund policy?", "product"),
        ("support-desk", "How do I export my data?", "product"),
        ("support-desk", "Forget my address", "memory"),
        ("support-desk", "I am writing this down", None),
        ("support-desk", "Hello!", None),
        ("support-desk", "cant log in", "incident"),
        ("support-desk", "the app wont load", "incident"),
        ("support-desk", "getting 502 on your site", "incident"),
        ("support-desk", "gimme my money back", "refund"),
        ("support-desk", "How much does Plus cost?", "product"),
        ("support-desk", "can i pair two kettles", "product"),
    ],
)
def test_a_message_is_led_to_its_route(name: str, message: str, route: str | None) -> None:
    plan = route_of(pack(name), message, TurnFacts())
    assert (plan.route.name if plan is not None else None) == route


def test_a_yes_after_the_question_is_an_incident_and_elsewhere_it_is_nothing() -> None:
    table = pack("wellbeing")
    after = route_of(table, "Yes, I am.", TurnFacts(last_route="crisis_clarification"))
    assert after is not None
    assert after.route.name == "crisis_response"
    assert route_of(table, "Yes, I am.", TurnFacts(last_route="therapeutic")) is None


@pytest.mark.parametrize(
    ("answer", "route"),
    [
        *(
            (one, "crisis_response")
            for one in ("kind of", "yea", "sometimes", "ja", "si", "s\u00ed", "Yes, I am.", "idk", "i guess")
        ),
        *(
            (one, "crisis_response")
            for one in ("a bit", "not sure", "i dont know", "yeah but i wont do it", "Every day")
        ),
        *(
            (one, "crisis_response")
            for one in ("maybe", "i think so", "yes, and it is getting worse every single day now")
        ),
        *(
            (one, "crisis_ruled_out")
            for one in ("no", "no, i do yoga, maybe im just tired", "Not really", "I'm fine, really")
        ),
        *((one, "crisis_ruled_out") for one in ("nope, i am just tired", "no i am not", "yes im okay")),
        *((one, None) for one in ("hello?", "what?", "no idea", "why do you ask me that")),
    ],
)
def test_what_is_answered_to_the_question_is_heard(answer: str, route: str | None) -> None:
    plan = route_of(pack("wellbeing"), answer, TurnFacts(last_route="crisis_clarification"))
    assert (plan.route.name if plan is not None else None) == route


@pytest.mark.parametrize(
    ("between", "route"),
    [
        (("therapeutic",), "crisis_response"),
        (("therapeutic", "therapeutic"), "crisis_response"),
        (("therapeutic", "therapeutic", "therapeutic"), "therapeutic"),
        (("crisis_ruled_out",), "therapeutic"),
    ],
)
def test_the_question_stands_until_it_is_answered_or_three_turns_are_over(between: tuple[str, ...], route: str) -> None:
    lately = (*between, "crisis_clarification") if set(between) == {"therapeutic"} else between
    assert tried_in_a_row(pack("wellbeing"), ["yes"], Before(lately))[-1].route == route


def test_messages_of_one_conversation_are_tried_one_after_the_other() -> None:
    said = ["i cant cope anymore", "hello?", "yes", "breathing exercise please", "ready", "i want to die"]
    taken = tried_in_a_row(pack("wellbeing"), said, Before())
    assert [one.route for one in taken] == [
        *("crisis_clarification", "therapeutic", "crisis_response"),
        *("guided_exercise", "guided_exercise", "crisis_response"),
    ]


@pytest.mark.parametrize(("name", "agent"), [("wellbeing", "listener"), ("support-desk", "desk")])
def test_all_routes_of_a_pack_are_answered_by_an_agent_that_can_do_little_and_remembers_nothing(
    name: str, agent: str
) -> None:
    folder = ROOT / "skills" / name / "agents" / agent
    spec = read_agent(agent, texts_of(folder))
    assert (spec.tools, spec.skills, spec.memory, spec.warnings) == (("grounded_lookup",), (), False, ())
    routes = pack(name).routes.values()
    assert {route.agent for route in routes} == {agent}
    assert {route.tools.require for route in routes} == {"grounded_lookup", ""}
