"""Running checks: each result at once, and none that breaks hides the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.capabilities import capabilities
from sulla.core.clock import Clock
from sulla.core.errors import StoreUnavailable
from sulla.core.jsontypes import JsonObject
from sulla.daemon.doctor.doctor import checks, examine
from sulla.daemon.doctor.probes import Patient
from sulla.daemon.settings.config import examine_settings
from sulla.host.checks import Check
from sulla.host.findings import Finding, fault, ok
from sulla.host.home import Home
from sulla.host.system import SystemClock
from sulla.testing.clock import ManualClock
from tests.house.source import ROOT

CHECKS = checks(capabilities())


def test_the_table_in_the_docs_has_every_check_that_there_is_in_its_order() -> None:
    _, _, told = (ROOT / "docs" / "cli.md").read_text().partition("\n| check | looks at |\n")
    rows = told.partition("\n\n")[0].splitlines()[1:]
    assert [row.split("`")[1] for row in rows] == [check.name for check in CHECKS]


async def _nobody(method: str) -> JsonObject:
    raise AssertionError(f"no daemon runs, and {method} was asked of it")


def _patient(home: Path, clock: Clock | None = None) -> Patient:
    examined = examine_settings({"OLLAMA_HOST": "127.0.0.1:1", "SULLA_GATEWAY__PORT": "0"}, {}, home)
    return Patient(Home(home), examined, clock or SystemClock(), 0, None, _nobody)


async def _all(patient: Patient, *table: Check[Patient]) -> list[tuple[str, Finding]]:
    return [found async for found in examine(patient, table)]


async def _fine(patient: Patient) -> list[Finding]:
    return ok("fine")


@pytest.mark.parametrize(
    ("error", "found"),
    [
        (StoreUnavailable("the store is away: start it"), "the store is away: start it"),
        (PermissionError(13, "Permission denied", "/srv/x"), "/srv/x: Permission denied"),
        (ZeroDivisionError("by nought"), "the check itself failed: ZeroDivisionError: by nought"),
        (TimeoutError(), "there was no result within 45 s"),
    ],
)
async def test_a_check_that_breaks_is_a_fault_and_the_next_ones_are_made(
    tmp_path: Path, error: Exception, found: str
) -> None:
    async def broken(patient: Patient) -> list[Finding]:
        raise error

    findings = await _all(_patient(tmp_path), Check("broken", broken), Check("fine", _fine))
    assert [(name, finding.result) for name, finding in findings] == [("broken", "fault"), ("fine", "ok")]
    assert findings[0][1].found == found
    assert findings[0][1].remedy


async def test_a_check_that_does_not_end_is_given_up_at_its_deadline(tmp_path: Path) -> None:
    clock = ManualClock()

    async def endless(patient: Patient) -> list[Finding]:
        await clock.advance(6.0)
        await clock.sleep(1.0)
        return ok("late")

    findings = await _all(_patient(tmp_path, clock), Check("endless", endless, 5.0), Check("fine", _fine))
    assert [finding.found for _, finding in findings] == ["there was no result within 5 s", "fine"]


async def test_a_check_may_have_more_than_one_result(tmp_path: Path) -> None:
    async def two(patient: Patient) -> list[Finding]:
        return [fault("a", "x"), fault("b", "y")]

    assert [name for name, _ in await _all(_patient(tmp_path), Check("two", two))] == ["two", "two"]


async def test_each_check_of_the_table_has_a_result_on_a_home_that_is_not_there_and_makes_nothing(
    tmp_path: Path,
) -> None:
    home = tmp_path / "none"
    findings = await _all(_patient(home), *CHECKS)
    assert {name for name, _ in findings} == {check.name for check in CHECKS}
    assert [finding for _, finding in findings if finding.result == "fault"] == []
    assert not home.exists()


def test_the_store_is_looked_at_before_the_clock_that_goes_by_its_records() -> None:
    names = [check.name for check in CHECKS]
    assert names.index("store") < names.index("clock")
    assert len(set(names)) == len(names)
