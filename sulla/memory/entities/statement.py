"""One thing that is known of an entity, as a value, and how large it may be. Pure."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import asdict
from functools import lru_cache
from typing import Final, Literal, get_args

from sulla.core.dataclass import dataclass
from sulla.core.errors import CorruptRecord
from sulla.core.ids import derived_id
from sulla.core.search.terms import terms

EntityKind = Literal["person", "place", "project", "thing"]
"""What an entity may be."""

ENTITY_KINDS: Final[tuple[EntityKind, ...]] = get_args(EntityKind)

Form = Literal["mention", "alias", "fact", "relation", "same"]
"""That it was spoken of; another name of it; something about it; how it stands to another one; or, by a person alone,
that several are one."""

FORMS: Final[tuple[Form, ...]] = get_args(Form)

MAX_NAME: Final = 80
"""Characters of a name; a longer one is none."""
MAX_NAME_WORDS: Final = 8
"""Words of a name; what has more is a sentence."""
MAX_WHAT: Final = 60
"""Characters of what a fact is about, and of what stands between two entities."""
MAX_VALUE: Final = 300
"""Characters of a fact."""
MAX_SOURCES: Final = 4
"""Turns that one statement needs together."""
MAX_STATEMENTS: Final = 10_000
"""Statements of one agent that models drew; the oldest ones go first."""
MAX_ENTITIES: Final = 3_000
"""Entities of one agent; of one more nothing is kept."""
MAX_ALIASES: Final = 16
"""Other names of one entity."""
MAX_FACTS: Final = 100
"""Facts, and likewise relations, that are told of one entity, the newest; all are kept."""
MAX_SAID: Final = 1_000
"""What people may correct and merge in one agent's memory; one more is refused."""
MAX_MERGED: Final = 64
"""Names that one merge joins."""

_TITLES: Final = frozenset("mr mrs ms miss dr prof herr frau sir the a an der die das".split())


@dataclass(frozen=True, slots=True)
class EntityName:
    """What an entity was called, and what it is."""

    kind: EntityKind
    name: str

    @property
    def key(self) -> tuple[str, str]:
        """The same for every way of writing it."""
        return (self.kind, canonical(self.name))

    @property
    def digest(self) -> str:
        """The key's, which does not tell the name: a merge holds these, and so no name that was forgotten."""
        return digest_of(self.key)


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that is known; never changed after it was made."""

    id: str
    scope: str
    """Whose memory it is in."""
    form: Form
    of: EntityName
    what: str = ""
    """What a fact is about, or how `of` stands to `to`."""
    value: str = ""
    """The fact, or the other name; of a merge the digests of all names that are one."""
    to: EntityName | None = None
    at_ms: int = 0
    """When it was said, UTC milliseconds."""
    source: tuple[str, ...] = ()
    """The notes that it was drawn from: it goes with any of them. Empty for what a person said of the memory itself."""
    tainted: bool = True
    """Whether it was drawn from what nobody trusts."""

    @property
    def by_person(self) -> bool:
        """Whether a person corrected or merged something with it: no model's word counts against that."""
        return not self.source

    @property
    def slot(self) -> str:
        """What it is about, however that is written."""
        return slot_of(self.what)


@lru_cache(16_384)
def canonical(name: str) -> str:
    """A name without case, accents, titles and signs; the name itself if nothing else is left of it."""
    words = spelled(name)
    while len(words) > 1 and words[0] in _TITLES:
        del words[0]
    return " ".join(words) or name.casefold().strip()


def spelled(text: str) -> list[str]:
    """The words of a text as names are compared: without case, accents and signs."""
    plain = text.casefold()
    if not plain.isascii():
        plain = "".join(sign for sign in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(sign))
    return "".join(sign if sign.isalnum() else " " for sign in plain).split()


def digest_of(key: tuple[str, str]) -> str:
    """See `EntityName.digest`."""
    return derived_id("en", *key)


@lru_cache(16_384)
def slot_of(what: str) -> str:
    """What a fact is about without small words, case and plurals: ``lives in`` and ``Live_at`` are the same."""
    return " ".join(terms(what.replace("_", " "))) or what.casefold().strip()


def statement_to_json(statement: Statement) -> str:
    """A statement as a line of JSON."""
    return json.dumps(asdict(statement), separators=(",", ":"))


def statement_from_json(text: str | bytes) -> Statement:
    """The inverse of `statement_to_json`.

    Raises:
        CorruptRecord: it is no statement.
    """
    try:
        value = json.loads(text)
        of, to = EntityName(**value["of"]), value.get("to")
        known = {**value, "of": of, "to": EntityName(**to) if to else None, "source": tuple(value["source"])}
        statement = Statement(**{"tainted": True, **known})
    except (ValueError, TypeError, KeyError) as error:
        raise CorruptRecord(f"not a statement of the memory: {text[:200]!r}") from error
    if statement.form not in FORMS or not {of.kind, to["kind"] if to else of.kind} <= set(ENTITY_KINDS):
        raise CorruptRecord(f"not a statement of a known form: {text[:200]!r}")
    return statement


def make_id(scope: str, form: Form, of: EntityName, *rest: str) -> str:
    """The same for the same statement from the same turns.

    Args:
        scope: whose memory.
        form: of it.
        of: the entity.
        rest: what it says, and where it is from.
    """
    return derived_id("st", scope, form, *of.key, *rest)
