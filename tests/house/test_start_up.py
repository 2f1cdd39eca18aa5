"""What may be imported to start: a command line that prints its help, and a daemon that waits for its first message."""

from __future__ import annotations

import subprocess
import sys

from tests.house.source import ROOT

SERVER = {"fastapi", "starlette", "uvicorn", "websockets", "pydantic", "orjson", "sqlite3", "asyncio"}
HEAVY = {"anthropic", "ollama", "openai", "httpx", "httpx2", "aiohttp", "tiktoken", "apscheduler", "rich", "langgraph"}


def _imported_by(line: str) -> set[str]:
    command = [sys.executable, "-c", f"{line}\nimport sys\nprint(*sys.modules)"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return {name.split(".")[0] for name in run.stdout.split()}


def test_the_help_loads_no_server_and_no_model() -> None:
    help_of_the_whole = "from sulla.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass"
    assert _imported_by(help_of_the_whole) & (SERVER | HEAVY) == set()


def test_the_daemon_starts_without_any_heavy_library() -> None:
    assert _imported_by("import sulla.daemon.run") & HEAVY == set()


def test_a_heavy_library_would_be_noticed() -> None:
    assert "rich" in _imported_by("import rich.progress")
