"""A talk in a real tmux: nothing that was drawn stands there twice, however its window is pulled."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.daemon.running import PATIENCE_S, Place, service
from tests.servers.script import Reply, Rule, Script
from tests.soon import pause, until
from tests.terminal.chat.conftest import SETTINGS
from tests.terminal.chat.script import LABEL

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed here"),
]

PARAGRAPHS = [f"Paragraph {number} says that the quick brown fox jumps over the lazy dog." for number in range(12)]
RULES = (Rule(Reply("\n\n".join(PARAGRAPHS) + "<AGENT_DONE/>", pieces=60, delay_s=0.08)),)
COLUMNS = (110, 100, 90, 80, 70, 60, 50, 45, 40)


class Tmux:
    """A server of its own with one window. It lives as long as the block that made it.

    Args:
        folder: for its socket.
    """

    def __init__(self, folder: Path) -> None:
        self._socket = folder / "tmux"

    def __call__(self, *words: str) -> str:
        """A command of tmux; what it prints."""
        begun = ("tmux", "-f", os.devnull, "-S", str(self._socket), *words)
        return subprocess.run(begun, capture_output=True, text=True, check=True, timeout=PATIENCE_S).stdout

    @property
    def seen(self) -> str:
        """All that is to be seen, with what has moved off the top; rows that were broken are whole lines."""
        return self("capture-pane", "-p", "-J", "-S", "-")


@contextmanager
def tmux(
    folder: Path, environ: Mapping[str, str], command: str = "chat", columns: int = 120, module: str = "-m sulla"
) -> Iterator[Tmux]:
    """A command in a window."""
    one = Tmux(folder)
    named = " ".join(f"{name}={shlex.quote(value)}" for name, value in environ.items())
    run = f"env -u COLUMNS {named} {shlex.quote(sys.executable)} {module} {command}; read end"
    one("new-session", "-d", "-x", str(columns), "-y", "30", run)
    try:
        yield one
    finally:
        one("kill-server")


def pulled(one: Tmux) -> None:
    for columns in COLUMNS:
        one("resize-window", "-x", str(columns), "-y", "30")
        pause()


def cleared(one: Tmux) -> None:
    one("send-keys", "C-l")


@pytest.mark.parametrize("act", [pulled, cleared])
def test_no_line_is_doubled_while_an_answer_comes(act: Callable[[Tmux], None], tmp_path: Path) -> None:
    with service(Script(RULES)) as model:
        place = Place(tmp_path / "home", **SETTINGS, **model.environ)
        with place.up(), tmux(tmp_path, place.environ) as one:
            until(lambda: LABEL in one.seen, "the talk begins")
            one("send-keys", "tell me", "Enter")
            until(lambda: "Paragraph 3" in one.seen, "the answer comes")
            act(one)
            until(lambda: "[done:" in one.seen, "the answer has come")
            shown = re.findall(r"^Paragraph (\d+) says", one.seen, re.MULTILINE)
            assert shown == [str(number) for number in range(12)]
            assert one.seen.count(LABEL) <= 1


def test_what_can_be_typed_at_a_question_stands_there_once_however_the_window_is_pulled(tmp_path: Path) -> None:
    """With a target that `always` would allow, it is wider than the window becomes."""
    hint = "[y]es, [n]o, always (from now on, for host:docs.example.org), or why not> "
    code = (
        "import asyncio; from sulla.host.system import SystemClock; from sulla.terminal.keyboard import read_answer; "
        f"print('frame'); print('so:', asyncio.run(read_answer({hint!r}, SystemClock())))"
    )
    with tmux(tmp_path, {"PYTHONUTF8": "1"}, f"-c {shlex.quote(code)}", module="") as one:
        until(lambda: "[y]es, [n]o" in one.seen, "the question can be answered")
        one("send-keys", "because it")
        for columns in (*COLUMNS, *reversed(COLUMNS)):
            one("resize-window", "-x", str(columns), "-y", "30")
            pause()
        one("send-keys", " is late", "Enter")
        until(lambda: "so: because it is late" in one.seen, "the answer is taken")
        assert one.seen.count("[y]es, [n]o") == 1, one.seen


def test_init_breaks_no_word(tmp_path: Path) -> None:
    def words(one: Tmux) -> str:
        return " ".join(one("capture-pane", "-p", "-S", "-").split())

    place = Place(tmp_path / "home")
    with tmux(tmp_path, place.environ, "init", 30) as one:
        until(lambda: "or a name:" in words(one), "which model is asked")
        one("send-keys", "Enter")
        until(lambda: "[/" in words(one), "where the workspace is to be is asked")
        assert "Folder for the files that agents work on [" in words(one)
        one("send-keys", "Enter")
        until(lambda: "for work at set times" in words(one), "the zone is asked")
        one("send-keys", "Enter")
        until(lambda: "looks for what is wrong" in words(one), "what was made is told")
        assert "asks it something, in another terminal" in words(one), one("capture-pane", "-p", "-S", "-")
