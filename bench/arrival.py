"""How long it takes somebody new to get a first answer: from a clone, and from a wheel, each with an empty home.

It installs packages, so it needs a package index; where none answers it says so and measures nothing.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.frame import Frame, Row
from bench.process import ROOT, ready_url

NAME = "arrival"

BAR_S = 60.0
"""The bar of issue 13."""

_PATIENCE_S = 600.0


def run(frame: Frame) -> list[Row]:
    """The bars are issue 13's."""
    with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
        try:
            took = {"from a clone": _clone(Path(folder)), "from a wheel": _wheel(Path(folder))}
        except subprocess.CalledProcessError as error:
            return [Row(f"not measured: `{error.cmd[0]}` failed; is there a package index?", 0.0, "s")]
    return [Row(f"first answer {name}", value, "s", ok=value <= BAR_S) for name, value in took.items()]


def _clone(folder: Path) -> float:
    """`git clone`, `./dev run`, `sulla ask`."""
    begin, clone = time.perf_counter(), folder / "clone"
    _do(["git", "clone", "--quiet", str(ROOT), str(clone)])
    _answered(["./dev", "run", "--port", "0"], clone / ".venv" / "bin" / "sulla", folder / "one", clone)
    return time.perf_counter() - begin


def _wheel(folder: Path) -> float:
    """`uv tool install` of a wheel that is there, `sulla up`, `sulla ask`."""
    uv = str(Path(sys.executable).parent / "uv")
    _do([uv, "build", "--quiet", "--wheel", "--out-dir", str(folder / "dist"), str(ROOT)])
    begin, programs = time.perf_counter(), folder / "bin"
    tools = {"UV_TOOL_DIR": str(folder / "tools"), "UV_TOOL_BIN_DIR": str(programs)}
    _do([uv, "tool", "install", "--quiet", *map(str, (folder / "dist").glob("*.whl"))], dict(os.environ) | tools)
    _answered([str(programs / "sulla"), "up", "--port", "0"], programs / "sulla", folder / "two", folder)
    return time.perf_counter() - begin


def _answered(up: Sequence[str], sulla: Path, home: Path, folder: Path) -> None:
    """A daemon on an empty home, until it has answered once."""
    environ = _environ(home)
    with subprocess.Popen(
        up, cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as daemon:
        try:
            ready_url(daemon)
            _do([str(sulla), "ask", "hello"], environ)
        finally:
            daemon.send_signal(signal.SIGTERM)


def _environ(home: Path) -> dict[str, str]:
    """What a new user's shell has."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("SULLA_", "ANTHROPIC_", "OPENAI_"))
    }
    return kept | {"SULLA_HOME": str(home), "SULLA_MODEL": "offline"}


def _do(words: Sequence[str], environ: Mapping[str, str] | None = None) -> None:
    subprocess.run(words, check=True, env=environ, capture_output=True, timeout=_PATIENCE_S)
