"""Writes a channel into the text of `sulla.toml`, and takes one out of it; all else stays as it stands."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from sulla.channels.addresses import is_by_channel, split
from sulla.core.errors import Conflict, NotFound, SettingsError

_HEADER: Final = re.compile(r"^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_ACCOUNTS: Final = "channels.accounts"
Plain = str | bool | int | float
"""What an option can be that is typed."""


def added(text: str, name: str, kind: str, options: Mapping[str, Plain], secrets: Mapping[str, str]) -> str:
    """The text with one more channel at its end.

    Args:
        text: of the file.
        name, kind, options, secrets: the channel's.

    Raises:
        Conflict: there is one of that name, or `channels` is written in a form that nothing can be added to.
    """
    if name in _names(text):
        raise Conflict(
            f"there is a channel {name!r} already: `sulla channel remove {name}` first, or take another name"
        )
    lines = [f"[[{_ACCOUNTS}]]", f"name = {_literal(name)}", f"kind = {_literal(kind)}"]
    if options:
        lines.append("options = { " + ", ".join(f"{key} = {_literal(value)}" for key, value in options.items()) + " }")
    if secrets:
        lines.append("secrets = { " + ", ".join(f"{key} = {_literal(value)}" for key, value in secrets.items()) + " }")
    made = text.rstrip("\n") + "\n\n" + "\n".join(lines) + "\n"
    try:
        tomllib.loads(made)
    except tomllib.TOMLDecodeError as error:
        raise Conflict(f"nothing can be added to [channels] as sulla.toml has it ({error}): do it by hand") from None
    return made


def notices_by(text: str, name: str) -> list[str]:
    """The channels of `[notify]` whose notices go by a channel.

    Args:
        text: of the file.
        name: the channel.
    """
    by = list[str]()
    match tomllib.loads(text):
        case {"notify": {"channels": [*found], **rest}}:
            secrets = rest.get("secrets")
            for one in found:
                match one, secrets:
                    case ({"name": str(of), "address": str(address)}, _):
                        pass
                    case ({"name": str(of), "secret": str(secret)}, {**kept}):
                        address = str(kept.get(secret, ""))
                    case _:
                        continue  # the settings' own fault, which is told where they are read
                if is_by_channel(address) and split(address)[0] == name:
                    by.append(of)
    return by


def removed(text: str, name: str) -> str:
    """The text without a channel.

    Raises:
        NotFound: there is none of that name, or it does not stand in a section of its own.
    """
    if name not in _names(text):
        known = ", ".join(_names(text)) or "none"
        raise NotFound(f"sulla.toml has no channel {name[:60]!r}; there are: {known}")
    lines = text.splitlines(keepends=True)
    begins = [number for number, line in enumerate(lines) if _header(line) and line.lstrip().startswith("[[")]
    for start in begins:
        end = next((n for n in range(start + 1, len(lines)) if _ends(lines[n])), len(lines))
        try:
            block = tomllib.loads("".join(lines[start:end]))["channels"]["accounts"][0]
        except (tomllib.TOMLDecodeError, KeyError, IndexError, TypeError):
            continue
        if block.get("name") == name:
            return "".join([*lines[:start], *lines[end:]]).rstrip("\n") + "\n"
    raise NotFound(f"the channel {name!r} does not stand in a section [[{_ACCOUNTS}]] of its own: remove it by hand")


def write(path: Path, text: str) -> None:
    """Put a text into a file's place in one step; nobody else can read it.

    Raises:
        SettingsError: the disk does not take it.
    """
    beside = path.with_suffix(".new")
    try:
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise SettingsError(f"{path.name} cannot be written: {error.strerror}") from None


def _header(line: str) -> bool:
    match = _HEADER.match(line)
    return match is not None and match.group(1).replace(" ", "") == _ACCOUNTS


def _ends(line: str) -> bool:
    """Whether another section begins, which is not a part of this one."""
    match = _HEADER.match(line)
    return match is not None and not match.group(1).replace(" ", "").startswith(f"{_ACCOUNTS}.")


def _names(text: str) -> list[str]:
    try:
        accounts = tomllib.loads(text).get("channels", {}).get("accounts", [])
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"sulla.toml cannot be read: {error}") from None
    return [str(one.get("name")) for one in accounts]


def _literal(value: Plain) -> str:
    """A text, a number, or yes or no as TOML writes it."""
    if not isinstance(value, str):
        return json.dumps(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in escaped) + '"'
