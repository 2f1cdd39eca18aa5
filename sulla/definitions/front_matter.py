"""Front matter: keys and values between two lines of ``---``, and the Markdown behind them. Pure, and lenient."""

from __future__ import annotations

import re

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json, JsonObject
from sulla.definitions.yaml_text import read_map

_RULE = re.compile(r"^---[ \t]*$", re.MULTILINE)
_KEY = re.compile(r"([A-Za-z][\w-]*):[ \t]*(.*)")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A Markdown text with YAML front matter, taken apart."""

    fields: JsonObject
    body: str
    """What comes behind, without blank lines at its ends."""
    warnings: tuple[str, ...] = ()
    """What is not as it should be, and how it was read all the same."""


def read_front(text: str) -> FrontMatter:
    """Take a text apart. Whatever is wrong is told, and read as well as it can be.

    Args:
        text: the file's text; a byte order mark and foreign line ends do no harm.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    rules = list(_RULE.finditer(text))[:2]
    if not rules or text[: rules[0].start()].strip():
        return FrontMatter({}, text.strip(), ("there is no front matter: begin the file with a line of ---",))
    if len(rules) < 2:
        return FrontMatter(
            {}, text[rules[0].end() :].strip(), ("the front matter does not end: close it with a line of ---",)
        )
    head, body = text[rules[0].end() + 1 : rules[1].start()], text[rules[1].end() :].strip()
    try:
        return FrontMatter(read_map(head), body)
    except InvalidInput as error:
        said = f"the front matter is not YAML ({error.message}); it was read line by line: quote values with a colon"
        return FrontMatter(_line_by_line(head), body, (said,))


def text_of(fields: JsonObject, key: str) -> str:
    """A field as one line of text; empty if it is not there or has parts."""
    value = fields.get(key)
    return "" if value is None or isinstance(value, list | dict) else " ".join(str(value).split())


def texts_of(fields: JsonObject, key: str) -> tuple[str, ...]:
    """A field as a list of texts; one text is split at commas."""
    value = fields.get(key)
    parts: list[Json] = list(value.split(",")) if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(said for part in parts if not isinstance(part, list | dict) and (said := str(part).strip()))


def _line_by_line(head: str) -> JsonObject:
    """The keys that begin a line, each with the rest of it: how most readers that know no YAML do it."""
    found: JsonObject = {}
    for line in head.splitlines():
        if (matched := _KEY.fullmatch(line.rstrip())) is not None:
            found.setdefault(matched[1], matched[2].strip("\"' "))
    return found
