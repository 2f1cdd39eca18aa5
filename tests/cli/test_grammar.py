"""The command line's help, and what a wrong word is told."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from sulla.cli.grammar import GROUPS
from sulla.cli.main import commands, parser
from sulla.host.capability import Command
from sulla.terminal.exits import Exit
from tests.cli.typed import typed
from tests.terminal.chat.screens import seat

COMMANDS = commands()
EXAMPLES = [example for command in COMMANDS.values() for example in command.examples]

Capsys = pytest.CaptureFixture[str]


def test_the_help_has_every_command_in_its_group(capsys: Capsys) -> None:
    shown = typed(capsys, "--help").out
    of_each = {part.partition(":\n")[0]: part for part in shown.split("\n\n")}
    for name, command in COMMANDS.items():
        assert f"\n  {name} " in of_each[GROUPS[command.group]]


def test_a_command_of_another_package_stands_in_the_last_group() -> None:
    shown = parser({"count": Command("counted", "count something", "elsewhere")}).format_help()
    assert "of other packages:\n  count  count something\n" in shown


@pytest.mark.parametrize("words", [("--help",), ("schedule", "add", "--help")])
def test_help_breaks_no_word_on_a_narrow_terminal(capsys: Capsys, words: tuple[str, ...]) -> None:
    whole = typed(capsys, *words).out
    environ = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    with seat(words, environ, columns=60) as at:
        assert at.ended() == Exit.OK
    script = Path(sys.executable).parent / "sulla"
    shown = re.sub(rf"(?<= ){re.escape(str(script))}(?= )", "sulla", " ".join(at.text.split()))
    assert set(whole.split()) - set(shown.split()) <= {"sulla"}
    assert at.text.count("sulla") >= whole.count("sulla")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_has_an_example(capsys: Capsys, name: str) -> None:
    assert f"examples:\n  sulla {name}" in typed(capsys, name, "--help").out.replace("git diff | ", "")


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_understood(example: str) -> None:
    words = shlex.split(example.rpartition("| ")[2])[1:]
    assert parser(COMMANDS).parse_args(words).command in COMMANDS


@pytest.mark.parametrize(
    ("words", "usage", "said"),
    [
        (("aks",), "sulla", "there is no command 'aks'; did you mean 'ask'? (`sulla --help` lists all)"),
        (("frobnicate",), "sulla", "there is no command 'frobnicate' (`sulla --help` lists all)"),
        (("thread", "lst"), "sulla thread", "no command 'lst'; did you mean 'list'? (`sulla thread --help` lists all)"),
        (("flow", "run", "tea", "who=Ann"), "sulla flow run", "unrecognized arguments: who=Ann"),
        (("token", "create", "a", "--scope", "read", "write"), "sulla token create", "unrecognized arguments: write"),
        (("status", "--jsn"), "sulla status", "unrecognized arguments: --jsn; did you mean '--json'?"),
        (("flow", "fork", "thr_1"), "sulla flow fork", "required: --from"),
    ],
)
def test_a_wrong_word_is_told_by_the_command_that_it_was_for(
    capsys: Capsys, words: tuple[str, ...], usage: str, said: str
) -> None:
    shown = typed(capsys, *words)
    assert (shown.code, shown.out) == (Exit.USAGE, "")
    assert shown.err.startswith(f"usage: {usage} [-h]")
    assert said in shown.err
