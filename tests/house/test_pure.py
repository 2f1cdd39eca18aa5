"""The `pure` contract lists every machine, and nothing in it waits."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.house.source import contracts, imported, module_name, python_files, syntax

MACHINES = frozenset(
    "walk graph decision fold desk codec head state facts loop route wrappers budget prompt playbook buffer".split()
)
"""Names that stand for a machine wherever they appear (design §1)."""

DRIVERS = {"__main__", "agent.graph", "heartbeat.graph", "testing", "cli", "terminal", "daemon"}
"""Where such a name, or a file that touches nothing, is no machine: wiring, doubles, commands, the composition root."""


def _listed() -> set[str]:
    return set(contracts()["pure"]["source_modules"])


def _is_listed(module: str) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in _listed())


def _is_driver(module: str) -> bool:
    drivers = {f"sulla.{name}" for name in DRIVERS} | set(contracts()["adapters"]["protected_modules"])
    return any(module == name or module.startswith(f"{name}.") for name in drivers)


def _awaits(tree: ast.Module) -> bool:
    """Whether anything waits. A promise (an ``async def`` without a body) does not."""
    return any(
        isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith)
        or (isinstance(node, ast.comprehension) and node.is_async)
        for node in ast.walk(tree)
    )


def _modules() -> dict[str, Path]:
    return {module_name(path): path for path in python_files("sulla") if path.name != "__init__.py"}


def test_each_listed_module_exists() -> None:
    known = set(_modules()) | {module_name(path) for path in python_files("sulla")}
    assert _listed() <= known


def test_a_machine_is_listed_by_its_name() -> None:
    machines = {
        module
        for module in _modules()
        if module.split(".")[-1] in MACHINES or module.endswith(("_wire", ".wire")) or module == "sulla.gateway.session"
    }
    assert {module for module in machines if not _is_listed(module) and not _is_driver(module)} == set()


def test_a_module_that_touches_nothing_and_waits_for_nothing_is_listed() -> None:
    forbidden = set(contracts()["pure"]["forbidden_modules"])
    overlooked = {
        module
        for module, path in _modules().items()
        if not _is_listed(module)
        and not _is_driver(module)
        and not _awaits(syntax(path))
        and not any(name.split(".")[0] in forbidden for name in imported(syntax(path)))
    }
    assert overlooked == set(), "add these to the `pure` contract in pyproject.toml"


def test_a_pure_module_never_waits() -> None:
    assert {module for module, path in _modules().items() if _is_listed(module) and _awaits(syntax(path))} == set()


def test_waiting_is_noticed() -> None:
    assert _awaits(ast.parse("async def f(g):\n    await g()"))
    assert _awaits(ast.parse("async def f(g):\n    return [x async for x in g]"))
    assert not _awaits(ast.parse("class Promise:\n    async def f(self): ..."))
