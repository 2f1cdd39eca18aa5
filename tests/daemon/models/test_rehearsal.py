"""The turns that are had before the first one leave nothing behind, and no service hears of them."""

from __future__ import annotations

import logging
import subprocess
import sys
from dataclasses import is_dataclass
from inspect import isfunction
from pathlib import Path

import pytest

from sulla.daemon.models.choice import Choice
from sulla.daemon.models.rehearsal import rehearse
from sulla.daemon.settings.config import load_settings
from sulla.host.place import Place
from sulla.host.system import SystemClock
from sulla.models.catalog import ModelName
from tests.house.source import ROOT
from tests.servers.ollama_server import FakeOllama
from tests.servers.script import Script

LOADS = """
import asyncio, sys
from pathlib import Path
from tests.daemon.models.test_rehearsal import rehearsed
asyncio.run(rehearsed(Path(sys.argv[1]), "ollama", "http://127.0.0.1:1"))
print(*sys.modules)
"""
LATE = """
import asyncio, sys
from pathlib import Path
import sulla.daemon.run
from tests.daemon.models.test_rehearsal import put_off, rehearsed
print(len(put_off()))
asyncio.run(rehearsed(Path(sys.argv[1]), "ollama", "http://127.0.0.1:1"))
print(*put_off())
"""


async def rehearsed(home: Path, provider: str, url: str) -> None:
    environ = {"OLLAMA_HOST": url, "OPENAI_BASE_URL": f"{url}/v1", "ANTHROPIC_BASE_URL": url}
    keys = {"ANTHROPIC_API_KEY": "none", "OPENAI_API_KEY": "none"}
    settings = load_settings(environ | keys, {}, home)
    numbers = iter(range(10**6))
    place = Place(SystemClock(), lambda prefix: f"{prefix}_{next(numbers)}", "home:boot", lambda: 0.0)
    await rehearse(settings, Choice(ModelName(provider, "fake:1b"), "the test says so"), place)


@pytest.mark.parametrize("provider", ["anthropic", "openai", "ollama"])
async def test_nothing_of_it_is_kept_and_the_service_hears_nothing(
    provider: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with FakeOllama(Script([]), SystemClock()) as service:
        with caplog.at_level(logging.WARNING):
            await rehearsed(tmp_path, provider, service.url)
        assert (service.requests, service.ended) == ([], [])
    assert list(tmp_path.iterdir()) == []
    assert caplog.text == ""


def put_off() -> list[str]:
    """The loaded values of Sulla whose constructors are not compiled yet."""
    return [
        f"{name}.{one.__qualname__}"
        for name, module in sys.modules.items()
        if name.startswith("sulla.")
        for one in vars(module).values()
        if isinstance(one, type) and one.__module__ == name and is_dataclass(one)
        if "__init__" in vars(one) and not isfunction(vars(one)["__init__"])
    ]


def test_no_class_of_what_is_loaded_is_left_to_be_compiled_by_a_turn(tmp_path: Path) -> None:
    line = [sys.executable, "-c", LATE, str(tmp_path)]
    run = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    before, after = run.stdout.split("\n", 1)
    assert int(before) > 100
    assert after.split() == []


def test_what_a_library_loads_at_its_first_request_is_there_before_it(tmp_path: Path) -> None:
    line = [sys.executable, "-c", LOADS, str(tmp_path)]
    run = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "anyio._backends._asyncio" in run.stdout.split()
