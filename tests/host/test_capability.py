"""Capabilities are found by one name each, stand behind what they need, and may come from other packages."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from sulla.capabilities import CAPABILITIES, capabilities
from sulla.core.errors import SettingsError
from sulla.host.capability import find, manifests
from tests.cli.typed import typed
from tests.house.source import ROOT

Capsys = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    """Capabilities are looked for again: a test may install some."""
    capabilities.cache_clear()
    yield
    capabilities.cache_clear()


def plant(folder: Path, monkeypatch: pytest.MonkeyPatch, **needs: str) -> None:
    """Install a package with a capability of each name, which needs the others named."""
    code = "from sulla.host.capability import Capability, Command\n"
    for name, others in needs.items():
        code += f"{name} = Capability({name!r}, needs={tuple(others.split())!r}, "
        code += f"commands={{{name!r}: Command('planted_command', 'say {name}')}})\n"
    (folder / "planted.py").write_text(code)
    (folder / "planted_command.py").write_text(
        textwrap.dedent("""
            from sulla.terminal.exits import Exit

            def arguments(command):
                command.add_argument("--loud", action="store_true", help="shout")

            def run(given):
                print("SAID" if given.loud else "said", given.command)
                return Exit.OK
        """)
    )
    info = folder / "planted-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: planted\nVersion: 1\n")
    points = "".join(f"{name} = planted:{name}\n" for name in needs)
    (info / "entry_points.txt").write_text(f"[sulla.capabilities]\n{points}")
    monkeypatch.syspath_prepend(str(folder))
    for name in ("planted", "planted_command"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_each_name_of_the_line_is_a_folder_with_a_manifest() -> None:
    assert {one.name for one in capabilities(installed=False)} == set(CAPABILITIES)
    assert all((ROOT / "sulla" / name / "capability.py").is_file() for name in CAPABILITIES)


def test_each_folder_with_a_manifest_stands_in_the_line() -> None:
    assert {path.parent.name for path in (ROOT / "sulla").glob("*/capability.py")} - {"host"} == set(CAPABILITIES)


def test_what_each_brings_is_there() -> None:
    for one in capabilities(installed=False):
        for command in one.commands.values():
            assert callable(find(f"{command.module}:run", one.name))
            assert callable(find(f"{command.module}:arguments", one.name))
        if one.checks:
            assert find(one.checks, one.name)


def test_an_installed_package_brings_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    plant(tmp_path, monkeypatch, greet="")
    assert "say greet" in typed(capsys, "--help").out
    assert typed(capsys, "greet", "--loud").out == "SAID greet\n"


def test_a_capability_stands_behind_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, monkeypatch, a="c b", b="c", c="")
    assert [one.name for one in manifests(())] == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("needs", "said"),
    [
        ({"a": "b", "b": "a"}, "need each other in a circle: a -> b -> a"),
        ({"a": "zzz"}, "the capability 'a' needs 'zzz', and there is none of that name"),
        ({"skills": ""}, "there are two capabilities named 'skills'"),
    ],
)
def test_capabilities_that_cannot_stand_together_are_refused(
    needs: dict[str, str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, monkeypatch, **needs)
    with pytest.raises(SettingsError, match=said):
        capabilities()


@pytest.mark.parametrize(
    ("dotted", "said"),
    [("sulla.nowhere:X", "No module named 'sulla.nowhere'"), ("sulla.host.capability:X", "has no attribute 'X'")],
)
def test_what_a_manifest_names_in_vain_is_said(dotted: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        find(dotted, "the capability 'planted'")


def test_an_entry_point_that_is_no_capability_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path, monkeypatch, a="")
    (tmp_path / "planted.py").write_text("a = 7\n")
    with pytest.raises(SettingsError, match="planted:a of the package 'planted' is no Capability but int"):
        manifests(())
