"""What a run is started with."""

from __future__ import annotations

import pytest

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json
from sulla.playbooks.definition import InputSpec
from sulla.playbooks.machine.scope_inputs import complete_inputs
from tests.playbooks.machine.play import playbook, step

SPECS = {
    "name": InputSpec(),
    "count": InputSpec("integer", required=False, default=3),
    "rate": InputSpec("number", required=False),
    "mode": InputSpec(choices=("fast", "slow"), default="fast"),
    "tags": InputSpec("list", required=False),
    "more": InputSpec("object", required=False),
}
DEFINITION = playbook(step("a"), inputs=SPECS)


def test_defaults_are_filled_in() -> None:
    found = complete_inputs(DEFINITION, {"name": "Ada"})
    assert found == {"name": "Ada", "count": 3, "rate": None, "mode": "fast", "tags": None, "more": None}


def test_what_fits_is_taken_as_it_is() -> None:
    given: dict[str, Json] = {"name": "", "count": 0, "rate": 1, "mode": "slow", "tags": [], "more": {"a": 1}}
    assert complete_inputs(DEFINITION, given) == given


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "the input 'name' is missing; expected a string"),
        ({"name": 1}, "the input 'name' is 1; expected a string"),
        ({"name": "x", "count": True}, "the input 'count' is True; expected an integer"),
        ({"name": "x", "count": 1.5}, "expected an integer"),
        ({"name": "x", "rate": "1"}, "expected a number"),
        ({"name": "x", "mode": "quick"}, "expected one of 'fast', 'slow'"),
        ({"name": "x", "tags": {}}, "expected a list"),
        ({"name": "x", "more": []}, "expected an object"),
        ({"name": "x", "nmae": "x"}, "it has no input 'nmae'; did you mean 'name'"),
        ({"name": None}, "the input 'name' is None"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, Json], said: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        complete_inputs(DEFINITION, given)
    assert said in refused.value.message


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(InvalidInput) as refused:
        complete_inputs(DEFINITION, {"count": "x", "colour": "red"})
    assert all(name in refused.value.message for name in ("'name'", "'count'", "'colour'"))
