"""Whose words a record holds. What does not say so counts as from outside. Pure.

Every class of records names it once (`provenance`), so that whoever copies words across a border asks one function, and
a record of a capability that nobody thought of makes a thread mistrusted instead of trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final, Literal

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
    provenance: Provenance | None = getattr(record, "provenance", None)
    return provenance is None or (provenance in ("marked", "beside") and _is_marked(record))


def taints_thread(record: object) -> bool:
    """Whether a thread that a record enters can be trusted less from here on.

    Args:
        record: a fact.
    """
    return getattr(record, "provenance", None) != "beside" and from_outside(record)


def _is_marked(value: Any) -> bool:  # noqa: ANN401  # a record, or a value that it holds
    for field in fields(value):
        item = getattr(value, field.name)
        mark = MARKS.get(field.name)
        if mark(item) if mark is not None else is_dataclass(item) and _is_marked(item):
            return True
    return False
