"""What editors are told of playbooks is what the reader goes by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import jsonschema_rs
import pytest

import sulla.playbooks.file.schema
from sulla.definitions.yaml_text import YamlFault, plain, read_nodes
from sulla.playbooks.file.form import KINDS, PARTS, PLAYBOOK, STEP, TRIGGER_INPUTS, TRIGGERS, Takes
from sulla.playbooks.file.read_kinds import KIND_READERS
from sulla.playbooks.file.schema import SCHEMA_FILE, SHAPES, playbook_schema, schema_text
from tests.playbooks.corpus import GOOD, SEEDED, marked

SHIPPED = Path(sulla.playbooks.file.schema.__file__).with_name(SCHEMA_FILE)
BY_FORM = {"unknown-key", "missing-key", "kind", "name", "value", "braces"}
"""Rules that are about the form alone; a schema can see most of those faults."""


def refused(text: str) -> bool:
    node = read_nodes(text, most_deep=60)
    assert node is not None
    assert not isinstance(node, YamlFault)
    return not jsonschema_rs.is_valid(playbook_schema(), plain(node))


def test_the_shipped_file_is_what_the_module_makes() -> None:
    assert SHIPPED.read_text() == schema_text(), "write it anew: python -m tests.playbooks.playbooks_page"


def test_it_is_a_schema_itself() -> None:
    assert jsonschema_rs.meta.is_valid(json.loads(SHIPPED.read_text()))


@pytest.mark.parametrize("what", GOOD)
def test_a_good_playbook_fits(what: str) -> None:
    assert not refused(GOOD[what])


@pytest.mark.parametrize(
    "what",
    [
        "a strange key at the top",
        "no name",
        "no steps",
        "an empty list of steps",
        "a name with spaces",
        "a misspelt key of a step",
        "a step that does nothing",
        "a step without an id",
        "an id with a hyphen",
        "a missing prompt",
        "a duration in words",
        "a bare number for a duration",
        "too many tries",
        "an unknown way to fail",
        "an unknown type of input",
        "an unknown trigger",
        "an unknown trigger with keys",
        "an end that is none",
        "a router with one way",
        "a merge that is none",
        "a condition without braces",
    ],
)
def test_an_editor_sees_a_fault_of_form(what: str) -> None:
    assert refused(marked(SEEDED[what][0])[0])


def test_each_kind_of_value_has_a_shape_and_each_kind_of_step_a_reader() -> None:
    keys = [*PLAYBOOK, *STEP, TRIGGER_INPUTS]
    keys += [key for table in (KINDS, PARTS, TRIGGERS) for keys in table.values() for key in keys]
    assert {key.takes for key in keys} == set(SHAPES) == set(get_args(Takes))
    assert set(KIND_READERS) == set(KINDS)
    assert all(keys[0].name == kind and keys[0].required for kind, keys in KINDS.items())
