"""A capability knows of another only what it needs: its manifest says of which (house.md 2.4)."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from sulla.capabilities import CAPABILITIES, capabilities
from tests.house.source import ROOT

NEEDS = {one.name: set(one.needs) for one in capabilities(installed=False)}


@cache
def imported(path: Path) -> Sequence[str]:
    """The packages below `sulla` that a file imports, lazily and for types alone too."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        yield from (name.split(".")[1] for name in names if name.startswith("sulla."))


def strangers(folder: Path, capability: str, needs: set[str]) -> set[str]:
    """What is imported there of capabilities that are not needed, each as ``file: capability``."""
    return {
        f"{path.relative_to(folder)}: {name}"
        for path in folder.rglob("*.py")
        for name in imported(path)
        if name in CAPABILITIES and name not in {capability, *needs}
    }


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_a_capability_imports_only_those_that_it_needs(capability: str) -> None:
    assert strangers(ROOT / "sulla" / capability, capability, NEEDS[capability]) == set()


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_a_capability_needs_only_those_that_it_imports(capability: str) -> None:
    found = {name for path in (ROOT / "sulla" / capability).rglob("*.py") for name in imported(path)}
    assert NEEDS[capability] - found == set()


@pytest.mark.parametrize(
    "text", ["from sulla.speech.rpc import METHODS", "def late() -> None:\n    import sulla.speech.rpc"]
)
def test_an_import_that_is_not_declared_is_found(text: str, tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(text)
    assert strangers(tmp_path, "skills", set()) == {"planted.py: speech"}
    assert strangers(tmp_path, "skills", {"speech"}) == set()
