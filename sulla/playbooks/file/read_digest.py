"""The digest that a run of a playbook is bound to. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256

from sulla.playbooks.definition import AgentStep, Definition, LoopStep, MergeStep, ToolStep, Trigger

_FORM = 1
"""Goes up when the same definition is to be taken for another one, because what it means has changed."""


def digest_of(definition: Definition) -> str:
    """A digest of all that a definition says. Comments, spaces, the order of keys, and how a value is written do not
    count; the order of steps does.

    Args:
        definition: its own digest is left out.

    Returns:
        64 hexadecimal digits.
    """
    said = _plain(definition)
    said["digest"] = _FORM
    return sha256(json.dumps(said, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()


def _plain(value: object) -> dict[str, object]:
    """A dataclass as JSON, its class named: so that no two kinds of step look alike."""
    found: dict[str, object] = {"": type(value).__name__}
    for name in value.__slots__:  # type: ignore[attr-defined]  # every part of a definition is a dataclass with slots
        item = getattr(value, name)
        form = _FORMS.get(type(item))
        found[name] = form(item) if form is not None else _plain(item)
    for name in _ADDED.get(type(value), ()):
        if not found[name]:
            del found[name]
    if isinstance(value, Trigger) and not value.zone:
        found["zone"] = "UTC"  # what stood there once where a file named none: runs of before have to go on
    return found


def _item(value: object) -> object:
    form = _FORMS.get(type(value))
    return form(value) if form is not None else _plain(value)


def _same(value: object) -> object:
    return value


def _map(value: Mapping[str, object]) -> object:
    return {name: _item(item) for name, item in value.items()}


def _list(value: tuple[object, ...]) -> object:
    return [_item(item) for item in value]


_ADDED: Mapping[type, tuple[str, ...]] = {
    AgentStep: ("memory", "model"),
    LoopStep: ("entries", "matrix"),
    ToolStep: ("may_cut",),
    Definition: ("concurrency", "on_error", "finally_"),
    MergeStep: ("rest_goes_on",),
    Trigger: ("webhook",),
}
"""What definitions did not have once, and does not count where nothing is said: runs of before have to go on."""
_FORMS: Mapping[type, Callable[..., object]] = {
    **dict.fromkeys((str, int, float, bool, type(None)), _same),
    dict: _map,
    tuple: _list,
    list: _list,
}
