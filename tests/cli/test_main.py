"""The command tree, and its page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sulla
from sulla.cli.main import commands
from sulla.terminal.exits import Exit
from tests.cli.typed import typed
from tests.daemon.running import Place
from tests.house.source import ROOT
from tests.kits.in_turn import in_turn
from tests.processes.forked import start

pytestmark = in_turn(3)

COMMANDS = commands()
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")

Capsys = pytest.CaptureFixture[str]


def test_the_help_names_every_command_and_what_it_does(capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = typed(capsys, "--help")
    assert shown.code == 0
    for name, command in COMMANDS.items():
        assert re.search(rf"^ +{name} +{re.escape(command.help)}$", shown.out, re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(capsys: Capsys, name: str) -> None:
    shown = typed(capsys, name, "--help")
    assert shown.code == 0
    assert "--home DIR" in shown.out
    assert shown.err == ""


def test_the_version_is_the_packages(capsys: Capsys) -> None:
    assert typed(capsys, "--version").out == f"sulla {sulla.__version__}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "required: COMMAND (`sulla --help` lists all)"),
        (("up", "--port", "many"), "--port: invalid int value: 'many'"),
        (("status", "--colour"), "unrecognized arguments: --colour"),
        (("status", "--home", ""), "--home: expected a folder, found an empty word"),
        (("ask",), "there is no question: write one"),
        (("ask", ""), "there is no question: write one, or - and pipe it in"),
        (("ask", " \n "), "there is no question"),
        (("ask", "-"), "there is no question"),
        (("ask", "a\udcff"), "character 2 of the question is not valid UTF-8"),
    ],
)
def test_a_wrong_command_line_is_explained_and_ends_with_2(capsys: Capsys, words: tuple[str, ...], said: str) -> None:
    shown = typed(capsys, *words)
    assert (shown.code, shown.out) == (Exit.USAGE, "")
    assert said.encode(errors="backslashreplace").decode() in shown.err
    assert shown.err.startswith("usage: sulla")


@pytest.mark.parametrize("words", [("ask", "hi"), ("chat",), ("status",)])
def test_without_a_daemon_a_client_says_how_to_start_one(
    capsys: Capsys, tmp_path: Path, words: tuple[str, ...]
) -> None:
    shown = typed(capsys, *words, "--home", str(tmp_path / "none"))
    assert (shown.code, shown.out) == (Exit.UNREACHABLE, "")
    assert shown.err == (
        f"sulla: no daemon runs on the home {tmp_path / 'none'}: start one with `sulla up`, "
        "or name another with --home DIR\n"
    )
    assert not (tmp_path / "none").exists(), "asking changes nothing"


def test_a_client_does_not_care_about_the_daemons_settings(
    capsys: Capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sulla.toml").write_text("[gatway]\nport = 1\n")
    monkeypatch.setenv("SULLA_GATWAY__PORT", "1")
    assert typed(capsys, "status", "--home", str(tmp_path)).code == Exit.UNREACHABLE
    assert typed(capsys, "up", "--home", str(tmp_path)).code == Exit.SETTINGS


def test_the_page_knows_every_command() -> None:
    assert re.findall(r"^\| `sulla ([\w-]+)", PAGE, re.MULTILINE) == list(COMMANDS)


def test_the_page_knows_every_exit_code() -> None:
    assert [int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)] == list(Exit)


@pytest.mark.parametrize("words", [("doctor",), ("doctor", "--json"), ("init",), ("prompt", "show")])
def test_a_full_disk_is_one_line_and_no_traceback(tmp_path: Path, words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        code, said = _ran(words, tmp_path, full.fileno())
    assert (code, said) == (Exit.FAILED, "sulla: the output cannot be written: No space left on device\n")


@pytest.mark.parametrize("words", [("doctor",), ("status",), ("--help",), ("nonsense",)])
def test_a_reader_that_has_left_is_no_traceback(tmp_path: Path, words: tuple[str, ...]) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    code, said = _ran(words, tmp_path, writes)
    os.close(writes)
    assert code in (Exit.OK, Exit.USAGE, Exit.UNREACHABLE, Exit.PIPE)
    assert "Traceback" not in said
    assert "Exception ignored" not in said


def _ran(words: tuple[str, ...], home: Path, out: int) -> tuple[int, str]:
    """A command to its end with that standard output: its exit code, and what it complained of."""
    place = Place(home / "home")
    with (home / "errors").open("w+") as errors:
        with start(words, place.environ, stdout=out, stderr=errors.fileno(), afresh=True) as process:
            code = process.wait(50)
        errors.seek(0)
        return code, errors.read()


def test_a_command_that_leaves_nothing_to_be_done_ends_at_once_with_all_that_it_said() -> None:
    code = "import atexit, sys\nimport sulla.cli.main as cli\natexit.register(print, 'taken apart')\n"
    code += "cli._run = lambda words, *, alone: (print('said', end=''), (int(words[0]), words[1] == 'at once'))[1]\n"
    code += "sys.exit(cli.main(sys.argv[1:]))"
    for how, said in (("at once", "said"), ("in order", "saidtaken apart\n")):
        done = subprocess.run(
            [sys.executable, "-c", code, "3", how], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (3, said), done.stderr
