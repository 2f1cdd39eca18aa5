"""A playbook is tried out as the command line tries it; nothing is done, it takes a bounded time, and others go on."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, NotFound, TooLarge
from sulla.daemon.console import rehearsing
from sulla.daemon.console.rehearsals import REHEARSAL_S, Rehearsals
from sulla.gateway.methods.rehearsals import PlaybookTested
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.file.check_known import KnownNames, KnownTool
from sulla.testing.clock import ManualClock
from tests.soon import PATIENCE_S

TEA = """name: tea
inputs: {who: string}
outputs: {for: "${{ inputs.who }}"}
steps:
  - {id: kind, router: Which?, routes: {green: g, black: b}}
  - {id: boil, needs: [kind], tool: kettle, with: {url: "http://x/${{ steps.kind.output }}"}}
"""
TESTS = """- {name: good, inputs: {who: Ann}, fixtures: {kind: green, boil: hot}, expect: {outputs: {for: Ann}}}
- {name: bad, inputs: {who: Ann}, fixtures: {kind: green, boil: hot}, expect: {outputs: {for: Bob}}}
"""
ROOM = 700_000


@dataclass(frozen=True, slots=True)
class Prices:
    """A token costs a thousandth."""

    prompt_tokens: int = 1000

    def reading_cost(self, tokens: int) -> float | None:
        """By the thousand."""
        return tokens / 1000


def known() -> KnownNames:
    """A kettle that no home boils at this address."""
    return KnownNames(tools={"kettle": KnownTool({"type": "object"}, "once", refuses=lambda args: "no such kettle")})


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def rehearsals(tmp_path: Path, clock: ManualClock) -> Rehearsals:
    (tmp_path / "tea.yaml").write_text(TEA)
    (tmp_path / "tea.test.yaml").write_text(TESTS)
    return Rehearsals(PlaybookCatalog((tmp_path,), known), Prices, clock)


async def test_each_test_is_told_with_its_misses_and_their_places(rehearsals: Rehearsals, tmp_path: Path) -> None:
    found = await rehearsals.test("tea", None, ROOM)
    file = f"{tmp_path.name}/tea.test.yaml"
    assert [(row.test, row.ok, row.file, row.line, row.took_ms) for row in found.cases] == [
        ("good", True, file, 1, 0),
        ("bad", False, file, 2, 0),
    ]
    (miss,) = found.cases[1].misses
    assert (miss.line, miss.message) == (2, 'expected the output \'for\' to be "Bob"; it is "Ann"')
    assert (found.faults, found.cut) == ((), False)


async def test_a_text_is_tested_in_the_place_of_the_file_and_stays_unsaved(
    rehearsals: Rehearsals, tmp_path: Path
) -> None:
    found = await rehearsals.test("tea", TEA.replace('"${{ inputs.who }}"', "Bob"), ROOM)
    assert [row.ok for row in found.cases] == [False, True]
    assert (tmp_path / "tea.yaml").read_text() == TEA


async def test_what_is_wrong_with_a_playbook_or_its_tests_is_told_and_nothing_tested(
    rehearsals: Rehearsals, tmp_path: Path
) -> None:
    broken = await rehearsals.test("tea", "name: tea\n", ROOM)
    assert (broken.cases, broken.faults[0].split(" ")[0]) == ((), "tea.yaml:1:1:")
    (tmp_path / "tea.test.yaml").write_text(TESTS + "- {nmae: x}\n")
    wrong = await rehearsals.test("tea", None, ROOM)
    assert wrong.cases == ()
    assert wrong.faults[0].startswith(f"{tmp_path.name}/tea.test.yaml:3:")


async def test_what_is_not_there_is_said_by_its_name(rehearsals: Rehearsals, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no playbook 'tee'"):
        await rehearsals.test("tee", None, ROOM)
    (tmp_path / "tea.test.yaml").unlink()
    with pytest.raises(NotFound, match=r"no tests: write some in tea\.test\.yaml"):
        await rehearsals.test("tea", TEA, ROOM)


async def test_tests_that_lie_elsewhere_are_not_read(rehearsals: Rehearsals, tmp_path: Path) -> None:
    (tmp_path / "tea.test.yaml").rename(tmp_path / "kept")
    (tmp_path / "tea.test.yaml").symlink_to(tmp_path / "kept")
    with pytest.raises(InvalidInput, match=r"tea\.test\.yaml cannot be read: it is a link"):
        await rehearsals.test("tea", None, ROOM)


async def test_a_dry_run_shows_each_way_with_its_calls_and_its_cost(rehearsals: Rehearsals) -> None:
    found = await rehearsals.dry_run("tea", {"who": "Ann"}, None, ROOM)
    assert [way.chosen for way in found.ways] == [{"kind": "green"}, {"kind": "black"}]
    assert not found.cut
    (call,) = found.ways[1].calls
    assert (call.tool, call.effect, call.args, call.refused) == (
        "kettle",
        "once",
        {"url": "http://x/black"},
        "no such kettle",
    )
    assert found.ways[0].outputs == {"for": "Ann"}
    assert (found.ways[0].model_calls, found.ways[0].cost) == (1, found.ways[0].tokens / 1000)


async def test_a_dry_run_of_a_text_needs_no_file(rehearsals: Rehearsals) -> None:
    found = await rehearsals.dry_run("new", {}, TEA.replace("name: tea", "name: new"), ROOM)
    assert [way.status for way in found.ways] == ["completed", "completed"]
    with pytest.raises(InvalidInput, match=r"could not be run: new\.yaml:1:1: "):
        await rehearsals.dry_run("new", {}, "name: new\n", ROOM)
    with pytest.raises(InvalidInput, match="it has no input 'whom'"):
        await rehearsals.dry_run("tea", {"whom": "x"}, None, ROOM)


async def test_an_answer_holds_what_fits_and_says_that_there_is_more(rehearsals: Rehearsals) -> None:
    found = await rehearsals.test("tea", None, 300)
    assert ([row.test for row in found.cases], found.cut) == (["good"], True)
    with pytest.raises(TooLarge, match="longer than the 100 bytes of an answer"):
        await rehearsals.dry_run("tea", {}, None, 100)


async def test_what_takes_too_long_is_ended_while_others_go_on(
    rehearsals: Rehearsals, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = threading.Event(), threading.Event()

    def endless(*args: object) -> PlaybookTested:
        go_on = args[-1]
        assert callable(go_on)
        begun.set()
        try:
            while True:
                go_on()
        finally:
            ended.set()

    monkeypatch.setattr(rehearsing, "tested", endless)
    asked = asyncio.create_task(rehearsals.test("tea", None, ROOM))
    assert await asyncio.to_thread(begun.wait, PATIENCE_S)  # and the loop is free
    await clock.advance(REHEARSAL_S)
    with pytest.raises(TooLarge, match="takes longer than 20 s"):
        await asked
    assert await asyncio.to_thread(ended.wait, PATIENCE_S)


async def test_what_happens_without_end_is_left_in_the_middle(tmp_path: Path) -> None:
    text = (
        "name: spin\nsteps:\n  - id: l\n    loop:\n      count: 1000\n      steps:\n"
        "        - {id: a, set: {n: 1}}\n        - {id: b, needs: [a], set: {n: 2}}\n"
    )
    catalog = PlaybookCatalog((tmp_path,), KnownNames)
    seen: list[None] = []

    def go_on() -> None:
        seen.append(None)
        if len(seen) == 50:
            raise RuntimeError("nobody waits")

    with pytest.raises(RuntimeError, match="nobody waits"):
        rehearsing.ways(catalog, Prices(), "spin", {}, text, ROOM, go_on)
    assert len(seen) == 50
