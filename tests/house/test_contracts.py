"""Each import contract can fail: a planted violation breaks it, and only it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from importlinter.application.use_cases import create_report, read_user_options
from importlinter.configuration import configure
from importlinter.contracts.acyclic_siblings import AcyclicSiblingsContract
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract
from importlinter.contracts.protected import ProtectedContract
from importlinter.domain.contract import registry

from tests.house.source import ROOT, contracts, imported, module_name, nodes, python_files
from tests.kits.in_turn import in_turn
from tests.kits.points import some

pytestmark = in_turn(6)

Broken = Callable[[dict[str, str]], set[str]]
"""Takes planted lines by file (they are added to its end) and returns the contracts that break by it."""


@pytest.fixture(scope="module")
def planted_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("planted")
    shutil.copytree(ROOT / "sulla", tree / "sulla", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tree)
    configure()
    for contract in (AcyclicSiblingsContract, ForbiddenContract, LayersContract, ProtectedContract):
        registry.register(contract, contract.type_name)
    return tree


@pytest.fixture(scope="module")
def standing(planted_tree: Path) -> set[str]:
    """What is broken without any plant; `lint-imports` in `./dev check` is the gate for that."""
    return _check(planted_tree)


@pytest.fixture
def broken(planted_tree: Path, standing: set[str]) -> Iterator[Broken]:
    before: dict[Path, str | None] = {}

    def plant(lines: dict[str, str]) -> set[str]:
        for name, text in lines.items():
            path = planted_tree / "sulla" / name
            path.parent.mkdir(exist_ok=True)
            before[path] = path.read_text() if path.exists() else None
            path.write_text(f"{before[path] or ''}\n{text}\n")
        return _check(planted_tree) - standing

    yield plant
    for path, text in before.items():
        if text is None:
            path.unlink()
            if not any(path.parent.iterdir()):
                path.parent.rmdir()
        else:
            path.write_text(text)


def _check(tree: Path) -> set[str]:
    options = read_user_options(str(tree / "pyproject.toml"))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(tree)
        patch.delitem(sys.modules, "sulla", raising=False)  # else the search begins where the loaded package lies
        report = create_report(options, cache_dir=str(tree / "cache"))
    return {contract.name for contract, check in report.get_contracts_and_checks() if not check.kept}


def _adapters() -> list[str]:
    return list(contracts()["adapters"]["protected_modules"])


@pytest.mark.parametrize(
    "line",
    [
        "import sulla.tools",
        "def later():\n    import sulla.tools",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import sulla.tools",
    ],
    ids=["at the top", "inside a function", "for types only"],
)
def test_rooms_on_one_floor_do_not_know_each_other(broken: Broken, line: str) -> None:
    assert broken({"models/planted.py": line}) == {"floors"}


def test_imports_only_go_down(broken: Broken) -> None:
    assert "floors" in broken({"store/planted.py": "import sulla.agent"})


def test_the_product_does_not_import_its_doubles(broken: Broken) -> None:
    assert "floors" in broken({"daemon/planted.py": "import sulla.testing"})


def test_a_new_package_needs_a_floor(broken: Broken) -> None:
    assert broken({"utils/__init__.py": ""}) == {"floors"}


def test_siblings_do_not_import_each_other_in_a_ring(broken: Broken) -> None:
    ring = {"agent/planted.py": "import sulla.agent.planted_too", "agent/planted_too.py": "import sulla.agent.planted"}
    assert broken(ring) == {"acyclic"}


@pytest.mark.parametrize("line", ["import rich", "from anthropic import types", "import sqlite3"])
def test_a_library_stays_in_its_home(broken: Broken, line: str) -> None:
    assert broken({"tools/planted.py": line}) == {"vendors"}


@pytest.mark.parametrize("adapter", some(_adapters(), 4, "adapters"))
def test_an_adapter_is_named_by_the_composition_root_alone(broken: Broken, adapter: str) -> None:
    package = adapter.split(".")[1]
    assert broken({f"{package}/planted.py": f"import {adapter}"}) == {"adapters"}


def test_every_contract_is_proved_here() -> None:
    proved = {"floors", "acyclic", "vendors", "adapters"}
    assert set(contracts()) == proved
    assert all(contract["name"] == id_ for id_, contract in contracts().items())


def test_every_third_party_library_has_a_home() -> None:
    known = {*sys.stdlib_module_names, "sulla", *contracts()["vendors"]["forbidden_modules"]}
    homeless = {
        f"{module_name(path)} -> {name}"
        for path in python_files("sulla")
        for name in {name.split(".")[0] for name in imported(nodes(path))} - known
    }
    assert homeless == set(), "list the library in the `vendors` contract, and the modules that may import it"


def _is_part(home: str, adapter: str) -> bool:
    """Whether a module is an adapter or belongs to it: by its name's beginning, or in its folder, which is its own."""
    folder = adapter.rpartition(".")[0]
    return f"{home}_".startswith(f"{adapter}_") or (folder.count(".") > 1 and home.startswith(f"{folder}."))


def test_the_home_of_a_heavy_library_is_an_adapter_or_a_part_of_one() -> None:
    heavy = {"anthropic", "ollama", "httpx", "httpx2", "sqlite3"}
    homes: list[list[str]] = [edge.split(" -> ") for edge in contracts()["vendors"]["ignore_imports"]]
    keepers = {home for home, library in homes if library in heavy}
    assert keepers
    assert {home for home in keepers if not any(_is_part(home, name) for name in _adapters())} == set()
