"""No file ends a daemon: what is wrong with one is told at a place, and nothing is raised."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import pytest

from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.file.check_fault import DEFECT
from sulla.playbooks.file.read import mentioned
from sulla.playbooks.files import starters
from sulla.playbooks.machine.plan import build
from sulla.playbooks.playbook_rows import listed
from sulla.playbooks.triggers.events import listeners
from sulla.playbooks.triggers.timed import wanted_by
from tests.playbooks.corpus import GOOD
from tests.playbooks.homes import known_nowhere
from tests.playbooks.mutations import mutated

TEXTS = {file.stem: file.read_text() for file in sorted(starters().glob("*.yaml")) if ".test." not in file.name} | GOOD


@pytest.fixture
def catalog(tmp_path: Path) -> PlaybookCatalog:
    known = known_nowhere()
    return PlaybookCatalog((tmp_path,), lambda: known)


@pytest.mark.thorough
@pytest.mark.parametrize("each", [12, pytest.param(150, marks=pytest.mark.faults)])
def test_a_slip_of_the_pen_is_told_at_its_place_and_ends_nothing(
    tmp_path: Path, catalog: PlaybookCatalog, each: int
) -> None:
    chance = random.Random(14)
    sound = 0
    for name, text in TEXTS.items():
        for number, changed in enumerate(islice(mutated(text, chance), each)):
            file = tmp_path / f"p{number}.yaml"
            file.write_text(changed, errors="surrogatepass")
            catalog.look_now()
            told = [said for one in catalog.playbooks.values() for said in one.told]
            assert [said for said in told if f"[{DEFECT}]" in said] == [], (name, changed)
            sound += _is_looked_at(catalog, changed)
            file.unlink()
    assert sound < len(TEXTS) * each / 2  # most slips are noticed


def _is_looked_at(catalog: PlaybookCatalog, text: str) -> bool:
    """All that the daemon does with what it finds; whether it can be run."""
    (one,) = catalog.playbooks.values()
    wanted_by([one])
    listeners([one])
    mentioned(text)
    if one.definition is not None:
        build(one.definition)
        return True
    lines = text.count("\n") + 1
    assert one.faults
    assert all(1 <= fault.line <= lines + 1 and fault.column >= 1 for fault in one.faults)
    assert listed(one).trouble.startswith(f"{one.file.name}:")
    return False
