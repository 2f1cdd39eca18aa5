"""What a home needs before its first start: settings, a schema, a token, a workspace, and things to begin with."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError
from sulla.daemon.settings.config import FILE
from sulla.daemon.settings.keys import KEYS_FILE
from sulla.daemon.settings.keys_text import with_key
from sulla.daemon.settings.schema import schema_text
from sulla.daemon.settings.sources import read_regular
from sulla.daemon.settings.starter import SCHEMA_FILE
from sulla.definitions.agents import AGENTS
from sulla.definitions.examples import EXAMPLES
from sulla.host.home import TOKEN, Home
from sulla.host.shipped import shipped
from sulla.playbooks.catalog import PLAYBOOKS
from sulla.playbooks.files import bring_playbooks


@dataclass(frozen=True, slots=True)
class Founded:
    """What was made, and what was there."""

    made: tuple[Path, ...]
    kept: tuple[Path, ...]
    backup: Path | None = None
    """Where the settings are that were replaced."""


def found_home(
    path: Path, settings: str | None, workspace: Path, make_token: Callable[[], str], *, replace: bool = False
) -> Founded:
    """Make what is missing; what is there stays as it is.

    Args:
        path: the home.
        settings: the text of a new `sulla.toml`; None to leave the one that is there.
        workspace: the agent's folder.
        make_token: makes the owner's token.
        replace: whether settings that are there are kept as a numbered copy, and new ones written.

    Raises:
        SettingsError: something cannot be made; the message names it.
    """
    made: list[Path] = []
    kept: list[Path] = []
    home = Home(path)
    had_token = home.known_token() is not None
    home.token(make_token)  # makes the home, too
    (kept if had_token else made).append(path / TOKEN)
    file, backup = path / FILE, None
    try:
        if replace and file.exists():
            backup = _copy_aside(file)
            _write(file, settings or "")
            made.append(file)
        elif settings is not None and _write_new(file, settings):
            made.append(file)
        else:
            kept.append(file)
        schema = path / SCHEMA_FILE
        if not schema.exists() or schema.read_text(encoding="utf-8", errors="replace") != schema_text():
            _write(schema, schema_text())
            made.append(schema)
        else:
            kept.append(schema)
        (kept if workspace.is_dir() else made).append(workspace)
        workspace.mkdir(parents=True, exist_ok=True)
        made += _write_examples(path / AGENTS)
        playbooks = bring_playbooks(path / PLAYBOOKS, shipped(PLAYBOOKS))
        made += [playbooks] if playbooks is not None else []
    except OSError as error:
        what = error.filename or path
        raise SettingsError(f"{what} cannot be made: {error.strerror}; name another home with --home DIR") from None
    return Founded(tuple(made), tuple(kept), backup)


def keep_keys(home: Path, keys: Mapping[str, str]) -> Path | None:
    """Write keys of models' services down, for their owner alone; those that are there stay.

    Args:
        home: the home.
        keys: by their names in the section `model`.

    Returns:
        Where they are; None if there are none.

    Raises:
        SettingsError: the file cannot be read or written.
    """
    if not keys:
        return None
    file = home / KEYS_FILE
    try:
        text = read_regular(file) if file.exists() else ""
        for name, key in keys.items():
            text = with_key(text, "model", name, key)
        _write(file, text)
    except (OSError, ValueError) as error:
        raise SettingsError(f"{file} cannot be written: {error}") from None
    return file


def _write_examples(agents: Path) -> list[Path]:
    """Agents to look at, in a home that never had any; where they were made, if they were."""
    try:
        agents.mkdir(mode=0o700)
    except FileExistsError:
        return []
    for example, files in EXAMPLES.items():
        (agents / example).mkdir(mode=0o700)
        for name, text in files.items():
            _write(agents / example / name, text)
    return [agents / example for example in EXAMPLES]


def _copy_aside(file: Path) -> Path:
    """Copy a file to the first free number behind its name."""
    text = file.read_bytes()
    for number in count(1):
        copy = file.with_name(f"{file.name}.{number}")
        try:
            _write_draft(copy, text)
        except FileExistsError:
            continue
        return copy
    raise AssertionError("numbers do not end")


def _write_new(file: Path, text: str) -> bool:
    """Write a file as a whole, unless there is one."""
    draft = _draft(file, text)
    try:
        os.link(draft, file)
    except FileExistsError:
        return False
    finally:
        draft.unlink()
    return True


def _write(file: Path, text: str) -> None:
    """Write a file as a whole, in the place of the one that is there."""
    _draft(file, text).replace(file)


def _draft(file: Path, text: str) -> Path:
    draft = file.with_name(f".{file.name}.{os.getpid()}.new")
    draft.unlink(missing_ok=True)
    _write_draft(draft, text.encode())
    return draft


def _write_draft(path: Path, data: bytes) -> None:
    """Write a file that is not there yet, for its owner alone, and have the disk keep it.

    Raises:
        FileExistsError: it is there.
    """
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
