"""Who was the first to name the addresses of a conversation: a person, or the model. Pure.

It is kept with the thread's head and not read off its messages, since those are forgotten: an address that the model
has made up, and that carries what was said here, stays the model's also when nobody can see any more where it wrote it.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import chain
from typing import Final

from sulla.core.dataclass import dataclass

MOST_NAMED: Final = 200
"""Addresses that persons have named which are remembered, some 3 KB; one that is forgotten is asked about."""
MOST_BEGUN: Final = 8
"""Cut addresses that are remembered. What they are for is an echo, which comes at once or never."""
BITS: Final = 4096
"""Of a filter of what the model wrote: of 300 addresses 4 in 1,000 others are taken for one of them, of 1,000 about one
in seven. Those are asked about; none is ever missed."""
_MARKS: Final = 4
"""Bits that one address sets: near the best for 300 to 1,000 of them."""

ADDRESS: Final = re.compile(r"https?://[^\s<>\"'`\\|^{}\[\]()]{1,2000}", re.IGNORECASE)
_AFTER: Final = ".,;:!?*_~"
"""What stands behind an address in a sentence and is no part of it."""


def forms(address: str) -> frozenset[str]:
    """What an address in a text may be: as it stands there, and without what ends the sentence."""
    return frozenset((address, address.rstrip(_AFTER)))


def texts_in(value: object) -> Iterator[str]:
    """The texts in a value of JSON, however deep, but for the names of its fields.

    Args:
        value: e.g. the arguments of a call.
    """
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from texts_in(inner)
        case list():
            for inner in value:
                yield from texts_in(inner)
        case _:
            return


@dataclass(frozen=True, slots=True)
class NamedAddresses:
    """Who named the addresses of a thread first. Bounded; what it does not know is nobody's."""

    persons: tuple[str, ...] = ()
    """Digests of what persons named before the model did; the newest `MOST_NAMED`."""
    before: str = ""
    """A filter of what the model wrote, and no person before it, where its messages need not be there to look at."""
    since: str = ""
    """One of what it wrote since then."""
    begun: tuple[str, ...] = ()
    """How far its cut replies came with an address: the length, and a digest."""

    def said(self, text: str) -> NamedAddresses:
        """With what a person says."""
        found = [form for address in _addresses(text) for form in forms(address) if not self.is_models(form)]
        fresh = [digest for digest in map(_digest, found) if digest not in self.persons]
        return replace(self, persons=(*self.persons, *dict.fromkeys(fresh))[-MOST_NAMED:]) if fresh else self

    def wrote(self, texts: Sequence[str], *, cut: bool) -> NamedAddresses:
        """With what the model writes.

        Args:
            texts: its reply, thoughts and arguments; the reply comes last.
            cut: whether the reply was ended from outside: an address at its end may be the beginning of another.
        """
        found = [[*_addresses(text)] for text in texts]
        every = {form for address in chain(*found) for form in forms(address)}
        if not every:
            return self
        made = replace(self, since=_with(self.since, (form for form in every if not self.is_persons(form))))
        text, last = texts[-1], found[-1][-1:] if cut else []
        begun = [f"{len(one)}:{_digest(one.casefold())}" for one in last if text.endswith(one)]
        return replace(made, begun=(*made.begun, *begun)[-MOST_BEGUN:]) if begun else made

    def hidden(self) -> NamedAddresses:
        """As it is once messages so far need not be there to look at any more."""
        return replace(self, before=_joined(self.before, self.since), since="") if self.since else self

    def is_persons(self, address: str) -> bool:
        """Whether a person named it, and no model before."""
        return _digest(address) in self.persons

    def is_models(self, address: str) -> bool:
        """Whether the model may have written it, in small letters or capital ones, or have begun to."""
        if self.was_models(address) or _holds(self.since, address):
            return True
        folded = address.casefold()
        return any(begun == f"{(at := begun.partition(':')[0])}:{_digest(folded[: int(at)])}" for begun in self.begun)

    def was_models(self, address: str) -> bool:
        """The same of what need not be there to look at."""
        return _holds(self.before, address)


def _addresses(text: str) -> Iterator[str]:
    if "://" in text:  # few texts have any
        yield from (found[0] for found in ADDRESS.finditer(text))


def _digest(text: str) -> str:
    raw = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=9).digest()
    return urlsafe_b64encode(raw).decode()


def _places(address: str) -> int:
    """The bits of a filter that an address sets."""
    raw = blake2b(address.casefold().encode("utf-8", "surrogatepass"), digest_size=2 * _MARKS).digest()
    found = 0
    for at in range(0, len(raw), 2):
        found |= 1 << int.from_bytes(raw[at : at + 2]) % BITS
    return found


def _read(kept: str) -> int:
    return int.from_bytes(urlsafe_b64decode(kept))


def _written(bits: int) -> str:
    return urlsafe_b64encode(bits.to_bytes(BITS // 8)).decode() if bits else ""


def _with(kept: str, addresses: Iterable[str]) -> str:
    places = 0
    for address in addresses:
        places |= _places(address)
    return _written(_read(kept) | places) if places else kept


def _joined(one: str, other: str) -> str:
    return _written(_read(one) | _read(other))


def _holds(kept: str, address: str) -> bool:
    places = _places(address)
    return bool(kept) and _read(kept) & places == places
