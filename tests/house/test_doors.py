"""A package's door is what it says it is."""

from __future__ import annotations

import ast
import importlib

import pytest

from sulla.capabilities import CAPABILITIES
from tests.house.source import ROOT, packages, syntax

DOORLESS = ("core", "host", "terminal")
"""Many small modules that everybody uses, imported one by one."""

DOORS = [package for package in packages() if package not in {*DOORLESS, *CAPABILITIES}]

AMBIGUOUS = {"cli.main", "graph.draw", "tools.define", "threads.next_task"}
"""Functions that hide the module they come from. Who imports one by the door is named in the door's contract."""


def _door(package: str) -> ast.Module:
    return syntax(ROOT / "sulla" / package / "__init__.py")


def _listed(tree: ast.Module) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def _brought_in(tree: ast.Module) -> set[str]:
    """The names that the door imports or defines itself, apart from ``__future__`` and private ones."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
    return {name for name in names if not name.startswith("_")}


def test_every_package_has_an_init_file() -> None:
    assert [package for package in packages() if not (ROOT / "sulla" / package / "__init__.py").is_file()] == []


@pytest.mark.parametrize("package", DOORS)
def test_a_door_lists_what_it_brings_in(package: str) -> None:
    tree = _door(package)
    assert set(_listed(tree)) == _brought_in(tree)


@pytest.mark.parametrize("package", DOORS)
def test_a_door_lists_each_name_once(package: str) -> None:
    listed = _listed(_door(package))
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("package", DOORS)
def test_every_listed_name_resolves(package: str) -> None:
    module = importlib.import_module(f"sulla.{package}")
    assert [name for name in _listed(_door(package)) if not hasattr(module, name)] == []


def test_no_listed_name_hides_a_module() -> None:
    """``from sulla.x import y`` must mean one thing: the contracts take `y` for the module, if there is one."""
    modules = {package: {path.stem for path in (ROOT / "sulla" / package).glob("*.py")} for package in DOORS}
    hidden = {f"{package}.{name}" for package in DOORS for name in set(_listed(_door(package))) & modules[package]}
    assert hidden == AMBIGUOUS


def test_packages_without_a_door_bring_nothing_in() -> None:
    light = (*DOORLESS, *CAPABILITIES)  # a capability's manifest is read for the help, so its folder must load nothing
    assert {package: _brought_in(_door(package)) for package in light} == {package: set() for package in light}
