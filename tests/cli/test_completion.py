"""`sulla completion`, tried in the shells that it is for."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sulla.cli.completion import SHELLS
from sulla.cli.main import commands
from sulla.terminal.exits import Exit
from tests.cli.terminal import at_a_terminal
from tests.cli.typed import typed

COMMANDS = commands()
Capsys = pytest.CaptureFixture[str]

BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMPREPLY=()
"$(complete -p sulla | sed -E 's/.*-F ([^ ]+) .*/\\1/')"
printf '%s\\n' "${COMPREPLY[@]}"
"""

FISH = """
source $argv[1]
complete -C "$argv[2]" | string split -f 1 \\t
"""

ZSH = """\
autoload -Uz compinit && compinit -u -D
eval "$(cat '{script}')"
sulla() {{ print -r -- "got <$*>" }}
sulla doc\t
sulla init --fo\t
sulla completion f\t
exit
"""
"""Typed at a terminal: zsh completes nothing for a program that only pretends to be a person."""

INIT = {
    f"--{name}" for name in "help home force yes model workspace zone keep-key key-stdin check service json".split()
}
"""The options of a command that has many."""


@pytest.fixture
def script(tmp_path: Path, capsys: Capsys, request: pytest.FixtureRequest) -> Path:
    """The printed script of the shell that the test names."""
    shell = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed here")
    shown = typed(capsys, "completion", shell)
    assert (shown.code, shown.err) == (Exit.OK, "")
    path = tmp_path / f"sulla.{shell}"
    path.write_text(shown.out)
    return path


def _run(*command: str | Path, cwd: Path) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=50, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_is_in_the_script(capsys: Capsys, shell: str) -> None:
    shown = typed(capsys, "completion", shell)
    assert all(name in shown.out for name in COMMANDS)
    assert shown.out.endswith("\n")


def test_another_shell_is_refused_with_those_that_there_are(capsys: Capsys) -> None:
    shown = typed(capsys, "completion", "tcsh")
    assert shown.code == Exit.USAGE
    assert "invalid choice: 'tcsh' (choose from 'bash', 'zsh', 'fish')" in shown.err


@pytest.mark.parametrize("script", ["bash"], indirect=True)
def test_bash_completes_commands_options_choices_and_folders(script: Path, tmp_path: Path) -> None:
    def offered(*words: str) -> list[str]:
        return _run("bash", "--norc", "-c", BASH, "bash", script, *words, cwd=tmp_path)

    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    assert offered("sulla", "") == list(COMMANDS)
    assert offered("sulla", "doc") == ["doctor"]
    assert set(offered("sulla", "init", "--")) == INIT
    assert set(offered("sulla", "up", "--")) == {"--accept-store", "--help", "--home", "--host", "--port", "--role"}
    assert offered("sulla", "completion", "") == list(SHELLS)
    assert "export" in offered("sulla", "thread", "")
    assert offered("sulla", "--home", "f") == ["folder"]
    assert offered("sulla", "doctor", "--home", "f") == ["folder"]
    assert set(offered("sulla", "--home", "folder", "doctor", "--")) == {"--compact", "--help", "--home", "--json"}


@pytest.mark.parametrize("script", ["fish"], indirect=True)
def test_fish_completes_commands_options_and_choices(script: Path, tmp_path: Path) -> None:
    def offered(line: str) -> list[str]:
        return _run("fish", "--no-config", "-c", FISH, script, line, cwd=tmp_path)

    assert set(offered("sulla ")) >= set(COMMANDS)
    assert offered("sulla doc") == ["doctor"]
    assert set(offered("sulla init --")) == INIT
    assert set(offered("sulla completion ")) == set(SHELLS)


@pytest.mark.parametrize("script", ["zsh"], indirect=True)
def test_zsh_completes_commands_options_and_choices(script: Path) -> None:
    _, shown = at_a_terminal(["zsh", "-f", "-i"], ZSH.format(script=script), os.environ)
    for words in ("doctor", "init --force", "completion fish"):
        assert f"got <{words}>" in shown, shown
