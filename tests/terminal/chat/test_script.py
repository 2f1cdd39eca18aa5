"""A talk of sixty steps over every command looks as it was looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.terminal.chat.orders import ORDERS
from tests.terminal.chat.script import KEPT, STEPS, daemon, play


@pytest.mark.parametrize("columns", [60, pytest.param(200, marks=pytest.mark.faults)])
def test_a_talk_looks_as_it_was_kept(columns: int, tmp_path: Path) -> None:
    with daemon(tmp_path) as here:
        assert play(here, columns) == (KEPT / f"{columns}.txt").read_text()


def test_no_kept_line_is_wider_than_its_terminal() -> None:
    assert max(map(len, (KEPT / "60.txt").read_text().split("\n"))) <= 60


def test_every_command_is_in_it() -> None:
    typed = " ".join(step.keys for step in STEPS)
    assert [form.name for form in ORDERS if f"/{form.name}" not in typed and form.name != "exit"] == []
