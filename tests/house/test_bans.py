"""ruff, as pyproject.toml sets it up, really refuses what the house bans, and opens only the homes."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.house.source import ROOT, project

BANNED = {
    name: entry["msg"] for name, entry in project()["tool"]["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"].items()
}

PLANTED = {
    "PLC0415": "def f() -> None:\n    import json\n    json.dumps(1)\n",
    "RUF006": "import asyncio\nasync def f() -> None:\n    asyncio.create_task(f())\n",
    "TID252": "from . import planted\n",
    "D103": "def public() -> int:\n    return 1\n",
    "ANN401": "from typing import Any\ndef f(x: Any) -> None:\n    del x\n",
    "BLE001": "def f() -> None:\n    try:\n        f()\n    except Exception:\n        f()\n",
    "S110": "def f() -> None:\n    try:\n        f()\n    except Exception:\n        pass\n",
    "S101": "def f(x: int) -> None:\n    assert x\n",
    "T201": "print('hello')\n",
    "PLR0913": "def f(a: int, b: int, c: int, d: int, e: int, g: int, h: int, i: int, j: int) -> None: ...\n",
    "C901": "def f(x: int) -> int:\n"
    + "".join(f"    if x == {n}:\n        return {n + 1}\n" for n in range(11))
    + "    return 0\n",
    "PGH003": "x: int = 'a'  # type: ignore\n",
    "ASYNC230": "async def f() -> None:\n    with open('x'):\n        pass\n",
    "PTH118": "import os.path\ny = os.path.join('a', 'b')\n",
}
"""Code by the rule that must refuse it."""

HOMES = {
    "host/system.py": "import time\nx = time.time()\n",
    "terminal/place.py": "import os\nx = os.environ\n",
    "testing/planted.py": "import time\nx = time.time()\n",
    "cli/planted.py": "def f() -> None:\n    import json\n    print(json.dumps(1))\n",
    "daemon/models/providers.py": "def f() -> None:\n    import json\n    json.dumps(1)\n",
    "daemon/stores.py": "def f() -> None:\n    import json\n    json.dumps(1)\n",
}
"""Code that the rules must allow where it stands."""


def _use(name: str) -> str:
    module, _, attribute = name.partition(".")
    return f"import {module}\nx = {module}.{attribute}\n" if attribute else f"import {module}\n"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The codes that one run of ruff over a planted tree gives, by file."""
    tree = tmp_path_factory.mktemp("planted")
    shutil.copy(ROOT / "pyproject.toml", tree)
    planted = {f"agent/{code}.py": text for code, text in PLANTED.items()}
    planted |= {f"agent/use_{name.replace('.', '_')}.py": _use(name) for name in BANNED}
    for name, text in (planted | HOMES).items():
        path = tree / "sulla" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    run = subprocess.run(
        [ROOT / ".venv/bin/ruff", "check", "--no-cache", "--output-format", "json", "."],
        cwd=tree, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 1, run.stderr
    codes: dict[str, set[str]] = {name: set() for name in planted | HOMES}
    for row in json.loads(run.stdout):
        codes[Path(row["filename"]).relative_to(tree / "sulla").as_posix()].add(row["code"])
    return codes


@pytest.mark.parametrize("code", PLANTED)
def test_a_planted_fault_is_found(found: dict[str, set[str]], code: str) -> None:
    assert code in found[f"agent/{code}.py"]


@pytest.mark.parametrize("name", BANNED)
def test_a_banned_name_is_found(found: dict[str, set[str]], name: str) -> None:
    assert "TID251" in found[f"agent/use_{name.replace('.', '_')}.py"]


@pytest.mark.parametrize("name", HOMES)
def test_a_home_is_open(found: dict[str, set[str]], name: str) -> None:
    assert found[name].isdisjoint({"TID251", "PLC0415", "T201"})


def test_every_ban_says_what_to_do_instead() -> None:
    assert all(message.endswith(".") for message in BANNED.values())
