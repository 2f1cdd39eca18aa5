"""How far an English text has come: its clauses and the phrase that is open. Pure."""

from __future__ import annotations

from typing import Final

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


class Clause:
    """One clause, as far as it has come."""

    __slots__ = (
        "adjective",
        "at",
        "aux",
        "base",
        "bits",
        "gap",
        "inverted",
        "kind",
        "named",
        "needs",
        "subject",
        "verb",
        "wh",
        "word",
    )

    def __init__(self, kind: int, gap: int = 0) -> None:
        self.kind = kind
        self.gap = gap
        """Whether what an object or a preposition needs stands before it: 0 no, 1 perhaps, 2 yes."""
        self.subject = ""
        self.adjective = ""
        self.at = 0
        """At which word its verb came, or it began."""
        self.aux = ""
        """A helping verb whose verb is missing."""
        self.verb = False
        self.needs = 0
        self.wh = ""
        self.inverted = False
        self.word = ""
        self.bits = 0
        self.named = False
        """Whether the noun of "what time" is there."""
        self.base = False
        """Whether its verb stands as in "to go"."""


class Parse:
    """A text, as far as it has come."""

    __slots__ = (
        "article",
        "before",
        "before_and",
        "clauses",
        "conjoined",
        "doubled",
        "en",
        "filled",
        "first",
        "fresh",
        "head",
        "held",
        "hinge",
        "joined",
        "last",
        "last_named",
        "listed",
        "mid",
        "name",
        "opened",
        "pair",
        "person",
        "phrase",
        "placed",
        "plural",
        "prep",
        "seen",
        "time",
        "too",
    )

    def __init__(self, en: Vocabulary) -> None:
        self.en = en
        self.clauses = [Clause(MAIN)]
        self.phrase = NO_PHRASE
        self.opened = ""
        """What opened the phrase: the class of the word."""
        self.prep = ""
        """A preposition that nothing follows yet."""
        self.filled = ""
        """The preposition or "and" before the open phrase."""
        self.head = ""
        """The first noun of the last phrase."""
        self.held = ""
        """The last preposition."""
        self.joined = False
        """After "and"."""
        self.doubled = False
        """The phrase stands right behind another one."""
        self.fresh = False
        """A noun came last."""
        self.plural = False
        self.person = False
        """What was named last is somebody."""
        self.name = False
        """A noun that is not listed and has no article."""
        self.first = False
        """The last noun is mostly the first half of a name."""
        self.pair = ""
        """A word that wants "and" or "or" later: "between", "either"."""
        self.time = False
        """What was named last says when."""
        self.placed = True
        """Whether what was named last has its place in the clause."""
        self.mid = ""
        """What the last "on" or "in" can end: "be", "it", "noun", "verb" or nothing."""
        self.article = ""
        """The article or number that opened the last phrase."""
        self.last_named = ""
        """The last noun or pronoun."""
        self.too = False
        self.conjoined = False
        """Whether the last noun stands behind "and" with an article."""
        self.before_and = ""
        """What "and" joins something to: "noun", "article and noun" or "clause"."""
        self.listed = False
        """A second thing stands where one is enough: a list without its "and"."""
        self.hinge = False
        """After "before" and its like with a noun: a clause may begin there."""
        self.last = self.before = ""
        self.seen = 0

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
