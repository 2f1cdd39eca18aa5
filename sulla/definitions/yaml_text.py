"""YAML as people write it, in front matter and playbooks: 1.2, so that ``on`` is a word and ``12:30`` no number. Pure.

The one home of the library, of which nothing but the splitting into events is used: what a word means, and which tricks
are refused, is said here. It is loaded at first use, because most starts read no YAML. Where its C part is missing (it
is there in every wheel) reading takes twenty times as long and finds the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, Union

from sulla.core.errors import InvalidInput, TooLarge
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.pattern import late_pattern

MAX_YAML_BYTES: Final = 64 * 1024
MAX_YAML_DEPTH: Final = 12
"""Far deeper than anything that people write by hand."""

_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT: Final = late_pattern(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT: Final = late_pattern(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_NUMBER_STARTS: Final = frozenset("+-.0123456789")
_MOST_DIGITS: Final = 30

YamlNode = Union["YamlScalar", "YamlList", "YamlMap"]


class YamlPlace(NamedTuple):
    """Where something stands, counted from 1 as editors do, and from where to where in code points of the text."""

    line: int
    column: int
    start: int
    end: int


class YamlScalar(NamedTuple):
    """A single value."""

    place: YamlPlace
    value: bool | int | float | str | None
    text: str
    """As it is written, without quotes."""


class YamlList(NamedTuple):
    """Several values."""

    place: YamlPlace
    items: list[YamlNode]


class YamlMap(NamedTuple):
    """Values by key, as they follow each other; a key that stands twice is there twice."""

    place: YamlPlace
    items: list[tuple[YamlScalar, YamlNode]]


class YamlFault(NamedTuple):
    """Why a text is not YAML that is read here."""

    line: int
    column: int
    message: str
    too_large: bool = False


def read_map(text: str) -> JsonObject:
    """What a YAML text of keys and values says; dates and times come as text.

    Args:
        text: the document. An empty one says nothing.

    Raises:
        TooLarge: it is longer or deeper than anything written by hand.
        InvalidInput: it is not YAML, has no keys at its top, or uses anchors; the message begins with ``line N``.
    """
    found = read_nodes(text)
    if isinstance(found, YamlFault):
        raise (TooLarge if found.too_large else InvalidInput)(f"line {found.line}: {found.message}")
    if found is None or (isinstance(found, YamlScalar) and found.value is None):
        return {}
    if not isinstance(found, YamlMap):
        raise InvalidInput("line 1: expected keys and values, such as `name: notes`")
    return _plain_map(found)


_IN_QUOTES: Final = ": put text that holds ': ', ', ', '{' or '[' in quotes"
_QUOTE: Final = (
    ": the text ended at the quote before this; write \\\" within \"…\", '' within '…', or put it below a `|`"
)
_INDENTED: Final = ": this line is indented otherwise than what it belongs to"
_SECOND_COLON: Final = "mapping values are not allowed in this context"
_MEANT: Final = {
    **dict.fromkeys(("did not find expected ',' or '}'", "did not find expected ',' or ']'"), _IN_QUOTES),
    **dict.fromkeys(("did not find expected key", "did not find expected '-' indicator"), _INDENTED),
}
"""What those who write a file have to do, by the words of the library."""


def read_nodes(
    text: str, *, most_bytes: int = MAX_YAML_BYTES, most_deep: int = MAX_YAML_DEPTH
) -> YamlNode | YamlFault | None:
    """What a YAML text says, with the place of each value.

    Args:
        text: one document.
        most_bytes: of its UTF-8.
        most_deep: levels of lists and maps.

    Returns:
        The value at its top; None for an empty text; a fault if it is longer or deeper, is no YAML, is more than one
        document, or uses anchors or tags.
    """
    import yaml

    size = len(text.encode(errors="surrogatepass"))
    if size > most_bytes:
        return YamlFault(1, 1, f"it is {size} bytes long; {most_bytes} are allowed", too_large=True)
    odd = _UNPRINTABLE.search(text)
    if odd is not None:
        before = text[: odd.start()]
        column = odd.start() - before.rfind("\n")
        return YamlFault(before.count("\n") + 1, column, f"the character {odd[0]!r} cannot stand in YAML")
    loader = getattr(yaml, "CLoader", yaml.Loader)(text)  # only its events are looked at: nothing is loaded
    try:
        return _Builder(loader.get_event, most_deep).document()
    except yaml.MarkedYAMLError as error:
        # What was never closed is missed at the end of the text: where it begins says more.
        ended = error.problem_mark is None or not text[error.problem_mark.index :].strip()
        mark = (error.context_mark if ended else None) or error.problem_mark
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        if error.problem == _SECOND_COLON and mark is not None:
            return YamlFault(line, column, _second_colon(text, mark.index))
        said = ", ".join(filter(None, [error.context, error.problem] if ended else [error.problem]))
        if error.problem_mark is not None and text[error.problem_mark.index :].startswith("\t"):
            return YamlFault(line, column, "a tab stands here: YAML is indented with spaces")
        before = text[: error.problem_mark.index].rstrip() if error.problem_mark is not None else ""
        hint = _QUOTE if before.endswith(('"', "'")) else _MEANT.get(error.problem or "", "")
        return YamlFault(line, column, f"{said}{hint}" or "this is not YAML")
    except _Refused as refused:
        return refused.fault


def _second_colon(text: str, at: int) -> str:
    """What is said of a text without quotes that a `: ` makes another key of.

    Args:
        text: the file.
        at: where that `:` stands.
    """
    begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    key, found, value = text[begin:at].rpartition(": ")
    key = _LAST_WORD.sub("", key)
    if not found or not key:
        return (
            "this ': ' makes a key of the line, which goes on with the text above it: put text that holds ': ' in"
            " quotes, or indent the line like the keys beside it"
        )
    whole = (value + text[at : end if end >= 0 else None]).strip()
    shown = ""
    if "{" not in text[begin:at] and len(whole) <= _SHOWN_CHARS:
        shown = f"""such as `{key}: '{whole.replace("'", "''")}'`, """
    return (
        f"the value of {key!r} holds ': ', and text without quotes ends there: put it in quotes, {shown}or below a `|`"
    )


_LAST_WORD: Final = late_pattern(r"^.*[\s{,]")
_MOST_LINES: Final = 10
_SHOWN_CHARS: Final = 60
_UNPRINTABLE: Final = late_pattern("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""YAML's own rule, without the byte order mark."""


_Event = Any
"""The library's types do not say what its events hold."""


class _Refused(Exception):
    """Ends the reading of a text."""

    def __init__(self, fault: YamlFault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class _Builder:
    """Puts events together."""

    def __init__(self, following: Callable[[], _Event], most_deep: int) -> None:
        self._next = following
        self._most_deep = most_deep

    def document(self) -> YamlNode | None:
        self._next()  # the stream begins
        first = self._next()
        if type(first).__name__ != "DocumentStartEvent":
            return None
        found = self._node(self._next(), 0)
        self._next()  # the document ends
        other = self._next()
        if type(other).__name__ != "StreamEndEvent":
            raise _refused(other, "a second document begins here; expected one")
        return found

    def _node(self, event: _Event, depth: int) -> YamlNode:
        """A few lines with aliases can stand for gigabytes, deep nesting can exhaust the stack, and a tag says that
        something is what it does not look like."""
        kind = type(event).__name__
        if kind == "AliasEvent" or event.anchor is not None:
            more = f" (more of them in line {', '.join(lines)})" if (lines := self._more_anchors()) else ""
            raise _refused(event, f"anchors and aliases are not read; write it out{more}")
        if event.tag is not None:
            raise _refused(event, "tags such as !!int are not read; leave them out")
        start = event.start_mark
        if kind == "ScalarEvent":
            place = YamlPlace(start.line + 1, start.column + 1, start.index, event.end_mark.index)
            return YamlScalar(place, event.value if event.style else _resolve(event), event.value)
        if depth == self._most_deep:
            raise _refused(event, f"nested deeper than {self._most_deep} levels", too_large=True)
        if kind == "SequenceStartEvent":
            items: list[YamlNode] = []
            while type(event := self._next()).__name__ != "SequenceEndEvent":
                items.append(self._node(event, depth + 1))
            return YamlList(YamlPlace(start.line + 1, start.column + 1, start.index, event.end_mark.index), items)
        pairs: list[tuple[YamlScalar, YamlNode]] = []
        while type(event := self._next()).__name__ != "MappingEndEvent":
            key = self._node(event, depth + 1)
            if not isinstance(key, YamlScalar):
                raise _refused(event, "a key has to be a word")
            pairs.append((key, self._node(self._next(), depth + 1)))
        return YamlMap(YamlPlace(start.line + 1, start.column + 1, start.index, event.end_mark.index), pairs)

    def _more_anchors(self) -> list[str]:
        """The lines of further anchors and aliases, for who takes out one wants to know of all."""
        import yaml

        found = dict[str, None]()
        try:
            while type(event := self._next()).__name__ != "StreamEndEvent":
                if getattr(event, "anchor", None) is not None:
                    found[str(event.start_mark.line + 1)] = None
        except yaml.MarkedYAMLError:
            pass  # what is wrong behind the first anchor is told once that is taken out
        return list(found)[:_MOST_LINES]


def _refused(event: _Event, message: str, *, too_large: bool = False) -> _Refused:
    mark = event.start_mark
    return _Refused(YamlFault(mark.line + 1, mark.column + 1, message, too_large))


def _resolve(event: _Event) -> bool | int | float | str | None:
    """What a word without quotes means: the core schema of YAML 1.2."""
    word: str = event.value
    if not word or word[0] not in _NUMBER_STARTS:
        return None if word in _NULL else _BOOL.get(word, word)
    if _INT.fullmatch(word):
        if len(word) > _MOST_DIGITS:
            raise _refused(event, f"this number has more than {_MOST_DIGITS} digits; put it in quotes if it is text")
        return int(word, 0) if word[:2] in ("0o", "0x") else int(word)
    if _FLOAT.fullmatch(word):
        return float(word.lower().replace(".inf", "inf").replace(".nan", "nan"))
    return word


def _plain_map(node: YamlMap) -> JsonObject:
    found: JsonObject = {}
    for key, value in node.items:
        if key.text in found:
            raise InvalidInput(f"line {key.place.line}: the key {key.text[:60]!r} stands here a second time")
        found[key.text] = plain(value)
    return found


def plain(node: YamlNode) -> Json:
    """A value without places.

    Raises:
        InvalidInput: a key stands twice.
    """
    if isinstance(node, YamlScalar):
        return node.value
    return [plain(item) for item in node.items] if isinstance(node, YamlList) else _plain_map(node)
