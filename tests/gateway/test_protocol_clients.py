"""The clients of docs/inside/protocol.md do what the page says, as they stand there, against a daemon in a process."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.daemon.running import PATIENCE_S, Daemon, Place, service
from tests.gateway.test_protocol_page import PAGE
from tests.servers.node import node
from tests.servers.not_run import free_port
from tests.servers.script import Reply, Rule, Script

__all__ = ["node"]

LINES = 32
BEGUN = "It was a dark "
WHOLE = "It was a dark and stormy night, 🦉 said the owl. "
END = "<AGENT_DONE>told</AGENT_DONE>"
SUFFIX = {"python": "py", "javascript": "mjs"}


def program(language: str) -> str:
    """The client of the page."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert isinstance(found, str)
    return found


@pytest.fixture(params=["python", pytest.param("javascript", marks=pytest.mark.faults)])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """How to run one of them."""
    language: str = request.param
    file = tmp_path / f"client.{SUFFIX[language]}"
    file.write_text(program(language))
    runner = sys.executable if language == "python" else str(request.getfixturevalue("node"))
    return [runner, str(file)]


@dataclass(frozen=True, slots=True)
class Running:
    """A client under way."""

    process: subprocess.Popen[bytes]

    def until(self, text: str) -> bytes:
        """Wait until it has printed that; all that it has printed."""
        said = b""
        assert self.process.stdout is not None
        while text.encode() not in said:
            more = self.process.stdout.read(1)
            assert more, f"it ended before {text!r}: {said.decode()!r}, {self._complaints()}"
            said += more
        return said

    def end(self) -> str:
        """What it still prints, until it ends well by itself."""
        rest, complaints = self.process.communicate(timeout=PATIENCE_S)
        assert (self.process.returncode, complaints) == (0, b"")
        return rest.decode()

    def _complaints(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()


@contextmanager
def running(client: list[str], place: Place, daemon: Daemon, question: str, token: str = "") -> Iterator[Running]:
    """A client that asks something; what is left of it at the end is killed."""
    secret = token or (place.home / "token").read_text().strip()
    environ = {name: os.environ[name] for name in ("PATH", "LANG", "HOME") if name in os.environ}
    with subprocess.Popen(
        [*client, daemon.url.replace("http", "ws", 1) + "/ws", question],
        env=environ | {"SULLA_TOKEN": secret, "PYTHONUTF8": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield Running(process)
        finally:
            if process.poll() is None:
                process.kill()


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_it_has_about_thirty_lines(language: str) -> None:
    assert len([line for line in program(language).splitlines() if line.strip()]) <= LINES


def test_it_prints_the_answer_without_a_model(client: list[str], tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    with place.up() as daemon, running(client, place, daemon, "who are you") as asker:
        said = asker.end()
    assert said.endswith("\n")
    assert "not a language model" in said
    assert said.count("not a language model") == 1, "shown live, and not again at its end"


def test_killed_in_the_middle_of_an_answer_the_daemon_costs_it_nothing(client: list[str], tmp_path: Path) -> None:
    script = Script([Rule(Reply(WHOLE + END, pieces=5, hold="half", hold_after=1))])
    with service(script) as model:
        place, port = Place(tmp_path / "home", **model.environ), str(free_port())
        with place.up("--port", port) as daemon, running(client, place, daemon, "tell me") as asker:
            asker.until(BEGUN[:5])
            daemon.ended(signal.SIGKILL)
            model.release("half")
            with place.up("--port", port):
                said = asker.end()
                _, threads, _ = place.run("thread", "list", "--json")
                assert threads.count('"thread_id"') == 1, "asked once, whatever was sent again"
    assert said.rstrip("\n").endswith(WHOLE.strip())
    (question,) = model.shown_last
    assert question.startswith("tell me")


def test_with_a_wrong_token_it_says_so_and_ends(client: list[str], tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    with place.up() as daemon, running(client, place, daemon, "hi", token="wrong") as asker:
        said, complaints = asker.process.communicate(timeout=PATIENCE_S)
    assert (asker.process.returncode, said) == (1, b"")
    assert b"the token is not valid" in complaints
