"""Who may write by channels: people with their identities, and the codes by which new ones are let in. Pure.

One value for all channels of a store. What changes it gives another one, which is kept only where nobody has changed it
meanwhile.
"""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from typing import Any, Final, Literal

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.errors import Conflict, CorruptRecord, InvalidInput, NotFound

ChannelScope = Literal["read", "write", "approve", "admin"]
USUAL_SCOPES: Final[tuple[ChannelScope, ...]] = ("read", "write", "approve")
"""What somebody may who was let in and of whom nothing else is said: never `admin`."""
CODE_S: Final = 900
"""How long a code is good, in seconds."""
CODE_CHARS: Final = 8
ALPHABET: Final = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Of codes: without what looks alike."""
MOST_CODES: Final = 20
"""Codes that are open at once, of one channel: a further stranger there gets none, and is not answered. So strangers at
one that is public keep nobody out who comes by another."""
CODES_A_DAY: Final = 3
"""So many codes one stranger gets in a day; then he is not answered any more."""
DAY_S: Final = 86_400
MOST_STRANGERS: Final = 500
"""Strangers of whom it is remembered that they got codes; of more, whoever came longest ago is forgotten."""
MOST_WRONG: Final = 10
"""Wrong codes within `CODE_S`; then no code is taken for that long."""
MOST_PEOPLE: Final = 200
MOST_IDENTITIES: Final = 20
MOST_CALLED: Final = 80
"""Of what a stranger calls himself; what is longer is cut there."""
NAME_PATTERN: Final = "[a-z0-9][a-z0-9_.-]{0,39}"
"""How a person is called, as a regular expression."""
_NAME: Final = re.compile(NAME_PATTERN)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who somebody is at one channel."""

    channel: str
    sender: str
    """The service's id, never a name."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who may write."""

    name: str
    scopes: tuple[ChannelScope, ...] = USUAL_SCOPES
    identities: tuple[Identity, ...] = ()

    @property
    def principal(self) -> str:
        """Under what his messages are counted and his answers kept."""
        return f"channel:{self.name}"

    @property
    def channels(self) -> tuple[str, ...]:
        """Where he is known."""
        return tuple(dict.fromkeys(one.channel for one in self.identities))


@dataclass(frozen=True, slots=True)
class Code:
    """A stranger's, until the owner confirms it."""

    code: str
    identity: Identity
    until_s: float
    """UTC seconds."""
    place: str = ""
    """Where he wrote, to be told there."""
    called: str = ""
    """What he calls himself, which anybody can: words from outside, which decide nothing."""


@dataclass(frozen=True, slots=True)
class People:
    """All that is known of people on channels."""

    persons: tuple[Person, ...] = ()
    codes: tuple[Code, ...] = ()
    asked: tuple[tuple[str, str, float], ...] = ()
    """Channel, sender and UTC second of each code given within the last day, the oldest first."""
    wrong_s: tuple[float, ...] = ()
    """When wrong codes were confirmed."""

    def of(self, identity: Identity) -> Person | None:
        """Whose identity it is; None for a stranger's."""
        return next((one for one in self.persons if identity in one.identities), None)

    def named(self, name: str) -> Person | None:
        """The person of a name."""
        return next((one for one in self.persons if one.name == name), None)

    def coded(self, code: str) -> Code | None:
        """The open code that somebody means, however it is written."""
        wanted = "".join(code.upper().split()).replace("-", "")
        return next((one for one in self.codes if one.code == wanted), None)

    def without_codes_until(self, channel: str) -> float | None:
        """Until when no further stranger at a channel gets a code, UTC seconds; None where he does."""
        ends_s = sorted(one.until_s for one in self.codes if one.identity.channel == channel)
        return ends_s[-MOST_CODES] if len(ends_s) >= MOST_CODES else None

    def at(self, now_s: float) -> People:
        """Without what has run out."""
        codes = tuple(one for one in self.codes if one.until_s > now_s)
        asked = tuple(one for one in self.asked if one[2] > now_s - DAY_S)[-MOST_STRANGERS * CODES_A_DAY :]
        return replace(self, codes=codes, asked=asked, wrong_s=tuple(t for t in self.wrong_s if t > now_s - CODE_S))

    def asking(self, identity: Identity, place: str, fresh: str, now_s: float, called: str = "") -> tuple[People, str]:
        """A stranger writes where only he and the daemon read.

        Args:
            identity: his.
            place: where he wrote.
            fresh: a code that nobody can guess.
            now_s: UTC seconds.
            called: what he calls himself.

        Returns:
            The people as they are then, and the code that he is told; empty where he is not answered.
        """
        now = self.at(now_s)
        if any(one.identity == identity for one in now.codes):
            return now, ""  # he has one, and was told
        given = sum(one[:2] == (identity.channel, identity.sender) for one in now.asked)
        if given >= CODES_A_DAY or now.without_codes_until(identity.channel) is not None:
            return now, ""
        code = Code(fresh, identity, now_s + CODE_S, place, called[:MOST_CALLED])
        asked = (*now.asked, (identity.channel, identity.sender, now_s))
        return replace(now, codes=(*now.codes, code), asked=asked), fresh

    def confirmed(
        self, code: str, name: str, scopes: tuple[ChannelScope, ...] | None, now_s: float, *, less: bool = False
    ) -> tuple[People, Person | None, Code | None]:
        """The owner says whose a code is.

        Args:
            code: as the stranger told him.
            name: of the person; one that is there gets a further identity.
            scopes: what he may; None for what is usual, or what he may already.
            now_s: UTC seconds.
            less: whether he may lose by it what he may already, which he would on all channels.

        Returns:
            The people as they are then, who it is, and the code; None for a code that is not good, which is to be kept
            too, for it counts.

        Raises:
            InvalidInput: the name is none.
            Conflict: too many wrong codes were tried, there are too many people, or he would lose what he may. The code
                stays good.
        """
        if not _NAME.fullmatch(name):
            raise InvalidInput(f"name: got {name[:60]!r}, expected small letters, digits, '-', '_' and '.', 40 at most")
        now = self.at(now_s)
        if len(now.wrong_s) >= MOST_WRONG:
            raise Conflict(f"{MOST_WRONG} wrong codes were tried: try again in {CODE_S // 60} minutes")
        found = now.coded(code)
        if found is None:
            return replace(now, wrong_s=(*now.wrong_s, now_s)), None, None
        if not less and (lost := now.lost(name, scopes)):
            may = ", ".join(lost[0].scopes)
            raise Conflict(
                f"{name!r} may {may} now, by all channels, and would lose {' and '.join(lost[1])}: leave "
                "the scopes out to keep what it is, or say that it is to be less (`--less`)"
            )
        codes = tuple(one for one in now.codes if one is not found)
        return (*replace(now, codes=codes).joined(name, found.identity, scopes), found)

    def lost(
        self, name: str, scopes: tuple[ChannelScope, ...] | None
    ) -> tuple[Person, tuple[ChannelScope, ...]] | None:
        """Somebody who may less with other scopes, and what he would lose; None for nobody.

        Args:
            name: his.
            scopes: what he may then; None for what he may already.
        """
        if scopes is None or (person := self.named(name)) is None:
            return None
        gone = tuple(one for one in person.scopes if one not in scopes)
        return (person, gone) if gone else None

    def refused(self, code: str, now_s: float) -> People:
        """The owner lets a stranger not in: his code is good no longer. It counts as given.

        Raises:
            NotFound: there is no such code, or no longer.
        """
        now = self.at(now_s)
        if (found := now.coded(code)) is None:
            raise NotFound("there is no such code, or no longer: nobody comes in by it")
        return replace(now, codes=tuple(one for one in now.codes if one is not found))

    def joined(self, name: str, identity: Identity, scopes: tuple[ChannelScope, ...] | None) -> tuple[People, Person]:
        """Somebody is also this at a channel.

        Raises:
            Conflict: it is somebody else's, or there are too many.
        """
        if (other := self.of(identity)) is not None and other.name != name:
            raise Conflict(f"this is {other.name!r} already: `sulla channel forget {other.name}` first")
        person = self.named(name) or Person(name)
        if len(self.persons) >= MOST_PEOPLE or len(person.identities) >= MOST_IDENTITIES:
            raise Conflict(f"there are {MOST_PEOPLE} people, or {MOST_IDENTITIES} identities of {name!r}: forget one")
        identities = tuple(dict.fromkeys((*person.identities, identity)))
        person = replace(person, scopes=person.scopes if scopes is None else scopes, identities=identities)
        return replace(self, persons=(*(one for one in self.persons if one.name != name), person)), person

    def without(self, name: str) -> People:
        """Somebody may no longer write.

        Raises:
            NotFound: there is nobody of that name.
        """
        if self.named(name) is None:
            known = ", ".join(one.name for one in self.persons) or "nobody"
            raise NotFound(f"nobody is called {name[:60]!r} here; there is: {known}")
        return replace(self, persons=tuple(one for one in self.persons if one.name != name))


def encode(people: People) -> bytes:
    """People as bytes."""
    return orjson.dumps(asdict(people))


def decode(body: bytes | None) -> People:
    """The people of some bytes; nobody for none.

    Raises:
        CorruptRecord: they are none.
    """
    if not body:
        return People()
    try:
        raw: dict[str, Any] = orjson.loads(body)
        return People(
            tuple(
                Person(one["name"], tuple(one["scopes"]), tuple(Identity(**each) for each in one["identities"]))
                for one in raw["persons"]
            ),
            tuple(Code(**one | {"identity": Identity(**one["identity"])}) for one in raw["codes"]),
            tuple((str(one[0]), str(one[1]), float(one[2])) for one in raw["asked"]),
            tuple(map(float, raw["wrong_s"])),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptRecord(f"what is known of people on channels cannot be read: {error}") from None
