"""mypy runs in strict mode over everything, and really refuses what it must."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.house.source import ROOT, project

PLANTED = {
    "no-untyped-def": "def f(x):\n    return x\n",
    "type-arg": "x: list = []\n",
    "no-any-return": "import json\n\n\ndef f() -> int:\n    return json.loads('1')\n",
    "unused-ignore": "x: int = 1  # type: ignore[assignment]\n",
    "unreachable": "def f(x: int) -> int:\n    if isinstance(x, str):\n        return 1\n    return 2\n",
    "unused-awaitable": "import asyncio\n\n\nasync def f() -> None:\n    asyncio.gather(f())\n",
    "possibly-undefined": "def f(a: bool) -> int:\n    if a:\n        b = 1\n    return b\n",
}


def test_mypy_is_strict_about_everything_of_ours() -> None:
    settings = project()["tool"]["mypy"]
    assert settings["strict"] is True
    assert "pydantic.mypy" in settings["plugins"]
    assert {"sulla", "tests"} <= set(settings["files"])
    assert ("bench" in settings["files"]) == (ROOT / "bench").is_dir()


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> str:
    tree = tmp_path_factory.mktemp("planted")
    for code, text in PLANTED.items():
        (tree / f"planted_{code.replace('-', '_')}.py").write_text(text)
    run = subprocess.run(
        [ROOT / ".venv/bin/mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", ROOT / ".mypy_cache/house",
         *sorted(tree.glob("*.py"))],
        cwd=tree, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 1, run.stderr
    return run.stdout


@pytest.mark.parametrize("code", PLANTED)
def test_a_planted_fault_is_found(complaints: str, code: str) -> None:
    found = [line for line in complaints.splitlines() if line.startswith(f"planted_{code.replace('-', '_')}.py")]
    assert any(line.endswith(f"[{code}]") for line in found), found


def test_the_package_says_that_it_is_typed() -> None:
    assert Path(ROOT / "sulla/py.typed").is_file()
