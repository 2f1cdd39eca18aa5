"""Whose work is being done right now, for whoever writes something down about it.

Set where a piece of work begins, and known wherever it leads: also in the tasks that it starts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

_HERE: ContextVar[Mapping[str, str]] = ContextVar("sulla_trail", default=MappingProxyType({}))


@contextmanager
def trail(**names: str) -> Iterator[None]:
    """Say whose work the block does, e.g. ``trail(thread_id="thr_1")``; what was said around it still holds.

    Args:
        names: what is known by which name; an empty value says nothing.
    """
    token = _HERE.set({**_HERE.get(), **{name: value for name, value in names.items() if value}})
    try:
        yield
    finally:
        _HERE.reset(token)


def here() -> Mapping[str, str]:
    """What is known here."""
    return _HERE.get()
