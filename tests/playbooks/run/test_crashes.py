"""A process that dies at any change of what is kept leaves a run of a playbook that comes to the same: nothing of it is
done twice, nothing is paid for twice, and each is told once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sulla.testing.mortal import Mortal
from sulla.testing.store import FaultyStore
from tests.kits.in_turn import in_turn
from tests.kits.points import Course, Kinds, Points, each_extent, sample, some
from tests.playbooks.run.crash_cases import CASES, Case
from tests.playbooks.run.dying import Outage, Town

pytestmark = in_turn(2)

each_case = pytest.mark.parametrize(
    "case", some(CASES, len(CASES) // 2, "cases that are killed"), ids=[case.id for case in CASES]
)
OFTEN = sample(["tools", "branches", "approved-call"], 1, "cases without a store")
outages = pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.id, marks=() if case.id in OFTEN else pytest.mark.faults) for case in CASES]
)
each_side = pytest.mark.parametrize("after", some([False, True], 1, "sides of a change"), ids=["before", "after"])


async def undisturbed(case: Case, folder: Path) -> tuple[dict[str, Any], list[str], list[Kinds]]:
    """What a run comes to in peace, what its model was asked, and what each change of the store was."""
    town, course = Town(case, folder), Course()
    await town.open()
    await town.live(town.boot(FaultyStore(town.store, course)))
    assert await town.broken() == []
    assert town.doubled(cut=False) == []
    assert town.reviews == 0
    assert len(course.kinds) > 8
    return await town.came_to(), town.thinker.asked, course.kinds


async def faults_of(town: Town, wanted: dict[str, Any], asked: list[str], *, cut: bool) -> list[str]:
    """What is not as it is in peace."""
    found = await town.broken() + town.doubled(cut=cut)
    came_to = await town.came_to()
    found += [
        f"{name}: {came_to.get(name)} and not {value}" for name, value in wanted.items() if came_to.get(name) != value
    ]
    found += [f"{name}: {came_to[name]}, and nothing of it" for name in came_to.keys() - wanted.keys()]
    if len(town.thinker.asked) > len(asked) + town.case.at_once:
        found.append(f"the model was asked {town.thinker.asked} and not {asked}")
    if town.reviews > town.case.at_once:
        found.append(f"{town.reviews} reviews")
    return found


@each_extent
@each_side
@each_case
async def test_killed_at_any_change_a_run_comes_to_the_same(
    tmp_path: Path, case: Case, points: Points, *, after: bool
) -> None:
    wanted, asked, kinds = await undisturbed(case, tmp_path / "peace")
    wrong: list[str] = []
    for dies_at in points(kinds, f"{case.id}, {after=}"):
        town = Town(case, tmp_path / f"death{dies_at}")
        await town.open()
        assert await town.die(town.boot(Mortal(town.store, dies_at, after=after)))
        done, before = await town.completed(), len(town.thinker.asked)
        await town.live(town.boot(town.store))
        found = await faults_of(town, wanted, asked, cut=True)
        again = done & set(town.thinker.asked[before:])
        found += [f"the model was asked again for {sorted(again)}"] if again else []
        wrong += [f"change {dies_at}: {fault}" for fault in found]
    assert wrong == []


@each_extent
@each_side
@outages
async def test_where_the_store_is_away_from_any_change_on_a_run_comes_to_the_same(
    tmp_path: Path, case: Case, points: Points, *, after: bool
) -> None:
    wanted, asked, kinds = await undisturbed(case, tmp_path / "peace")
    wrong: list[str] = []
    for fails_at in points(kinds, f"outage, {case.id}, {after=}"):
        town = Town(case, tmp_path / f"fault{fails_at}")
        await town.open()
        outage = Outage(town.clock, fails_at, after=after)
        await town.falter(town.boot(FaultyStore(town.store, outage)), outage)
        wrong += [f"change {fails_at}: {fault}" for fault in await faults_of(town, wanted, asked, cut=True)]
        assert outage.came
    assert wrong == []
