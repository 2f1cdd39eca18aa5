"""The folder that agents work in: made at the start, and looked at before one."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from sulla.core.errors import SettingsError

REMEDY: Final = "set agent.workspace to a folder that can be written to"


def make_workspace(path: Path, home: Path) -> None:
    """Have it there.

    Args:
        path: the workspace.
        home: the home, which must not lie in it.

    Raises:
        SettingsError: it cannot be the workspace.
    """
    _keep_home_out(path, home)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"cannot make the workspace {path}: {error.strerror}; {REMEDY}") from None


def workspace_trouble(path: Path, home: Path) -> str:
    """Why a daemon could not start with a workspace; empty if it could. Nothing is made that stays.

    Args:
        path: the workspace.
        home: the home.
    """
    try:
        _keep_home_out(path, home)
    except SettingsError as error:
        return error.message
    if path.is_dir():
        return ""
    if why := why_not_made(path):
        return f"cannot make the workspace {path}: {why}; {REMEDY}"
    return ""


def why_not_made(path: Path) -> str:
    """Why a folder that is not there cannot be made; empty if it can. One beside it is made, and is gone again: who may
    write in a folder still cannot make one where the kernel keeps its own, as in `/proc`.

    Args:
        path: the folder.
    """
    try:
        there = next(folder for folder in (path, *path.parents) if folder.exists())
        if not there.is_dir():
            return f"{there} is not a folder"
        if not os.access(there, os.W_OK | os.X_OK):
            return f"{there} cannot be written to"
        made = tempfile.mkdtemp(prefix=".sulla-", dir=there)
    except OSError as error:
        return str(error.strerror)
    with suppress(OSError):  # somebody was faster
        Path(made).rmdir()
    return ""


def _keep_home_out(path: Path, home: Path) -> None:
    if home.resolve().is_relative_to(path.resolve()):
        raise SettingsError(
            f"the workspace {path} holds the home {home}, so agents could read its token and write its settings; set "
            "agent.workspace to a folder of its own, e.g. one in the home"
        )
