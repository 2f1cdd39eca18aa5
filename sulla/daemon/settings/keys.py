"""Keys and passwords in a file of their own, `keys.toml` in the home: where a daemon finds them that no shell started.

It has the sections of `sulla.toml`, and only the settings that are secret. If others can read it, it is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel, SecretStr

from sulla.daemon.settings.sources import SECRETS, Given, Known, Wrong, from_file

KEYS_FILE: Final = "keys.toml"


def secret_names(sections: Mapping[str, type[BaseModel]]) -> dict[str, Collection[str]]:
    """The settings that are secret or can hold a secret, by section.

    Args:
        sections: all sections.
    """
    found = {
        section: {name for name, field in kind.model_fields.items() if field.annotation is SecretStr or not field.repr}
        for section, kind in sections.items()
    }
    found[SECRETS[0]] = {*found.get(SECRETS[0], ()), SECRETS[1]}
    return {section: names for section, names in found.items() if names}


def from_keys(path: Path, secret: Known, known: Known) -> Iterator[Given | Wrong]:
    """What the file says; nothing if there is none.

    Args:
        path: the file.
        secret: the settings that may stand in it.
        known: all settings.
    """
    try:
        mode = path.stat().st_mode & 0o777
    except OSError:
        mode = 0  # there is none, or it cannot be read: that is said below
    if mode & 0o077:
        remedy = f"chmod 600 '{path}', and get new keys if others may have read these"
        yield Wrong(f"{path}: others may read or write it (mode {mode:04o}), and it is for keys: {remedy}")
        return
    for given in from_file(path, known):
        if isinstance(given, Given) and given.key not in secret.get(given.section, ()):
            yield Wrong(f"{given.place()}: {given.section}.{given.key} is no secret: write it into sulla.toml")
        else:
            yield given
