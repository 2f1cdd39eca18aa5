"""A module says `Pure` in its docstring, or its package does for all of it; every machine says so, and it is true."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house.source import ROOT, awaits, contracts, module_name, nodes, parsed, python_files, says_pure, touched

MACHINES = frozenset(
    "walk graph decision fold next_task codec head state records loop route wrappers prompt playbook buffer".split()
)
"""Names that stand for a machine wherever they appear (design §1)."""

DRIVERS = {"__main__", "agent.turn.graph", "heartbeat.graph", "testing", "cli", "terminal", "daemon"}
"""Where such a name, or a file that touches nothing, is no machine: wiring, doubles, commands, the composition root."""


def _is_driver(module: str) -> bool:
    drivers = {f"sulla.{name}" for name in DRIVERS} | set(contracts()["adapters"]["protected_modules"])
    if ".cli." in module:
        return True  # a capability's commands
    return any(module == name or module.startswith(f"{name}.") for name in drivers)


def _modules() -> dict[str, Path]:
    return {module_name(path): path for path in python_files("sulla") if path.name != "__init__.py"}


def test_a_machine_is_known_by_its_name() -> None:
    machines = {
        module
        for module in _modules()
        if module.split(".")[-1] in MACHINES
        or module.endswith(("_wire", ".wire"))
        or module == "sulla.gateway.websocket.session"
    }
    silent = {module for module in machines if not says_pure(_modules()[module]) and not _is_driver(module)}
    assert silent == set(), "these are machines by their names: say `Pure.` in their docstrings, or name them otherwise"


def test_a_module_that_touches_nothing_and_waits_for_nothing_says_so() -> None:
    silent = {
        module
        for module, path in _modules().items()
        if not says_pure(path) and not _is_driver(module) and not touched(nodes(path))
    }
    assert silent == set(), "say `Pure.` in their docstrings"


def test_a_pure_module_touches_nothing_and_waits_for_nothing() -> None:
    found = {
        str(path.relative_to(ROOT)): touched(nodes(path))
        for path in python_files("sulla")
        if says_pure(path) and touched(nodes(path))
    }
    assert found == {}, "they say that they are pure"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("import time", "time"),
        ("import asyncio", "asyncio"),
        ("from os import environ", "os"),
        ("import concurrent.futures as f", "concurrent"),
        ("def f():\n    import random", "random"),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from anyio import abc", "anyio"),
        ("async def f(g):\n    await g()", "await"),
        ("async def f(g):\n    return [x async for x in g]", "await"),
    ],
)
def test_a_touch_is_noticed(line: str, what: str) -> None:
    text = (ROOT / "sulla" / "graph" / "walk.py").read_text()
    assert touched(parsed(text)) == set()
    assert touched(parsed(f"{text}\n{line}\n")) == {what}


def test_a_promise_does_not_wait() -> None:
    assert not awaits(parsed("class Promise:\n    async def f(self): ..."))


def test_only_a_module_s_own_docstring_or_its_package_s_counts(tmp_path: Path) -> None:
    texts = {
        '"""What it is. Pure."""\n': True,
        '"""What it is.\n\nPure: it waits for nothing.\n"""\n': True,
        '"""Impure, and purely so."""\n': False,
        '"""What it is."""\n\nclass One:\n    """Pure."""\n': False,
        'import time\n"""Pure."""\n': False,
    }
    for number, (text, pure) in enumerate(texts.items()):
        (tmp_path / f"{number}.py").write_text(text)
        assert says_pure(tmp_path / f"{number}.py") is pure, text
    assert says_pure(ROOT / "sulla" / "core" / "ids.py"), "its package says it"
