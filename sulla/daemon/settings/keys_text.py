"""The text of `keys.toml`, as `sulla init` writes it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Final

from sulla.daemon.settings.starter import literal

_HEAD: Final = """\
# Keys and passwords: the settings of sulla.toml that are secret, and no others. Variables of the environment win
# over them. Nobody but you may read this file (chmod 600).
"""


def with_key(text: str, section: str, key: str, value: str) -> str:
    """The text of the file with one more key, or another value for it.

    Args:
        text: as it was; empty for none.
        section: of the setting.
        key: its name there.
        value: the secret.

    Raises:
        ValueError: the text is no TOML.
    """
    tables = tomllib.loads(text)
    tables.setdefault(section, {})[key] = value
    return _HEAD + "".join(line for name, table in tables.items() for line in _table(name, table))


def _table(name: str, table: Mapping[str, object]) -> Iterator[str]:
    plain = {key: value for key, value in table.items() if not isinstance(value, dict)}
    yield f"\n[{name}]\n"
    yield from (f"{_quoted(key)} = {literal(value)}\n" for key, value in plain.items())
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _table(f"{name}.{_quoted(key)}", value)


def _quoted(key: str) -> str:
    return key if key.replace("_", "").replace("-", "").isalnum() and key.isascii() else literal(key)
