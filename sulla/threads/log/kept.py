"""What of a mutable record is kept, and how: each field says so where it stands. Pure.

The counterpart of `Form` for records that change: a field is kept under its name unless it says `UNKEPT`, and left out
where it is as it begins unless it says `ALWAYS`. A new field needs a default, so that what was kept before can be read.
A large record is drawn in parts (`FLAT`), which what is kept does not show.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from operator import attrgetter
from types import UnionType
from typing import Any, Final, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from sulla.core.dataclass import dataclass
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

    part: str
    """The part that it belongs to: its field behind those of the parts that hold it, with dots; empty for the whole."""
    field: str
    default: object
    """What it begins with; MISSING for one that is always written."""
    write: _Write
    read: _Read | None
    """None for one that is put back from the log."""


class _Part:
    """A dataclass whose fields are kept among those of the whole, or the whole itself."""

    def __init__(self, cls: type[Any], path: str = "") -> None:
        self.cls = cls
        self.path = path
        self.holder, _, self.field = path.rpartition(".")
        self._get = attrgetter(path) if path else _itself
        self._later = [field.name for field in _fields(cls) if not field.init]
        self._frozen = cls.__dataclass_params__.frozen

    def made(self, values: dict[str, Any]) -> Any:  # noqa: ANN401 - of `cls`
        """A new one with these fields."""
        later = {name: values.pop(name) for name in self._later if name in values}
        return self._with(self.cls(**values), later)

    def changed(self, whole: object, values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - of `cls`
        """The one of `whole` with these fields in the place of its own; changed in place, unless it is frozen."""
        part: Any = self._get(whole)
        return replace(part, **values) if self._frozen else self._with(part, values)

    def _with(self, part: Any, values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - of `cls`
        for name, item in values.items():
            setattr(part, name, item)
        return part


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
        self._whole = _Part(cls)
        self._parts: list[_Part] = []
        rows: dict[str, _Row] = {}
        for name, row in self._drawn(self._whole):
            if name in rows:
                raise ValueError(f"{cls.__name__}: two fields are kept as {name!r}")
            rows[name] = row
        order: tuple[str, ...] = getattr(cls, "KEPT_ORDER", ())
        self._rows = {name: rows[name] for name in (*order, *rows)}
        self._writers = [
            (name, attrgetter(f"{row.part}.{row.field}".strip(".")), row.default, row.write)
            for name, row in self._rows.items()
        ]

    def _drawn(self, part: _Part) -> Iterator[tuple[str, _Row]]:
        """The fields of a part and of its own parts, by the names that they are kept under."""
        hints = get_type_hints(part.cls, localns={"Json": object})
        for field in _fields(part.cls):
            rule: FieldRule = field.metadata.get("rule", _PLAIN)
            if rule.flat:
                inner = _Part(hints[field.name], f"{part.path}.{field.name}".strip("."))
                yield from self._drawn(inner)
                self._parts.append(inner)
            elif rule.kept:
                yield rule.name or field.name, _row(part.path, field, rule, hints[field.name])

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
        found = self._values(kept)
        cls = self._cls
        try:
            for part in self._parts:
                if part.path in found:
                    cls = part.cls
                    found[part.holder][part.field] = part.made(found[part.path])
            cls = self._cls
            made: T = self._whole.made(found[""])
        except TypeError as missing:
            raise CorruptRecord(f"{cls.__name__}: {missing}") from None
        return made

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
        found = self._values(kept)
        for part in self._parts:
            if part.path in found:
                found[part.holder][part.field] = part.changed(value, found[part.path])
        changed: T = self._whole.changed(value, found[""])
        return changed

    def _values(self, kept: Json) -> defaultdict[str, dict[str, Any]]:
        """The fields, read, by their parts."""
        if not isinstance(kept, dict):
            raise CorruptRecord(f"{self._cls.__name__}: expected an object, found {type(kept).__name__}")
        found: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        for name, item in kept.items():
            row = self._rows.get(name)
            if row is not None and row.read is not None:
                found[row.part][row.field] = row.read(item)
            elif row is None and name not in self._dropped:
                said = f"{self._cls.__name__}: unknown field {name!r}"
                raise CorruptRecord(f"{said}; does it belong to a capability that is not installed?")
        return found


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


def _itself(whole: object) -> object:
    return whole


def _row(part: str, field: Field[Any], rule: FieldRule, hint: object) -> _Row:
    default = field.default if field.default_factory is MISSING else field.default_factory()
    return _Row(part, field.name, MISSING if rule.always else default, *_ways(rule, hint))


def _ways(rule: FieldRule, hint: object) -> tuple[_Write, _Read | None]:
    """How a field of this type is written and read."""
    if rule.numbers is not None:
        numbers = rule.numbers
        return lambda item: list[Json](sorted(numbers(item))), None
    if rule.key:
        read = reader(tuple[get_args(hint)[1], ...])  # type: ignore[misc]  # the type of its values
        return lambda item: to_json(list(item.values())), lambda kept: _keyed(rule.key, read(kept))
    inner = _mutable(hint)
    if inner is None:
        return to_json, reader(hint)
    form: KeptForm[Any] = KeptForm(inner)
    return (
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
