"""`sulla console`, typed as a person would, against a door without a daemon."""

from __future__ import annotations

import json
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import pytest

from sulla.console import place
from sulla.terminal.exits import Exit
from tests.cli.stage import Stage
from tests.cli.typed import typed

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    made = Stage(tmp_path / "home")
    monkeypatch.setenv("SULLA_HOME", str(made.home))
    with made.open():
        yield made


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []

    def keep(url: str) -> bool:
        found.append(url)
        return True

    monkeypatch.setattr(webbrowser, "open", keep)
    for name in ("BROWSER", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    return found


def test_it_opens_a_browser_with_a_ticket_and_prints_none(stage: Stage, opened: list[str], capsys: Capsys) -> None:
    done = typed(capsys, "console")
    assert (done.code, done.out) == (Exit.OK, ""), done.err
    (url,) = opened
    assert url.endswith("/#ticket=ticket_1")
    assert "ticket_1" not in done.err


@pytest.mark.parametrize("how", ["--print", "no display", "no browser"])
def test_it_prints_the_address_where_it_opens_none(
    stage: Stage, opened: list[str], capsys: Capsys, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    if how == "no display":
        monkeypatch.delenv("DISPLAY")
    if how == "no browser":
        monkeypatch.setattr(webbrowser, "open", lambda url: False)
    done = typed(capsys, "console", *(["--print"] if how == "--print" else []))
    assert (done.code, opened) == (Exit.OK, [])
    assert done.out.startswith("http://127.0.0.1:")
    assert done.out.endswith("/#ticket=ticket_1\n")
    assert "good once, until" in done.err


def test_scripts_get_json(stage: Stage, opened: list[str], capsys: Capsys) -> None:
    done = typed(capsys, "console", "--json")
    assert (done.code, opened) == (Exit.OK, [])
    assert json.loads(done.out)["url"].endswith("/#ticket=ticket_1")


def test_it_says_so_where_it_was_not_built(
    stage: Stage, opened: list[str], capsys: Capsys, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(place.is_built, "__defaults__", (tmp_path,))
    assert "the console was not built: `./dev setup` builds it" in typed(capsys, "console").err
    (tmp_path / "index.html").write_text("page")
    assert "not built" not in typed(capsys, "console").err


def test_without_a_daemon_it_opens_nothing(
    tmp_path: Path, opened: list[str], capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SULLA_HOME", str(tmp_path))
    done = typed(capsys, "console")
    assert (done.code, opened) == (Exit.UNREACHABLE, [])
    assert "start one with `sulla up`" in done.err
