"""What an English word can be: a bit for each part of speech and for what has to follow. Pure."""

from __future__ import annotations

from typing import Final

NOUN: Final = 1 << 0
ADJECTIVE: Final = 1 << 1
BASE: Final = 1 << 2
"""A verb as in "to go"."""
PRESENT: Final = 1 << 3
"""A verb as in "she goes"."""
PAST: Final = 1 << 4
PARTICIPLE: Final = 1 << 5
ING: Final = 1 << 6
VERB: Final = BASE | PRESENT | PAST | PARTICIPLE | ING
FINITE: Final = PRESENT | PAST

OBJECT: Final = 1 << 7
ALONE: Final = 1 << 8
CLAUSE: Final = 1 << 9
PREDICATE: Final = 1 << 10
PREPOSITION: Final = 1 << 11
TO: Final = 1 << 12
TELL: Final = 1 << 13
GIVE: Final = 1 << 14
PLACE: Final = 1 << 15
LET: Final = 1 << 16

PERSON: Final = 1 << 17
TIME: Final = 1 << 18
"""Says when or where by itself."""
TIME_NOUN: Final = 1 << 19
FIRST_PART: Final = 1 << 20
"""Seldom the last word of a name that begins with an article."""
SURE_NOUN: Final = 1 << 21
NAMED: Final = 1 << 22
"""An adjective that can be the end of what is named."""
PLURAL: Final = 1 << 23
KNOWN: Final = 1 << 24
MOSTLY: Final = 1 << 25
"""A verb that can do without its object, but mostly has one."""
