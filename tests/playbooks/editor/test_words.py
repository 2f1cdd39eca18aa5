"""A name under the cursor is known for what it is, and everywhere that it stands."""

from __future__ import annotations

import pytest

from sulla.core.jsontypes import JsonObject
from sulla.playbooks.definition import InputSpec
from sulla.playbooks.editor.words import Spot, named_at, spots_of, told_of
from sulla.playbooks.file.check_known import KnownNames, KnownTool

SEND: JsonObject = {
    "type": "object",
    "properties": {"to": {"type": "string", "description": "Who gets it."}},
    "required": ["to"],
}
KNOWN = KnownNames(tools={"send": KnownTool(SEND, "once")}, playbooks={"inner": {"lead": InputSpec()}})
TEXT = """name: a
inputs: {lead: string}
steps:
  - {id: kind, router: "What is ${{ inputs.lead }}?", routes: {tea: tea, mate: mate}}
  - id: send
    needs: [kind.tea]
    tool: send
    with: {to: "${{ inputs['lead'] }} ${{ steps.kind.output | upper }}"}
  - {id: last, needs: [{send: failure}], playbook: inner, with: {lead: "${{ steps.send.status }}"}}
"""


@pytest.mark.parametrize(
    ("word", "nth", "what", "name"),
    [
        ("kind", 0, "step", "kind"),
        ("kind", 1, "step", "kind"),
        ("kind", 2, "step", "kind"),
        ("lead", 0, "input", "lead"),
        ("lead", 1, "input", "lead"),
        ("send", 1, "tool", "send"),
        ("inner", 0, "playbook", "inner"),
        ("upper", 0, "filter", "upper"),
        ("needs", 0, "key", "needs"),
        ("status", 0, "field", "status"),
        ("mate", 1, "", ""),
    ],
)
def test_a_name_is_known_for_what_it_is(word: str, nth: int, what: str, name: str) -> None:
    at = -1
    for _ in range(nth + 1):
        at = TEXT.index(word, at + 1)
    found = named_at(TEXT, TEXT.count("\n", 0, at) + 1, at - TEXT.rfind("\n", 0, at) + 1)
    assert (found.what, found.name) == (what, name) if found is not None else what == ""


@pytest.mark.parametrize(
    ("what", "name", "lines"),
    [("step", "kind", [4, 6, 8]), ("step", "send", [5, 9, 9]), ("input", "lead", [2, 4, 8]), ("step", "nobody", [])],
)
def test_everywhere_that_a_name_stands_is_found_its_own_place_first(what: str, name: str, lines: list[int]) -> None:
    spots = spots_of(TEXT, what, name)
    assert [spot.line for spot in spots] == lines
    said = TEXT.split("\n")
    assert all(said[spot.line - 1][spot.column - 1 :].startswith(name) for spot in spots)


@pytest.mark.parametrize(
    ("line", "word", "said"),
    [
        (6, "kind", "step `kind`: router, in line 4"),
        (7, "send", "tool `send` (once)\n\n- `to` *: Who gets it."),
        (9, "inner", "playbook `inner`\n- `lead`: string"),
        (6, "needs", "`needs`: What comes before it"),
        (3, "steps", "`steps`: What it does."),
        (8, "upper", "`upper`: in capitals"),
    ],
)
def test_what_is_known_of_a_name_is_told(line: int, word: str, said: str) -> None:
    named = named_at(TEXT, line, TEXT.split("\n")[line - 1].index(word) + 2)
    assert named is not None
    assert told_of(TEXT, named, KNOWN).startswith(said)


def test_of_a_text_that_is_no_yaml_nothing_is_told() -> None:
    assert named_at("steps: [", 1, 2) is None
    assert spots_of("steps: [", "step", "a") == []


def test_a_name_behind_characters_of_two_units_stands_where_people_see_it() -> None:
    text = TEXT.replace("What is", "\U0001f375 What is")
    assert spots_of(text, "input", "lead")[1] == Spot(4, text.split("\n")[3].index("lead") + 1, 4)
