"""What a run of a playbook is started with, as somebody types it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sulla.core.errors import InvalidInput

Row = dict[str, Any]

FILES = (".yaml", ".yml")


def is_file(name: str) -> bool:
    """Whether a playbook is named by its file, and not by its name among the home's."""
    return name.endswith(FILES) or "/" in name


def read_text(name: str) -> str:
    """What a file says.

    Args:
        name: its path; ``-`` for standard input.

    Raises:
        InvalidInput: it cannot be read, or is no text.
    """
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"cannot read {name!r}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{name!r} is not UTF-8 (byte {error.start + 1})") from None


def read_object(name: str) -> Row:
    """What a file of inputs says.

    Raises:
        InvalidInput: it cannot be read, or is no JSON object.
    """
    try:
        found = json.loads(read_text(name))
    except ValueError as error:
        raise InvalidInput(f"{name!r} is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise InvalidInput(f"{name!r}: expected a JSON object of inputs by name, found {type(found).__name__}")
    return found


def typed_inputs(words: Sequence[str], texts: Mapping[str, bool]) -> Row:
    """What `--input` says. Pure.

    Args:
        words: each as ``name=value``.
        texts: of the inputs that are known, whether they are text; of the others what reads as JSON is that, and the
            rest is text.

    Raises:
        InvalidInput: one has no name, or its value is not JSON.
    """
    found: Row = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise InvalidInput(f"--input: expected name=value, found {word!r}")
        found[name] = _value(name, value, texts.get(name))
    return found


def typed_outputs(words: Sequence[str]) -> Row:
    """What `--output` says: as JSON where it reads as that, else as text. Pure.

    Args:
        words: each as ``step=value``.

    Raises:
        InvalidInput: one has no step.
    """
    found: Row = {}
    for word in words:
        step, equals, value = word.partition("=")
        if not equals or not step:
            raise InvalidInput(f"--output: expected step=value, found {word!r}")
        read = _value(step, value, None)
        # Of a step that comes to text a number's letters count: where reading would change them they stay text.
        found[step] = value if isinstance(read, float) and json.dumps(read) != value else read
    return found


def _value(name: str, value: str, is_text: bool | None) -> object:
    if is_text:
        return value
    try:
        return json.loads(value)
    except ValueError:
        if is_text is None:
            return value
        raise InvalidInput(f"--input {name}: expected JSON, such as 3, true or [1, 2], found {value!r}") from None
