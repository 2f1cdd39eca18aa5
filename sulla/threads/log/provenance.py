"""Whose words a record holds. What does not say so counts as from outside. Pure.

Every class of records names it once (`provenance`), so that whoever copies words across a border asks one function, and
a record of a capability that nobody thought of makes a thread mistrusted instead of trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, Final, Literal, get_args, get_type_hints

from sulla.core.dataclass import dataclass
from sulla.core.message import UNTRUSTED

Provenance = Literal["daemon", "person", "thread", "marked", "beside"]
"""`daemon`: names, numbers and the daemon's own words. `person`: somebody with a token of this home says it. `thread`:
the model or a tool says it, from what stands in the thread: it is trusted as far as the thread is by then. `marked`:
the record's own fields say it. `beside`: they do, and no model reads the record in its thread, only people and whoever
takes it from the log."""

MARKS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "tainted": bool,
    "origin": UNTRUSTED.__contains__,
    "quoted": bool,
    "diagnostics": lambda found: "injection" in found,
}
"""The fields that say it, in a record or in a value that it holds, each with what of it means that nobody trusts it."""


def from_outside(record: object) -> bool:
    """Whether a record's words are, or may repeat, what nobody trusts.

    Args:
        record: a fact; one whose class has no `provenance` is from outside.
    """
    reading = _reading(type(record))  # type: ignore[arg-type]  # a class can be hashed
    return reading is None or _says_so(record, reading)


def taints_thread(record: object) -> bool:
    """Whether a thread that a record enters can be trusted less from here on.

    Args:
        record: a fact.
    """
    reading = _reading(type(record))  # type: ignore[arg-type]  # a class can be hashed
    return reading is None or (not reading.beside and _says_so(record, reading))


@dataclass(frozen=True, slots=True)
class _Reading:
    """Where in the records of a class it stands whose words they hold."""

    beside: bool = False
    """Whether no model reads them in their thread."""
    marks: tuple[tuple[str, Callable[[Any], bool]], ...] = ()
    parts: tuple[str, ...] = ()
    """Fields that hold a value, or several, which may say it too."""


def _says_so(value: object, where: _Reading) -> bool:
    for name, mark in where.marks:
        if mark(getattr(value, name)):
            return True
    for name in where.parts:
        held = getattr(value, name)
        for part in held if isinstance(held, tuple) else (held,):
            if part is None:
                continue
            reading = _marks_of(type(part))  # type: ignore[arg-type]  # a class can be hashed
            if _says_so(part, reading):
                return True
    return False


@cache
def _reading(cls: type) -> _Reading | None:
    """How a class is read; None if it does not say whose words it holds. Found once, since folds ask often."""
    provenance: Provenance | None = getattr(cls, "provenance", None)
    if provenance is None:
        return None
    return replace(_marks_of(cls), beside=provenance == "beside") if provenance in ("marked", "beside") else _Reading()


@cache
def _marks_of(cls: type) -> _Reading:
    hints = get_type_hints(cls, localns={"Json": object})  # a recursive alias
    names = [field.name for field in fields(cls)]
    marks = tuple((name, MARKS[name]) for name in names if name in MARKS)
    parts = (name for name in names if any(map(is_dataclass, (hints[name], *get_args(hints[name])))))
    return _Reading(marks=marks, parts=tuple(parts))
