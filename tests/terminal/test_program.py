"""What hints tell people to type."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sulla.terminal.program import hint, program, told


def _installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    script = folder / "sulla"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\n")
    script.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    program.cache_clear()
    return script


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    program.cache_clear()
    yield
    program.cache_clear()


def test_it_is_one_word_where_the_path_leads_to_this_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = _installed(tmp_path / "tool" / "bin", monkeypatch)
    (tmp_path / "local").mkdir()
    (tmp_path / "local" / "sulla").symlink_to(script)  # as uv and pipx do
    monkeypatch.setenv("PATH", str(tmp_path / "local"))
    assert (program(), hint("try `sulla up`")) == ("sulla", "try `sulla up`")


@pytest.mark.parametrize("other", [False, True])
def test_it_is_the_path_from_here_where_the_path_leads_nowhere_or_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: bool
) -> None:
    if other:
        _installed(tmp_path / "other", monkeypatch)
    script = _installed(tmp_path / "my clone" / ".venv" / "bin", monkeypatch)
    monkeypatch.setenv("PATH", str(tmp_path / "other"))
    monkeypatch.chdir(tmp_path / "my clone")
    assert (
        hint("`sulla up` starts it, `sulla ask` asks") == "`.venv/bin/sulla up` starts it, `.venv/bin/sulla ask` asks"
    )
    assert hint("do this:\n   sulla up\nand no more, sulla said") == (
        "do this:\n   .venv/bin/sulla up\nand no more, sulla said"
    )
    program.cache_clear()
    monkeypatch.chdir(tmp_path)
    assert program() == "'my clone/.venv/bin/sulla'"
    program.cache_clear()
    monkeypatch.chdir("/usr")
    assert program() == f"'{script}'"


def test_it_is_the_module_where_there_is_no_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", "")
    assert program() == f"{tmp_path}/python -m sulla"


def test_a_method_that_a_message_names_is_told_as_the_command_that_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sulla.terminal.program.program", lambda: "sulla")
    said = "no thread 'x': create one with thread.create, or list them with thread.list"
    wrong = "params.title: got 300 characters, expected at most 200; params.said_chars: missing"
    assert told(wrong) == "title: got 300 characters, expected at most 200; said chars: missing"
    assert told(said) == "no thread 'x': create one with `sulla ask`, or list them with `sulla thread list`"
