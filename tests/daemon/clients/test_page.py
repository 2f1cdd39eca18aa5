"""`docs/clients.md` says what is so: its commands are run against a real daemon."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sulla.gateway.dialects.table import ROOTS, dialect_at
from tests.daemon.running import PATIENCE_S, Daemon, Place
from tests.gateway.dialects.talker import heard
from tests.kits.in_turn import in_turn

pytestmark = in_turn(3)

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "clients.md").read_text()

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "home", SULLA_MODEL="offline", SULLA_LIMITS__MESSAGE_INTERVAL_MS="0")


@pytest.fixture
def daemon(place: Place) -> Iterator[Daemon]:
    with place.up() as running:
        yield running


def code(heading: str, language: str) -> str:
    """The first piece of code in a language under a heading."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    found = re.search(rf"^```{language}\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def run(place: Place, daemon: Daemon, *words: str) -> str:
    """What a program of the page prints."""
    token = (place.home / "token").read_text().strip()
    given = {"URL": daemon.url, "TOKEN": token, "SULLA_URL": daemon.url, "SULLA_TOKEN": token, "NO_PROXY": "*"}
    done = subprocess.run(
        words, env=place.environ | given, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return done.stdout


def test_every_dialect_has_its_place_on_the_page() -> None:
    paths = {path.partition("{")[0].rstrip("/") for dialect in map(dialect_at, ROOTS) for path in dialect.paths}
    assert {path for path in paths if path not in PAGE} == set()


def test_the_curl_commands_for_openai(daemon: Daemon, place: Place) -> None:
    if shutil.which("curl") is None:
        pytest.skip("no curl here: the same is asked with OpenAI's own client elsewhere")
    commands = code("OpenAI", "sh").replace("URL=http://127.0.0.1:8137\n", "").replace("$(sulla token)", "$TOKEN")
    printed = run(place, daemon, "sh", "-euc", commands)
    models, rest = printed.partition("}]}")[0] + "}]}", printed.partition("}]}")[2]
    assert [model["id"] for model in json.loads(models)["data"]] == ["sulla"]
    whole, end = json.JSONDecoder().raw_decode(rest)
    assert whole["choices"][0]["message"]["content"]
    assert rest[end:].startswith("data: {")
    assert rest.endswith("data: [DONE]\n\n")


def test_the_python_program_for_openai(daemon: Daemon, place: Place) -> None:
    program = code("OpenAI", "python")
    assert run(place, daemon, sys.executable, "-c", program).strip()


def test_the_curl_commands_for_snippbot_and_abi(daemon: Daemon, place: Place) -> None:
    if shutil.which("curl") is None:
        pytest.skip("no curl here: the same is asked with another client elsewhere")
    printed = dict[str, str]()
    for heading in ("Snippbot", "ABI"):
        commands = code(heading, "sh").replace("URL=http://127.0.0.1:8137\n", "").replace("$(sulla token)", "$TOKEN")
        printed[heading] = run(place, daemon, "sh", "-euc", commands)
    assert "event: delta\ndata: {" in printed["Snippbot"]
    assert printed["Snippbot"].rpartition("event: ")[2].startswith("done\ndata: {")
    text, end = json.JSONDecoder().raw_decode(printed["ABI"])
    assert text
    assert "event: message\ndata: " in printed["ABI"][end:]
    assert printed["ABI"].endswith("event: done\ndata: [DONE]\n\n")


def test_the_commands_for_mcp(daemon: Daemon, place: Place) -> None:
    if shutil.which("curl") is None:
        pytest.skip("no curl here: the same is asked with the protocol's own client elsewhere")
    commands = code("MCP", "sh").replace("URL=http://127.0.0.1:8137\n", "").replace("$(sulla token)", "$TOKEN")
    printed = run(place, daemon, "sh", "-euc", commands)
    (line,) = [line for line in printed.splitlines() if line.startswith("data: ")]
    assert json.loads(line.removeprefix("data: "))["result"]["structuredContent"]["status"] == "done"


def test_the_python_program_for_mcp(daemon: Daemon, place: Place) -> None:
    assert run(place, daemon, sys.executable, "-c", code("MCP", "python")).strip()


def test_the_program_that_mcp_hosts_start(daemon: Daemon, place: Place) -> None:
    entry = json.loads(code("MCP", "json"))["mcpServers"]["sulla"]
    asked = b"".join(
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"
        for number, (method, params) in enumerate((("initialize", HELLO), ("tools/list", {})))
    )
    words = [sys.executable, "-m", entry["command"], *entry["args"], "--home", str(place.home)]
    done = subprocess.run(words, input=asked, env=place.environ, capture_output=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    found = {one["id"]: one["result"] for one in map(json.loads, done.stdout.splitlines())}
    assert found[0]["serverInfo"]["name"] == "sulla"
    assert found[1]["tools"][0]["name"] == "ask"


def test_the_curl_command_for_ag_ui(daemon: Daemon, place: Place) -> None:
    if shutil.which("curl") is None:
        pytest.skip("no curl here: the same is asked with another client elsewhere")
    commands = code("AG-UI", "sh").replace("URL=http://127.0.0.1:8137\n", "").replace("$(sulla token)", "$TOKEN")
    told = heard(run(place, daemon, "sh", "-euc", commands), [])
    assert (told.outcome, len(told.texts)) == ("success", 1)
