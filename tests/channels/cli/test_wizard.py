"""`sulla channel add` at a terminal: what is written is whole and was tried, else nothing is."""

from __future__ import annotations

import stat
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from sulla.terminal.exits import Exit
from sulla.testing.channels.telegram import TOKEN
from tests.channels.beside import Telegram, telegram_beside
from tests.cli.terminal import Terminal, terminal
from tests.daemon.running import PATIENCE_S, Place
from tests.kits.in_turn import in_turn

pytestmark = in_turn(2)
ADD = (sys.executable, "-m", "sulla", "channel", "add", "telegram", "--name", "tg")
ASKED = "it is not shown"
BEFORE = '# mine\n[notify]\nquiet = "22:00-07:00"\n'


@pytest.fixture(scope="module")
def telegram() -> Iterator[Telegram]:
    with telegram_beside() as found:
        yield found


@pytest.fixture
def place(tmp_path: Path) -> Place:
    found = Place(tmp_path / "home")
    found.home.mkdir(mode=0o700)
    (found.home / "sulla.toml").write_text(BEFORE)
    return found


def add(place: Place, telegram: Telegram) -> tuple[str, ...]:
    return (*ADD, "--option", f"api={telegram.api}")


def answer(seen: Terminal, token: str) -> None:
    seen.until(ASKED)
    seen.type(f"{token}\r")


def test_a_token_that_is_good_is_written_once_and_never_shown(place: Place, telegram: Telegram) -> None:
    with terminal(add(place, telegram), place.environ) as seen:
        answer(seen, TOKEN)
        seen.until("pair CODE NAME")
        assert seen.process.wait(PATIENCE_S) == Exit.OK
    assert TOKEN not in seen.shown
    file = place.home / "sulla.toml"
    text = file.read_text()
    assert text.startswith(BEFORE)
    (account,) = tomllib.loads(text)["channels"]["accounts"]
    assert account == {
        "name": "tg",
        "kind": "telegram",
        "options": {"api": telegram.api},
        "secrets": {"token": TOKEN},
    }
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with terminal(add(place, telegram), place.environ) as seen:
        seen.until("there is a channel 'tg' already")
    assert file.read_text() == text


def test_a_wrong_token_is_asked_for_again_and_then_nothing_is_written(place: Place, telegram: Telegram) -> None:
    with terminal(add(place, telegram), place.environ) as seen:
        for _ in range(3):
            answer(seen, "123456789:wrong")
            seen.until("it was not taken")
        assert seen.process.wait(PATIENCE_S) == Exit.FAILED
    assert [one.name for one in place.home.iterdir() if one.name.startswith("sulla.")] == ["sulla.toml"]
    assert (place.home / "sulla.toml").read_text() == BEFORE


def test_whoever_leaves_it_leaves_nothing(place: Place, telegram: Telegram) -> None:
    with terminal(add(place, telegram), place.environ) as seen:
        seen.until(ASKED)
        seen.type("\x03")
        assert seen.process.wait(PATIENCE_S) != Exit.OK
    assert [one.name for one in place.home.iterdir() if one.name.startswith("sulla.")] == ["sulla.toml"]
    assert (place.home / "sulla.toml").read_text() == BEFORE


def test_a_page_instead_of_an_answer_is_told_in_a_line_and_no_library_writes_beside_it(
    place: Place, telegram: Telegram
) -> None:
    with terminal(add(place, telegram), place.environ) as seen:
        for _ in range(3):
            answer(seen, "a token/with a page")
            seen.until("it was not taken")
        assert seen.process.wait(PATIENCE_S) == Exit.FAILED
    assert "Traceback" not in seen.shown
    assert "invalid JSON" not in seen.shown
