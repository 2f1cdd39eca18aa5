"""The playbooks that Sulla brings along: each whole in a fresh home, tested on every way, and running offline."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.definition import Definition, FailStep, Step
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.files import starters
from sulla.playbooks.machine.decide import choices_of
from sulla.playbooks.machine.plan import build
from sulla.playbooks.rehearsal.base import RehearsalSetting, RehearsedStep
from sulla.playbooks.rehearsal.cases_judge import CaseVerdict, try_case
from sulla.playbooks.rehearsal.cases_read import read_cases
from sulla.playbooks.rehearsal.dry import dry_run
from tests.house.source import ROOT
from tests.playbooks.homes import known_nowhere

FOLDER = ROOT / "workflows"
NAMES = sorted(file.name.removesuffix(".yaml") for file in FOLDER.glob("*.yaml") if ".test." not in file.name)


@pytest.fixture(scope="module")
def catalog() -> PlaybookCatalog:
    known = known_nowhere()
    catalog = PlaybookCatalog((FOLDER,), lambda: known)
    catalog.look_now()
    return catalog


@pytest.fixture(scope="module")
def verdicts(catalog: PlaybookCatalog) -> dict[str, list[CaseVerdict]]:
    return {name: _tried(catalog, name) for name in NAMES}


def _setting(catalog: PlaybookCatalog) -> RehearsalSetting:
    return RehearsalSetting(lambda name: catalog.get(name).definition, evaluate, catalog.known)


def _tried(catalog: PlaybookCatalog, name: str) -> list[CaseVerdict]:
    definition, setting = catalog.get(name).definition, _setting(catalog)
    cases, faults = read_cases((FOLDER / f"{name}.test.yaml").read_text(), definition, setting.find)
    assert faults == ()
    return [try_case(case, definition, setting) for case in cases]


def test_there_are_twelve_or_more_and_they_are_the_ones_that_are_shipped(catalog: PlaybookCatalog) -> None:
    assert len(NAMES) >= 12
    assert list(catalog.playbooks) == NAMES
    assert starters() == FOLDER


@pytest.mark.parametrize("name", NAMES)
def test_each_is_whole(catalog: PlaybookCatalog, name: str) -> None:
    found = catalog.find(name)
    # A search engine is each home's own: without one the step fails, which that playbook lives with.
    assert [line for line in found.told if "[not-set-up]" not in line] == []
    assert catalog.get(name).definition.description
    assert found.source.startswith("# yaml-language-server: $schema=")


@pytest.mark.parametrize("name", NAMES)
def test_nothing_starts_by_itself_in_a_home_that_nobody_has_set_up(catalog: PlaybookCatalog, name: str) -> None:
    assert [trigger.kind for trigger in catalog.get(name).definition.on] == ["manual"]


@pytest.mark.parametrize("name", NAMES)
def test_each_does_what_its_tests_expect(verdicts: dict[str, list[CaseVerdict]], name: str) -> None:
    assert {verdict.case.name: verdict.misses for verdict in verdicts[name] if verdict.misses} == {}


@pytest.mark.parametrize("name", NAMES)
def test_the_tests_of_each_go_every_way_and_have_a_failure(
    catalog: PlaybookCatalog, verdicts: dict[str, list[CaseVerdict]], name: str
) -> None:
    definition = catalog.get(name).definition
    rows = [row for verdict in verdicts[name] if verdict.rehearsed for row in verdict.rehearsed.rows]
    done = {row.at.partition("@")[0] for row in rows if row.status == "completed"} | _failed_itself(definition, rows)
    assert [step for step in build(definition).nodes if step not in done] == []
    taken = {(row.at.partition("@")[0], row.route) for row in rows}
    assert [way for way in _ways(definition) if way not in taken] == []
    assert any(row.status == "failed" for row in rows)


def _ways(definition: Definition) -> list[tuple[str, str]]:
    nodes = build(definition).nodes
    found = [(name, way) for name, node in nodes.items() for way in choices_of(node.step.does)]
    return [*found, *((name, way) for name, node in nodes.items() if _is_test(node.step) for way in ("yes", "no"))]


def _is_test(step: Step) -> bool:
    return getattr(step.does, "test", None) is not None


@pytest.mark.parametrize("name", NAMES)
def test_each_runs_offline_with_placeholders_and_fails_only_where_it_says_so(
    catalog: PlaybookCatalog, name: str
) -> None:
    definition = catalog.get(name).definition
    found = dry_run(definition, {}, _setting(catalog))
    ends = [way.rehearsed.status for way in found.ways if not _failed_itself(definition, way.rehearsed.rows)]
    assert ends == ["completed"] * len(ends)
    assert "completed" in {way.rehearsed.status for way in found.ways}
    assert not found.is_cut


def _failed_itself(definition: Definition, rows: Sequence[RehearsedStep]) -> set[str]:
    """The steps that end a run as failed, and did."""
    failed = {row.at.partition("@")[0] for row in rows if row.status == "failed"}
    nodes = build(definition).nodes
    return {step for step in failed if isinstance(nodes[step].step.does, FailStep)}


def test_all_tests_together_take_less_than_a_second(catalog: PlaybookCatalog) -> None:
    begun = time.process_time()
    days = sum(v.rehearsed.took_ms for name in NAMES for v in _tried(catalog, name) if v.rehearsed) / 86_400_000
    assert time.process_time() - begun < 1.0
    assert days > 15  # of waiting for people
