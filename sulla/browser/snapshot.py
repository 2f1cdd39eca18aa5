"""A page as a model is shown it: what a reader would see, with a reference for each link, button and field. Pure.

References stand between ⟦ and ⟧, which a page's own text never has here, and name the look they come from: one of a
look before, or one that a page has made up, leads nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, Refused
from sulla.core.jsontypes import JsonObject
from sulla.core.pattern import late_pattern
from sulla.tools.builtin.charsets import seen

MAX_TEXT: Final = 200_000
"""Characters of a page that are taken."""
MAX_ELEMENTS: Final = 1_000
PART_CHARS: Final = 12_000
"""Characters that are shown at once."""
MAX_SHOWN_ADDRESS: Final = 300
"""Characters of a link's address that are shown; longer ones are left out, since half an address is none."""
EXPECTED: Final = ("kind", "name", "address", "action", "method", "holds")
"""What of an element has to be as it was when it is clicked."""

_MARK = late_pattern("\ue000([0-9]+)\ue001")
_BLANKS = late_pattern(r"[ \t\r\f\v\xa0]+")
_LINES = late_pattern(r"\s*\n\s*")
_REFERENCE = late_pattern(r"([0-9]{1,9})\.([0-9]{1,9})")
_BRACKETS: Final = str.maketrans("⟦⟧", "[]")


@dataclass(frozen=True, slots=True)
class PageElement:
    """Something on a page that can be clicked or filled in."""

    ref: str
    document: int
    """In which of the page's documents it stands, from 0."""
    index: int
    """Its place there."""
    site: str
    """The address of that document."""
    said: Mapping[str, Any]
    """What our script tells of it: `kind`, `name`, `address`, `action`, `method`, `holds`, `value`, `options`."""

    def of(self, key: str) -> str:
        """Something of it, without what a reader does not see.

        Args:
            key: one of those of `said`.
        """
        return " ".join(seen(str(self.said.get(key, ""))).translate(_BRACKETS).split())

    @property
    def kind(self) -> str:
        """What it is, e.g. ``link``."""
        return self.of("kind")

    @property
    def expected(self) -> dict[str, object]:
        """As it has to be still."""
        return {key: self.said.get(key, "") for key in EXPECTED}

    @property
    def told(self) -> str:
        """For a model."""
        words = f"{self.ref} {self.kind}: {self.of('name')}".rstrip(": ")
        if (address := self.of("address")) and len(address) <= MAX_SHOWN_ADDRESS:
            words += f" → {address}"
        if value := self.of("value"):
            words += f" = {value}"
        if options := [seen(str(one)).translate(_BRACKETS) for one in self.said.get("options", ())]:
            words += f" (of: {'; '.join(options)})"
        return f"⟦{words}⟧"

    @property
    def row(self) -> JsonObject:
        """For whoever reckons with it."""
        return {
            "ref": self.ref,
            "kind": self.kind,
            "name": self.of("name"),
            "address": self.of("address"),
            "value": self.of("value"),
        }


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What one look at a page has shown."""

    number: int
    url: str
    title: str
    text: str
    elements: tuple[PageElement, ...]
    hidden: int
    """Texts that a reader does not see, and that were left out."""
    cut: bool
    """Whether the page has more than is taken of one."""

    @property
    def parts(self) -> int:
        """In how many parts it is shown."""
        return max(1, -(-len(self.text) // PART_CHARS))

    def part(self, number: int) -> str:
        """One of them.

        Args:
            number: from 1.

        Raises:
            InvalidInput: there is no such part.
        """
        if number > self.parts:
            raise InvalidInput(f"the page has {self.parts} part{'' if self.parts == 1 else 's'}, and no part {number}")
        return self.text[(number - 1) * PART_CHARS : number * PART_CHARS]

    def find(self, ref: str) -> PageElement | None:
        """The element that a reference names; None for none.

        Args:
            ref: as it stands in the text.
        """
        wanted = ref.strip("⟦⟧[] ")
        return next((one for one in self.elements if one.ref == wanted), None)

    def needed(self, ref: str) -> PageElement:
        """The same.

        Args:
            ref: as it stands in the text.

        Raises:
            Refused: it is of another look, or the page has none such.
        """
        if (found := self.find(ref)) is not None:
            return found
        read = _REFERENCE.fullmatch(ref.strip("⟦⟧[] "))
        if read is not None and int(read[1]) < self.number:
            raise Refused(
                f"{ref[:40]!r} is of an older look at the page (look {read[1]}, and the newest is {self.number}): "
                "read the page again, and take the reference from there"
            )
        raise Refused(
            f"the page has no element {ref[:40]!r}: take one of the references that browser_read shows between ⟦ and ⟧"
        )


@dataclass(frozen=True, slots=True)
class Visited:
    """Where a call has led to."""

    status: int
    """Of HTTP; 0 where no server was asked."""
    notes: tuple[str, ...]
    """What else has happened, in sentences."""
    snapshot: Snapshot


def snapshot_of(number: int, documents: Sequence[Mapping[str, Any]]) -> Snapshot:
    """What looks at the documents of a page come to.

    Args:
        number: which look this is.
        documents: what our script says of each; the outermost first.
    """
    elements: list[PageElement] = []
    texts: list[str] = []
    for at, one in enumerate(documents):
        site = str(one.get("url", ""))
        own = [
            PageElement(f"{number}.{len(elements) + index + 1}", at, index, site, said)
            for index, said in enumerate(one.get("elements", ()))
        ][: MAX_ELEMENTS - len(elements)]
        elements += own
        text = _clean("".join(_pieces(str(one.get("text", "")), own)))
        if at and text:
            texts.append(f"⟦frame: {_plain(site)[:MAX_SHOWN_ADDRESS]}⟧")
        texts.append(text)
    whole = "\n".join(filter(None, texts))
    first: Mapping[str, Any] = documents[0] if documents else {}
    return Snapshot(
        number,
        _plain(str(first.get("url", ""))),
        _plain(str(first.get("title", ""))),
        whole[:MAX_TEXT],
        tuple(elements),
        sum(int(one.get("hidden", 0)) for one in documents),
        len(whole) > MAX_TEXT or any(one.get("cut") for one in documents),
    )


def _pieces(text: str, elements: Sequence[PageElement]) -> Iterator[str]:
    end = 0
    for mark in _MARK.finditer(text):
        yield seen(text[end : mark.start()]).translate(_BRACKETS)
        if (index := int(mark[1])) < len(elements):
            yield elements[index].told
        end = mark.end()
    yield seen(text[end:]).translate(_BRACKETS)


def _clean(text: str) -> str:
    return _LINES.sub("\n", _BLANKS.sub(" ", text)).strip()


def _plain(text: str) -> str:
    return " ".join(seen(text).translate(_BRACKETS).split())


def host_of(url: str) -> str:
    """The host of an address, for people; the address itself where it has none.

    Args:
        url: any.
    """
    found = re.match(r"[a-z]+://([^/?#]*)", url)
    return found[1] if found is not None else url[:100]
