"""docs/playbooks.md says what the code does."""

from __future__ import annotations

import json
import re

from sulla.core.jsontypes import FrozenJson, Json
from sulla.playbooks import definition
from sulla.playbooks.expression import grammar as expression_grammar
from sulla.playbooks.expression import values as expression_values
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.file import check_fault, form, read_steps
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.rehearsal.base import RehearsalSetting, Rehearsed
from sulla.playbooks.rehearsal.cases import Fixtures
from sulla.playbooks.rehearsal.cases_judge import try_case
from sulla.playbooks.rehearsal.cases_read import read_cases
from sulla.playbooks.rehearsal.dry import dry_run
from sulla.playbooks.rehearsal.rehearse import rehearse
from tests.playbooks.homes import known_nowhere
from tests.playbooks.playbooks_page import PAGE, wanted


def test_the_tables_are_those_of_the_code() -> None:
    assert PAGE.read_text() == wanted(PAGE.read_text()), "write them anew: python -m tests.playbooks.playbooks_page"


def test_the_example_of_the_page_is_whole_in_a_home_that_has_nothing_of_its_own_and_its_dry_run_completes() -> None:
    example = re.search(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert example is not None
    checked = check_playbook(example[1], known_nowhere())
    assert (checked.faults, checked.definition is None) == ((), False)
    assert checked.definition is not None

    def find(name: str) -> definition.Definition:
        raise AssertionError(name)

    ways = dry_run(checked.definition, {}, RehearsalSetting(find, evaluate, known_nowhere())).ways
    assert {way.rehearsed.status for way in ways} == {"completed"}


def test_the_figures_of_the_page_are_those_of_the_code() -> None:
    page = PAGE.read_text()
    for figure in (
        f"{expression_grammar.MAX_EXPRESSION_CHARS:,} characters and {expression_grammar.MAX_DEPTH} levels",
        f"{expression_values.MAX_TEXT_CHARS:,} characters",
        f"{expression_values.MAX_ITEMS:,} entries",
        f"{expression_values.MAX_WORK:,} code points",
        f"{form.MAX_PLAYBOOK_BYTES // 1024} KiB, {definition.MAX_STEPS:,} steps, {definition.MAX_BRANCHES} branches",
        f"{definition.MAX_PASSES:,} passes",
        f"{read_steps.MAX_NESTING} deep",
    ):
        assert figure in page, figure
    assert expression_values.MAX_NUMBER == expression_grammar.MAX_INT == 2**63


def test_the_page_names_every_kind() -> None:
    written = PAGE.read_text().partition("## Expressions")[0]
    assert [kind for kind in form.KINDS if f"`{kind}`" not in written] == []
    assert set(check_fault.WARNINGS) <= set(check_fault.RULES)


def test_the_test_of_the_page_is_whole_and_passes() -> None:
    example = re.search(r"## Testing.*?```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    starter = PAGE.parents[1] / "workflows" / "lead-triage.yaml"
    playbook = check_playbook(starter.read_text()).definition
    assert example is not None
    assert playbook is not None

    def find(name: str) -> definition.Definition:
        raise AssertionError(name)

    cases, faults = read_cases(example[1], playbook, find)
    assert faults == ()
    assert [try_case(case, playbook, RehearsalSetting(find, evaluate)).misses for case in cases] == [()]


def test_the_recipes_of_the_page_are_whole_and_come_to_what_they_say() -> None:
    part = PAGE.read_text().partition("### Tables, long lists, and files that grow")[2].partition("\n## ")[0]
    overdue, each_row, journal = [_playbook(text) for text in re.findall(r"```yaml\n(.*?)```", part, re.DOTALL)]
    table = "name,amount,days\nAnn,10.50,31\nBo,7,30\nCy,0.25,90\n"
    assert _came_to(overdue, {}, f"{{read: {{result: {{text: {json.dumps(table)}}}}}}}").outputs == {
        "sum": 10.75,
        "names": ["Ann", "Cy"],
    }
    rows: list[Json] = [f"r{number}" for number in range(3_000)]
    found = _came_to(each_row, {"rows": rows}, "{}")
    assert sum(row.at.startswith("say@") for row in found.rows) == 3_000
    for fixture, written in (("{error: no such file}", "two\n"), ('{result: {text: "one\\n"}}', "one\ntwo\n")):
        (_, call) = _came_to(journal, {"line": "two"}, f"{{before: {fixture}, after: done}}").calls
        assert call.args["content"] == written


def _playbook(text: str) -> definition.Definition:
    checked = check_playbook(text, known_nowhere())
    assert checked.faults == ()
    assert checked.definition is not None
    return checked.definition


def _came_to(playbook: definition.Definition, inputs: FrozenJson, fixtures: str) -> Rehearsed:
    def find(name: str) -> definition.Definition:
        raise AssertionError(name)

    cases, faults = read_cases(f"- {{name: a, fixtures: {fixtures}}}", playbook, find)
    assert faults == ()
    return rehearse(playbook, inputs, Fixtures(cases[0].fixtures), RehearsalSetting(find, evaluate))


def test_the_page_names_every_starter() -> None:
    written = PAGE.read_text().partition("## Testing")[0]
    files = (PAGE.parents[1] / "workflows").glob("*.yaml")
    names = {file.name.removesuffix(".yaml") for file in files if ".test." not in file.name}
    assert {name for name in names if f"| `{name}` |" not in written} == set()
