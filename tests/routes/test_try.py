"""`sulla route try` says which routes the messages of a conversation would take, whatever came before them."""

from __future__ import annotations

import json

import pytest

from sulla.terminal.exits import Exit
from tests.cli.typed import typed
from tests.house.source import ROOT

Capsys = pytest.CaptureFixture[str]
FILE = ("--file", str(ROOT / "skills" / "wellbeing" / "routes.yaml"))


def test_several_messages_are_those_of_one_conversation(capsys: Capsys) -> None:
    shown = typed(capsys, "route", "try", "i cant cope anymore", "hello?", "kind of", "--json", *FILE)
    routes = [json.loads(line)["route"] for line in shown.out.splitlines()]
    assert routes == ["crisis_clarification", "therapeutic", "crisis_response"]


def test_what_came_before_can_be_said(capsys: Capsys) -> None:
    after = typed(capsys, "route", "try", "yes", "--last-route", "crisis_clarification", *FILE)
    assert after.out == "crisis_response (incident) by the gate 'still_in_danger' (yes)\n"
    within = typed(capsys, "route", "try", "breathe with me", "--procedure", "wellbeing-grounding", *FILE)
    assert within.out == "guided_grounding (procedure)\n"


def test_a_route_that_is_not_there_is_no_turn_before(capsys: Capsys) -> None:
    shown = typed(capsys, "route", "try", "yes", "--last-route", "crisis_clarificaton", *FILE)
    assert shown.code == Exit.USAGE
    assert "crisis_clarification" in shown.err
