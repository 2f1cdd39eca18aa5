"""The folder that agents work in: what is said before a start that could not make it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.core.errors import SettingsError
from sulla.daemon.home.workspace import make_workspace, workspace_trouble


@pytest.mark.parametrize("path", ["/proc/nope", "{home}/file/inner", "{home}", "/"])
def test_what_the_start_refuses_is_known_before_it(tmp_path: Path, path: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "file").write_text("")
    wanted = Path(path.format(home=home))
    said = workspace_trouble(wanted, home)
    with pytest.raises(SettingsError):
        make_workspace(wanted, home)
    assert str(wanted) in said


def test_looking_leaves_nothing_behind(tmp_path: Path) -> None:
    assert workspace_trouble(tmp_path / "a" / "b", tmp_path / "home") == ""
    assert list(tmp_path.iterdir()) == []
