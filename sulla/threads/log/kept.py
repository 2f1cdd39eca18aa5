"""What of a mutable record is kept, and how: each field says so where it stands. Pure.

The counterpart of `Form` for records that change: a field is kept under its name unless it says `UNKEPT`, and left out
where it is as it begins unless it says `ALWAYS`. A new field needs a default, so that what was kept before can be read.
A large record is drawn in parts (`FLAT`), which what is kept does not show.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from operator import attrgetter
from types import UnionType
from typing import Any, Final, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from sulla.core.errors import CorruptRecord
from sulla.core.jsontypes import Json, JsonObject
from sulla.threads.log.forms import reader, to_json

T = TypeVar("T")
_Read = Callable[[Json], object]
_Write = Callable[[Any], Json]


@dataclass(frozen=True, slots=True)
class FieldRule:
    """How a field is kept that is not simply written."""

    kept: bool = True
    always: bool = False
    """Also where it is as it begins."""
    key: str = ""
    """For a dictionary of values that know their own key: the name of that field. The values alone are kept."""
    numbers: Callable[[Any], Collection[int]] | None = None
    """For what the log has: gives the numbers of the records. Whoever reads them puts the field back from the log."""
    name: str = ""
    """What it is kept under, where that is not its own name."""
    flat: bool = False
    """For a part, i.e. a dataclass that the field always holds: its fields are kept among those of the whole."""


def rule(
    *,
    kept: bool = True,
    always: bool = False,
    key: str = "",
    numbers: Callable[[Any], Collection[int]] | None = None,
    name: str = "",
    flat: bool = False,
) -> Mapping[str, FieldRule]:
    """The metadata of a field; see `FieldRule`."""
    return {"rule": FieldRule(kept, always, key, numbers, name, flat)}


UNKEPT: Final = rule(kept=False)
"""It follows from other fields, or from the log."""
ALWAYS: Final = rule(always=True)
FLAT: Final = rule(flat=True)


@dataclass(frozen=True, slots=True)
class _Row:
    """One kept field."""

    path: str
    """Where it is: its name behind those of the parts that it belongs to, with dots."""
    default: object
    """What it begins with; MISSING for one that is always written."""
    write: _Write
    read: _Read | None
    """None for one that is put back from the log."""


class KeptForm(Generic[T]):
    """How one dataclass is kept as JSON, and read back; made once per class.

    Args:
        cls: the dataclass. Its fields are kept in their order, but for those that its ``KEPT_ORDER`` names: these come
            first, so that what is kept stays as it is when a field moves to a part.
        dropped: fields that earlier versions kept, and that nothing depends on.

    Raises:
        KeyError: ``KEPT_ORDER`` names a field that is not kept.
        ValueError: two fields are kept under one name.
    """

    def __init__(self, cls: type[T], dropped: Collection[str] = ()) -> None:
        self._cls = cls
        self._dropped = frozenset(dropped)
        self._parts: dict[str, KeptForm[Any]] = {}
        rows: dict[str, _Row] = {}
        for field, rule, hint in _ruled(cls):
            if rule.flat:
                part = self._parts[field.name] = KeptForm(hint)
                found = {name: replace(row, path=f"{field.name}.{row.path}") for name, row in part.rows.items()}
            else:
                found = {rule.name or field.name: _row(field, rule, hint)}
            if twice := found.keys() & rows.keys():
                raise ValueError(f"{cls.__name__}: two fields are kept as {sorted(twice)}")
            rows |= found
        order: tuple[str, ...] = getattr(cls, "KEPT_ORDER", ())
        self.rows: dict[str, _Row] = {name: rows[name] for name in (*order, *rows)}
        """The kept fields, those of parts among them, by the names that they are kept under."""
        self._writers = [(name, attrgetter(row.path), row.default, row.write) for name, row in self.rows.items()]
        self._readers = {
            name: (row.path.partition(".")[0], "." in row.path, row.read) for name, row in self.rows.items()
        }
        self._init = frozenset(field.name for field in _fields(cls) if field.init)
        self._frozen = cls.__dataclass_params__.frozen  # type: ignore[attr-defined]  # every dataclass has them

    def write(self, value: T) -> JsonObject:
        """The kept fields, in order."""
        found: JsonObject = {}
        for name, get, default, write in self._writers:
            item = get(value)
            if default is MISSING or item != default:
                found[name] = write(item)
        return found

    def read(self, kept: Json) -> T:
        """A new one with the fields that `write` made `kept` from, but for those that have to be put back from the log.

        Raises:
            CorruptRecord: a field is unknown, missing or of another type.
        """
        own, parts = self._split(kept)
        own |= {name: form.read(parts.get(name, {})) for name, form in self._parts.items()}
        try:
            value = self._cls(**{name: item for name, item in own.items() if name in self._init})
        except TypeError as missing:
            raise CorruptRecord(f"{self._cls.__name__}: {missing}") from None
        for name in own.keys() - self._init:
            setattr(value, name, own[name])
        return value

    def put(self, value: T, kept: Json) -> T:
        """Give a value these fields in the place of its own; see `read`.

        Args:
            value: changed in place, unless it is frozen.
            kept: what `write` made.

        Returns:
            `value`, or what has come of it.

        Raises:
            CorruptRecord: a field is unknown, or of another type.
        """
        own, parts = self._split(kept)
        own |= {name: self._parts[name].put(getattr(value, name), part) for name, part in parts.items()}
        if self._frozen:
            changed: T = replace(value, **own)  # type: ignore[type-var]  # it is a dataclass
            return changed
        for name, item in own.items():
            setattr(value, name, item)
        return value

    def _split(self, kept: Json) -> tuple[dict[str, Any], dict[str, JsonObject]]:
        """Its own fields, read, by their names, and what its parts are to read."""
        if not isinstance(kept, dict):
            raise CorruptRecord(f"{self._cls.__name__}: expected an object, found {type(kept).__name__}")
        own: dict[str, Any] = {}
        parts: dict[str, JsonObject] = {}
        for name, item in kept.items():
            known = self._readers.get(name)
            if known is None:
                if name not in self._dropped:
                    said = f"{self._cls.__name__}: unknown field {name!r}"
                    raise CorruptRecord(f"{said}; does it belong to a capability that is not installed?")
                continue
            field, is_part, read = known
            if is_part:
                parts.setdefault(field, {})[name] = item
            elif read is not None:
                own[field] = read(item)
        return own, parts


def numbers_of(kept: Json, name: str) -> tuple[int, ...]:
    """The numbers of the records from which a field is put back.

    Args:
        kept: what `KeptForm.write` made.
        name: the field.

    Raises:
        CorruptRecord: they are no numbers.
    """
    found = kept.get(name, []) if isinstance(kept, dict) else []
    numbers: tuple[int, ...] = _NUMBERS(found)
    return numbers


_PLAIN: Final = FieldRule()
_NUMBERS: Final[Callable[[Json], Any]] = reader(tuple[int, ...])


def _fields(cls: type[Any]) -> tuple[Field[Any], ...]:
    return fields(cls)


def _ruled(cls: type[Any]) -> Iterator[tuple[Field[Any], FieldRule, Any]]:
    """The fields that are kept, how, and their types."""
    hints = get_type_hints(cls, localns={"Json": object})
    for field in _fields(cls):
        rule: FieldRule = field.metadata.get("rule", _PLAIN)
        if rule.kept:
            yield field, rule, hints[field.name]


def _row(field: Field[Any], rule: FieldRule, hint: object) -> _Row:
    default = field.default if field.default_factory is MISSING else field.default_factory()
    default = MISSING if rule.always else default
    if rule.numbers is not None:
        numbers = rule.numbers
        return _Row(field.name, default, lambda item: list[Json](sorted(numbers(item))), None)
    if rule.key:
        read = reader(tuple[get_args(hint)[1], ...])  # type: ignore[misc]  # the type of its values
        return _Row(
            field.name, default, lambda item: to_json(list(item.values())), lambda kept: _keyed(rule.key, read(kept))
        )
    inner = _mutable(hint)
    if inner is None:
        return _Row(field.name, default, to_json, reader(hint))
    form: KeptForm[Any] = KeptForm(inner)
    return _Row(
        field.name,
        default,
        lambda item: None if item is None else form.write(item),
        lambda kept: None if kept is None else form.read(kept),
    )


def _keyed(key: str, values: Any) -> dict[Any, Any]:  # noqa: ANN401 - a tuple of what the field holds
    return {getattr(value, key): value for value in values}


def _mutable(hint: object) -> type | None:
    """The mutable dataclass that a field holds, or None."""
    if get_origin(hint) in (Union, UnionType):
        hint = next((arg for arg in get_args(hint) if arg is not type(None)), hint)
    if not isinstance(hint, type) or not is_dataclass(hint):
        return None
    frozen = hint.__dataclass_params__.frozen  # type: ignore[attr-defined]  # every dataclass has them
    return None if frozen else hint
