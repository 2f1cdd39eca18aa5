"""How far an English text has come: its clauses and the phrase that is open. Pure."""

from __future__ import annotations

from dataclasses import field
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.speech.english.vocabulary import Vocabulary

MAIN, SUB, COMP, REL, INF = range(5)
"""Kinds of clauses: by itself; "if it rains"; "I hope it rains"; "the one you want"; "to rain"."""

OBJECT: Final = 1
PERHAPS: Final = 2
"""An object that may be left out."""
CLAUSE: Final = 4
PREDICATE: Final = 8
PREPOSITION: Final = 16
WHAT: Final = 32
"""The second object: "tell my sister"."""
WHERE: Final = 64
"""Where to, or how: "put the milk"."""
BARE: Final = 128
"""A verb without "to": "let the dog"."""
TO: Final = 256
"""A verb with "to": "we want him"."""

FIRST: Final = OBJECT | PERHAPS | CLAUSE | PREDICATE
STRICT: Final = OBJECT | CLAUSE | PREDICATE
"""What a verb needs first; what it cannot do without."""

NO_PHRASE, OPEN_PHRASE, NAMED_PHRASE = range(3)


@dataclass(slots=True, eq=False)
class Clause:
    """One clause, as far as it has come."""

    kind: int
    gap: int = 0
    """Whether what an object or a preposition needs stands before it: 0 no, 1 perhaps, 2 yes."""
    subject: str = ""
    adjective: str = ""
    at: int = 0
    """At which word its verb came, or it began."""
    aux: str = ""
    """A helping verb whose verb is missing."""
    verb: bool = False
    needs: int = 0
    wh: str = ""
    inverted: bool = False
    word: str = ""
    bits: int = 0
    named: bool = False
    """Whether the noun of "what time" is there."""
    base: bool = False
    """Whether its verb stands as in "to go"."""


@dataclass(slots=True, eq=False)
class Parse:
    """A text, as far as it has come."""

    en: Vocabulary
    clauses: list[Clause] = field(default_factory=lambda: [Clause(MAIN)])
    phrase: int = NO_PHRASE
    opened: str = ""
    """What opened the phrase: the class of the word."""
    prep: str = ""
    """A preposition that nothing follows yet."""
    filled: str = ""
    """The preposition or "and" before the open phrase."""
    head: str = ""
    """The first noun of the last phrase."""
    held: str = ""
    """The last preposition."""
    joined: bool = False
    """After "and"."""
    doubled: bool = False
    """The phrase stands right behind another one."""
    fresh: bool = False
    """A noun came last."""
    plural: bool = False
    person: bool = False
    """What was named last is somebody."""
    name: bool = False
    """A noun that is not listed and has no article."""
    first: bool = False
    """The last noun is mostly the first half of a name."""
    pair: str = ""
    """A word that wants "and" or "or" later: "between", "either"."""
    time: bool = False
    """What was named last says when."""
    placed: bool = True
    """Whether what was named last has its place in the clause."""
    mid: str = ""
    """What the last "on" or "in" can end: "be", "it", "noun", "verb" or nothing."""
    article: str = ""
    """The article or number that opened the last phrase."""
    last_named: str = ""
    """The last noun or pronoun."""
    too: bool = False
    conjoined: bool = False
    """Whether the last noun stands behind "and" with an article."""
    before_and: str = ""
    """What "and" joins something to: "noun", "article and noun" or "clause"."""
    listed: bool = False
    """A second thing stands where one is enough: a list without its "and"."""
    hinge: bool = False
    """After "before" and its like with a noun: a clause may begin there."""
    last: str = ""
    before: str = ""
    seen: int = 0

    @property
    def top(self) -> Clause:
        """The innermost clause."""
        return self.clauses[-1]


def push(state: Parse, clause: Clause) -> None:
    """A clause begins."""
    state.clauses.append(clause)
    clause.at = state.seen
    state.phrase = NO_PHRASE
    state.fresh = False
    state.joined = False
    state.prep = ""


def waits(state: Parse) -> bool:
    """Whether a main clause has to follow."""
    main = state.clauses[0]
    return len(state.clauses) > 1 and not main.verb and not main.aux
