"""`docs/inside/rest.md` says what is so: its commands are run against a real daemon."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from sulla.gateway.problems import Malformed
from sulla.gateway.rest.models import Failure, Reason
from sulla.gateway.rest.routes import ROUTES
from tests.daemon.running import PATIENCE_S, Daemon, Place

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "inside" / "rest.md").read_text()
COMMANDS = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    # A script types faster than a person: the daemon would ask it to wait between two messages.
    return Place(tmp_path / "home", SULLA_MODEL="offline", SULLA_LIMITS__MESSAGE_INTERVAL_MS="0")


@pytest.fixture
def daemon(place: Place) -> Iterator[Daemon]:
    with place.up() as running:
        yield running


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table under a heading, without its head."""
    table = PAGE.partition(f"\n## {heading}\n")[2].partition("\n| --- ")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[1:]]


def test_every_path_is_in_the_table() -> None:
    written = {(cells[0].strip("` "), re.findall(r"`([^`]+)`", cells[1])[0]) for cells in rows("All paths")}
    assert written == {(f"{route.verb} {route.path}", route.name) for route in ROUTES}
    scopes = {cells[0].strip("` "): re.findall(r"`([^`]+)`", cells[2])[0] for cells in rows("All paths")}
    assert scopes == {f"{route.verb} {route.path}": route.method.scope for route in ROUTES}


def test_every_reason_for_an_end_is_explained() -> None:
    assert {cells[0].strip("` ") for cells in rows("Streams")} == set(get_args(Reason))


def test_the_example_of_a_failure_has_its_form() -> None:
    (example,) = re.findall(r'^(\{"error":.*\})$', PAGE, re.MULTILINE)
    Failure.model_validate(json.loads(example))
    assert Malformed(408, "timeout", "x").problem.code in PAGE


def test_its_commands_do_what_it_says(daemon: Daemon, place: Place) -> None:
    if shutil.which("curl") is None:
        pytest.skip("no curl here: the paths, the models and the streams are tested without it elsewhere")
    given = {"URL": daemon.url, "TOKEN": (place.home / "token").read_text().strip()}
    begin = 'set -eu\nAUTH="Authorization: Bearer $TOKEN"\nJSON="Content-Type: application/json"\n'
    assert 'AUTH="Authorization: Bearer $(sulla token)"' in COMMANDS[0]
    script = begin + "printf '\\n=====\\n'\n".join(COMMANDS[1:])
    done = subprocess.run(
        ["sh", "-c", script], env=place.environ | given, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    made, taken, shown, kept, ended, about = done.stdout.split("\n=====\n")
    thread_id = json.loads(made)["thread_id"]
    assert json.loads(taken).keys() == {"run_id", "seq", "message_id"}
    assert shown.rstrip().endswith('event: end\ndata: {"reason":"finished"}')
    assert "event: TEXT_MESSAGE_END" in shown
    assert [item.keys() for item in values(kept)] == [
        *({"threads", "next"}, values(kept)[1].keys()),
        {"events", "more"},
    ]
    assert values(kept)[1]["thread_id"] == thread_id
    assert [item.keys() for item in values(ended)] == [{"seq"}, {"seq"}, {"thread_id"}]
    assert values(about)[0] == {"questions": [], "next": None}


def values(text: str) -> list[dict[str, object]]:
    """The JSON objects that stand one behind the other."""
    decoder, found, place = json.JSONDecoder(), list[dict[str, object]](), 0
    while place < len(text.rstrip()):
        value, place = decoder.raw_decode(text, place)
        found.append(value)
    return found
