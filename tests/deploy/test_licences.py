"""THIRD_PARTY.md is what `deploy/licences.py` would write now."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from types import ModuleType

import pytest

from tests.house.source import ROOT

NOT_OURS_TO_SHIP = re.compile(r"\b(?:A?GPL|SSPL|BUSL|Commons Clause|Proprietary)", re.IGNORECASE)
"""What an image or a page could not be passed on with as freely as Sulla itself. LGPL is none of these."""


@pytest.fixture(scope="module")
def licences() -> ModuleType:
    """The program, which is in no package."""
    spec = importlib.util.spec_from_file_location("licences", ROOT / "deploy" / "licences.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def told() -> set[tuple[str, ...]]:
    """The rows of the page."""
    rows = re.findall(r"^\| (.+) \| (.+) \| (.+) \|$", (ROOT / "THIRD_PARTY.md").read_text(), re.MULTILINE)
    return set(rows) - {("package", "version", "licence"), ("---", "---", "---")}


def test_the_page_has_every_package_as_it_is_locked(licences: ModuleType, told: set[tuple[str, ...]]) -> None:
    made = {*licences.python_rows(), *licences.console_rows()}
    assert {"pydantic", "react", "redis"} <= {name for name, _, _ in made}
    assert made - told == set(), "run: .venv/bin/python deploy/licences.py"


def test_the_page_has_nothing_that_is_locked_no_more(licences: ModuleType, told: set[tuple[str, ...]]) -> None:
    # Another system or Python has a few packages more, so what is listed is held to the lock and not to this machine.
    locked = {(one["name"], one["version"]) for one in _locked()} | {
        (name, at) for name, at, _ in licences.console_rows()
    }
    assert {(name, at) for name, at, _ in told} - locked == set()


def _locked() -> list[dict[str, str]]:
    packages: list[dict[str, str]] = tomllib.loads((ROOT / "uv.lock").read_text())["package"]
    return [one for one in packages if "version" in one]


def test_every_package_says_a_licence_under_which_it_may_be_passed_on(told: set[tuple[str, ...]]) -> None:
    assert {row for row in told if row[2] == "not said" or NOT_OURS_TO_SHIP.search(row[2])} == set()
