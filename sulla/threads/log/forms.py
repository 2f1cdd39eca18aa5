"""Facts to JSON and back, by the types of their fields.

Only flat frozen dataclasses of JSON values, message parts and other such dataclasses are understood, because that is
all a record may hold. A field with a default may be missing, so that an older record can be read by a newer program.
Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, cached_property
from types import UnionType
from typing import Any, Final, Generic, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from sulla.core.errors import CorruptRecord
from sulla.core.jsontypes import Json, JsonObject
from sulla.core.message import Part, Reasoning, Text, ToolCall, ToolResult, part_from_json, part_to_json

T = TypeVar("T")
_Read = Callable[[Json], object]
_PLAIN: Final = frozenset((type(None), bool, int, float, str))


def to_json(value: object) -> Json:
    """A field's value as JSON.

    Raises:
        TypeError: the value is of a kind that records cannot hold.
    """
    kind = type(value)
    return cast("Json", value) if kind in _PLAIN else _writer(cast("Hashable", kind))(value)


@cache
def _writer(cls: Hashable) -> Callable[[Any], Json]:
    """What writes values of a type; looked for once, because all records and heads are written by it."""
    kind = cast("type", cls)
    if issubclass(kind, (bool, int, float, str)):
        return lambda value: value
    if issubclass(kind, (Text, Reasoning, ToolCall, ToolResult)):
        return part_to_json
    if issubclass(kind, (tuple, list)):
        return lambda value: [to_json(item) for item in value]
    if issubclass(kind, (set, frozenset)):
        return lambda value: [to_json(item) for item in sorted(value)]
    if issubclass(kind, Mapping):
        return lambda value: {str(name): to_json(item) for name, item in value.items()}
    if is_dataclass(kind):
        return fields_to_json

    def refuse(value: object) -> Json:
        raise TypeError(f"a record cannot hold {kind.__name__}: {value!r}")

    return refuse


def fields_to_json(value: object) -> JsonObject:
    """A dataclass as a JSON object; fields that still have their default are left out."""
    found: JsonObject = {}
    for name, default in _defaults(cast("Hashable", type(value))):
        item = getattr(value, name)
        if default is MISSING or item != default:
            found[name] = to_json(item)
    return found


@cache
def _defaults(cls: Hashable) -> tuple[tuple[str, object], ...]:
    """The fields of a dataclass, each with its default; kept, because every record is written by it."""
    return tuple((field.name, field.default) for field in fields(cast("Any", cls)))


class Fielded:
    """A dataclass of which every field is kept: what facts and their parts are."""

    __slots__ = ()

    def data(self) -> JsonObject:
        """The fields that differ from their defaults."""
        return fields_to_json(self)


class Form(Generic[T]):
    """How one dataclass is read back from JSON; made once per class, and by its types when the first one is read: to
    look at those of all records would take a tenth of a start.

    Args:
        cls: a frozen dataclass.
    """

    def __init__(self, cls: type[T]) -> None:
        self._cls = cls

    @cached_property
    def readers(self) -> Mapping[str, _Read]:
        """What reads each field.

        Raises:
            TypeError: a record cannot hold one of them.
        """
        # Json is a recursive alias; what is inside it is not looked at.
        hints = get_type_hints(self._cls, localns={"Json": object})
        return {field.name: reader(hints[field.name]) for field in _fields(self._cls)}

    def read(self, value: Json) -> T:
        """The value that `fields_to_json` made `value` from.

        Raises:
            CorruptRecord: a field is unknown, missing or of another type.
        """
        if not isinstance(value, dict):
            raise CorruptRecord(f"{self._cls.__name__}: expected an object, found {type(value).__name__}")
        readers = self.readers
        try:
            return self._cls(**{name: readers[name](item) for name, item in value.items()})
        except CorruptRecord:
            for name, item in value.items():
                try:
                    readers[name](item)
                except CorruptRecord as error:
                    raise CorruptRecord(f"{self._cls.__name__}.{name}: {error}") from None
            raise
        except KeyError as unknown:
            raise CorruptRecord(f"{self._cls.__name__}: unknown field {unknown}") from None
        except TypeError as missing:
            raise CorruptRecord(f"{self._cls.__name__}: {missing}") from None


def form_of(cls: type[T]) -> Form[T]:
    """How a dataclass is read back, the same for all who ask.

    Args:
        cls: a frozen dataclass.
    """
    return _forms(cast("Hashable", cls))


@cache
def _forms(cls: Hashable) -> Form[Any]:
    return Form(cast("type", cls))


def _fields(cls: type) -> tuple[Any, ...]:
    return fields(cls)


def reader(hint: object) -> _Read:
    """What reads a value of a type back from JSON.

    Args:
        hint: the type.

    Raises:
        TypeError: a record cannot hold such a value.
    """
    if hint is Part:
        return part_from_json
    origin, args = get_origin(hint), get_args(hint)
    if origin is tuple:
        return _tuple_of(reader(args[0])) if args[1:] == (Ellipsis,) else _row_of([reader(arg) for arg in args])
    if origin in (list, set):
        items = _tuple_of(reader(args[0]))
        return lambda value: origin(items(value))
    if origin is Literal:
        return _one_of(frozenset(args))
    if origin in (Union, UnionType) and type(None) in args and len(args) == 2:
        inner = reader(next(arg for arg in args if arg is not type(None)))
        return lambda value: None if value is None else inner(value)
    if origin is dict or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return _instance(dict)
    if isinstance(hint, type) and is_dataclass(hint):
        return Form(hint).read
    base = getattr(hint, "__supertype__", hint)  # a NewType is read as what it stands for
    if base is float:
        return _number
    if base in (str, int, bool):
        return _instance(base)
    raise TypeError(f"a record cannot hold a field of type {hint!r}")


def _instance(kind: type) -> _Read:
    def read(value: Json) -> object:
        # bool is an int to Python, not to a record.
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise CorruptRecord(f"expected {kind.__name__}, found {value!r}"[:300])
        return value

    return read


def _number(value: Json) -> object:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise CorruptRecord(f"expected a number, found {value!r}"[:300])
    return value


def _tuple_of(inner: _Read) -> _Read:
    def read(value: Json) -> object:
        if not isinstance(value, list):
            raise CorruptRecord(f"expected a list, found {value!r}"[:300])
        return tuple(inner(item) for item in value)

    return read


def _row_of(inner: list[_Read]) -> _Read:
    def read(value: Json) -> object:
        if not isinstance(value, list) or len(value) != len(inner):
            raise CorruptRecord(f"expected a list of {len(inner)}, found {value!r}"[:300])
        return tuple(one(item) for one, item in zip(inner, value, strict=True))

    return read


def _one_of(allowed: frozenset[object]) -> _Read:
    def read(value: Json) -> object:
        if isinstance(value, (list, dict)) or value not in allowed:
            raise CorruptRecord(f"expected one of {sorted(map(str, allowed))}, found {value!r}"[:300])
        return value

    return read
