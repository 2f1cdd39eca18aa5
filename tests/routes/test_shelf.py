"""A file of routes is taken up as it changes; one that has become wrong takes no gate away and is not silent."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from sulla.routes.faults import KnownNames
from sulla.routes.last_good import LAST_FILE
from sulla.routes.shelf import LOOK_S, ROUTES_FILE, RouteShelf
from sulla.terminal.exits import Exit
from sulla.testing.clock import ManualClock
from tests.cli.typed import typed

GOOD = "routes:\n  fire: {kind: incident, fixed_text: Call us.}\ngates:\n  - {name: fire, route: fire, any: [fire]}\n"
OTHER = GOOD.replace("any: [fire]", "any: [smoke]")


def shelf_of(home: Path, clock: ManualClock | None = None) -> RouteShelf:
    """A shelf that knows no names."""
    return RouteShelf(home, KnownNames, clock or ManualClock())


def broken(shelf: RouteShelf) -> bool:
    """Whether the shelf says so."""
    return shelf.routes.broken


def phrases(shelf: RouteShelf) -> tuple[str, ...] | None:
    """What the first gate looks for."""
    table = shelf.routes.table
    return table.gates[0].any if table is not None else None


async def test_a_file_is_taken_up_and_let_go_as_it_comes_and_goes(tmp_path: Path) -> None:
    clock, file = ManualClock(), tmp_path / ROUTES_FILE
    shelf = shelf_of(tmp_path, clock)
    await shelf.look()
    assert phrases(shelf) is None
    assert not broken(shelf)
    file.write_text(GOOD, "utf-8")
    await shelf.look()
    assert phrases(shelf) is None  # it was looked at just now
    await clock.advance(LOOK_S)
    await shelf.look()
    assert phrases(shelf) == ("fire",)
    file.unlink()
    await clock.advance(LOOK_S)
    await shelf.look()
    assert phrases(shelf) is None
    assert not broken(shelf)


@pytest.mark.parametrize("wrong", [b"routes: {fire: {kind: incdent}}", b"routes: [", b"\xff\xfe", b""])
async def test_a_file_that_has_become_wrong_leaves_the_gates_and_says_so(
    wrong: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / ROUTES_FILE
    file.write_text(GOOD, "utf-8")
    shelf = shelf_of(tmp_path)
    await shelf.look_now()
    file.write_bytes(wrong)
    await shelf.look_now()
    assert broken(shelf)
    assert phrases(shelf) == ("fire",)
    assert all(line.startswith(f"{file}:") for line in shelf.told)
    (said,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert "the ones read before hold" in said.message
    await shelf.look_now()
    assert len([record for record in caplog.records if record.levelno == logging.ERROR]) == 1  # it is said once
    file.write_text(OTHER, "utf-8")
    await shelf.look_now()
    assert not broken(shelf)
    assert phrases(shelf) == ("smoke",)


async def test_a_file_that_is_wrong_from_the_beginning_is_broken_and_has_no_gates(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / ROUTES_FILE).write_text("routes: {}", "utf-8")
    shelf = shelf_of(tmp_path)
    await shelf.look_now()
    assert broken(shelf)
    assert shelf.routes.table is None
    assert "so none holds" in caplog.text


async def test_what_is_no_file_is_broken_and_takes_nothing_away(tmp_path: Path) -> None:
    file = tmp_path / ROUTES_FILE
    file.write_text(GOOD, "utf-8")
    shelf = shelf_of(tmp_path)
    await shelf.look_now()
    file.replace(tmp_path / "kept")
    file.mkdir()
    await shelf.look_now()
    assert broken(shelf)
    assert phrases(shelf) == ("fire",)


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"routes:\n  caf\xc3\xa9: \xff\n", "2:9: error: the file: the byte 0xff is no UTF-8"),
        (b"#" * 437_511, "1:1: error: the file: it is 437511 bytes long; 262144 are allowed"),
    ],
)
async def test_what_cannot_be_read_as_a_text_says_where_and_how_long_it_is(
    tmp_path: Path, raw: bytes, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ROUTES_FILE).write_bytes(raw)
    shelf = shelf_of(tmp_path)
    await shelf.look_now()
    assert broken(shelf)
    assert told in shelf.trouble()
    shown = typed(capsys, "route", "check", "--file", str(tmp_path / ROUTES_FILE))
    assert shown.code == Exit.FAILED
    assert told in shown.err


async def test_a_warning_breaks_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / ROUTES_FILE).write_text(GOOD.replace("gates:", "  lost: {kind: clarify}\ngates:"), "utf-8")
    shelf = shelf_of(tmp_path)
    await shelf.look_now()
    assert not broken(shelf)
    assert phrases(shelf) == ("fire",)
    assert "no gate leads to the route 'lost'" in caplog.text


async def test_a_file_is_read_again_when_the_names_change(tmp_path: Path) -> None:
    (tmp_path / ROUTES_FILE).write_text(GOOD.replace("kind: incident", "kind: incident, agent: lead"), "utf-8")
    agents = ["sulla"]
    shelf = RouteShelf(tmp_path, lambda: KnownNames(agents=tuple(agents)), ManualClock())
    await shelf.look_now()
    assert broken(shelf)
    agents.append("lead")
    await shelf.look_now()
    assert phrases(shelf) == ("fire",)


def copy_of(home: Path) -> Path:
    """The copy of the last file that could be read."""
    return home / LAST_FILE


@pytest.mark.parametrize("wrong", [b"routes: [", b"\xff\xfe"])
async def test_after_a_restart_with_a_broken_file_the_last_one_that_could_be_read_holds(
    wrong: bytes, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / ROUTES_FILE).write_text(GOOD, "utf-8")
    await shelf_of(tmp_path).look_now()
    (tmp_path / ROUTES_FILE).write_bytes(wrong)
    after = shelf_of(tmp_path)
    await after.look_now()
    assert broken(after)
    assert phrases(after) == ("fire",)
    assert after.routes.copied
    assert "those of the last file that could be read hold" in caplog.text
    assert copy_of(tmp_path).read_text("utf-8") == GOOD  # what is broken takes no copy away
    (tmp_path / ROUTES_FILE).write_text(OTHER, "utf-8")
    await after.look_now()
    assert (phrases(after), after.routes.copied) == (("smoke",), False)
    assert copy_of(tmp_path).read_text("utf-8") == OTHER


async def test_the_copy_is_for_its_owner_alone_and_written_only_when_it_changes(tmp_path: Path) -> None:
    (tmp_path / ROUTES_FILE).write_text(GOOD, "utf-8")
    shelf = shelf_of(tmp_path)
    await shelf.look_now()
    before = copy_of(tmp_path).stat()
    assert before.st_mode & 0o777 == 0o600
    await shelf.look_now()
    await shelf_of(tmp_path).look_now()
    assert copy_of(tmp_path).stat().st_ino == before.st_ino
    assert [path.name for path in tmp_path.iterdir() if "draft" in path.name] == []


async def test_a_file_that_its_owner_takes_away_takes_its_copy_with_it(tmp_path: Path) -> None:
    (tmp_path / ROUTES_FILE).write_text(GOOD, "utf-8")
    shelf = shelf_of(tmp_path)
    await shelf.look_now()
    (tmp_path / ROUTES_FILE).unlink()
    await shelf.look_now()
    assert not copy_of(tmp_path).exists()


def test_a_look_that_may_change_nothing_writes_no_copy(tmp_path: Path) -> None:
    (tmp_path / ROUTES_FILE).write_text(GOOD, "utf-8")
    shelf_of(tmp_path).read()
    assert not copy_of(tmp_path).exists()


async def test_a_copy_that_cannot_be_written_is_told_once_and_the_routes_hold(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / ROUTES_FILE).write_text(GOOD, "utf-8")
    copy_of(tmp_path).mkdir()
    shelf = shelf_of(tmp_path)
    await shelf.look_now()
    await shelf.look_now()
    assert phrases(shelf) == ("fire",)
    assert len([one for one in caplog.records if "cannot be written" in one.message]) == 1


async def test_a_copy_that_is_broken_too_holds_nothing_and_that_is_told(tmp_path: Path) -> None:
    (tmp_path / ROUTES_FILE).write_text("routes: [", "utf-8")
    copy_of(tmp_path).mkdir()
    shelf = shelf_of(tmp_path)
    await shelf.look_now()
    assert shelf.routes.table is None
    assert any("nor can its copy" in line for line in shelf.told)
