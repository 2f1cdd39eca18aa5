"""The skills that Sulla brings along hold to the standard, by its own validator and by ours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from skills_ref.validator import validate  # type: ignore[import-untyped]  # it comes without types

from sulla.daemon.settings.config import load_settings
from sulla.skills.bundle import read_bundle
from sulla.skills.folders import looked_at
from sulla.skills.found import index
from sulla.skills.skill import SKILL_FILE, read_skill
from sulla.testing.clock import ManualClock
from tests.house.source import ROOT
from tests.skills.catalogs import put

SHIPPED = sorted(path.parent for path in (ROOT / "skills").glob(f"*/{SKILL_FILE}"))


def test_there_are_some() -> None:
    assert len(SHIPPED) >= 4


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda path: path.name)
def test_a_shipped_skill_passes_the_standards_validator(folder: Path) -> None:
    assert validate(folder) == []


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda path: path.name)
def test_a_shipped_skill_is_read_without_a_warning_and_names_only_files_that_it_has(folder: Path) -> None:
    bundle = read_bundle(folder)
    skill = read_skill(folder.name, bundle.text(SKILL_FILE))
    assert skill.warnings == ()
    for path in bundle.files:
        if path != SKILL_FILE:
            assert f"`{path}`" in skill.body


def test_a_skill_is_told_to_every_agent_or_is_part_of_a_pack(tmp_path: Path) -> None:
    known = looked_at(load_settings({}, {}, tmp_path), ManualClock()).known
    assert {name for name, one in known.items() if one.in_pack} == {
        "support-desk",
        "support-refund",
        "wellbeing",
        "wellbeing-breathing",
        "wellbeing-grounding",
        "wellbeing-thought-record",
    }
    assert set(re.findall(r"^- ([a-z-]+):", index(known.values()), re.MULTILINE)) == {
        "debug-a-failure",
        "plan-a-project",
        "summarize-documents",
        "write-release-notes",
    }


def test_the_validator_would_say_so(tmp_path: Path) -> None:
    assert validate(put(tmp_path, "Tea")) != []
