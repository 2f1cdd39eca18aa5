"""Statements and turns for tests of entities."""

from __future__ import annotations

from itertools import count

from sulla.memory.entities.statement import EntityKind, EntityName, Form, Statement, digest_of
from sulla.memory.note import MemoryNote

_numbers = count(1)


def named(name: str, kind: EntityKind = "person") -> EntityName:
    """A name of an entity."""
    return EntityName(kind, name)


def said(
    name: EntityName | str,
    what: str = "",
    value: str = "",
    *,
    to: EntityName | str = "",
    alias: str = "",
    source: str = "ep_1",
    tainted: bool = False,
    at_ms: int = 0,
) -> Statement:
    """A statement that no other test has; without a source it is a person's."""
    number = next(_numbers)
    of = named(name) if isinstance(name, str) else name
    other = named(to) if isinstance(to, str) and to else to or None
    form: Form = "alias" if alias else "relation" if other else "fact" if what else "mention"
    sources = (source,) if source else ()
    return Statement(
        f"st_{number}", "ada", form, of, what, value or alias, other, at_ms or number, sources, tainted=tainted
    )


def same(*names: EntityName, at_ms: int = 0) -> Statement:
    """What a person says: all these are one."""
    number = next(_numbers)
    digests = " ".join(digest_of(name.key) for name in names)
    return Statement(f"st_{number}", "ada", "same", named(""), "", digests, None, at_ms or number, (), tainted=False)


def turn(text: str, asked: str = "", *, tainted: bool = False, at_ms: int = 0, agent: str = "ada") -> MemoryNote:
    """An episode that no other test has."""
    number = next(_numbers)
    at_ms = at_ms or number
    return MemoryNote(f"ep_{number}", "episode", agent, text, at_ms, agent, "thr_1", "run_1", asked, tainted=tainted)
