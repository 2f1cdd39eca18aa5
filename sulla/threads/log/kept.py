"""What of a mutable record is kept, and how: each field says so where it stands. Pure.

The counterpart of `Form` for records that change: a field is kept under its name unless it says `UNKEPT`, and left out
where it is as it begins unless it says `ALWAYS`. A new field needs a default, so that what was kept before can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
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


def rule(
    *,
    kept: bool = True,
    always: bool = False,
    key: str = "",
    numbers: Callable[[Any], Collection[int]] | None = None,
) -> Mapping[str, FieldRule]:
    """The metadata of a field; see `FieldRule`."""
    return {"rule": FieldRule(kept, always, key, numbers)}


UNKEPT: Final = rule(kept=False)
"""It follows from other fields, or from the log."""
ALWAYS: Final = rule(always=True)


@dataclass(frozen=True, slots=True)
class _Row:
    """One kept field."""

    default: object
    """What it begins with; MISSING for one that is always written."""
    write: _Write
    read: _Read | None
    """None for one that is put back from the log."""


class KeptForm(Generic[T]):
    """How one mutable dataclass is kept as JSON, and read back; made once per class.

    Args:
        cls: the dataclass.
        dropped: fields that earlier versions kept, and that nothing depends on.
    """

    def __init__(self, cls: type[T], dropped: Collection[str] = ()) -> None:
        self._cls = cls
        self._dropped = frozenset(dropped)
        hints = get_type_hints(cls, localns={"Json": object})
        rules = {field: field.metadata.get("rule", _PLAIN) for field in fields(cls)}  # type: ignore[arg-type]  # callers pass dataclasses
        self._rows = {field.name: _row(field, rule, hints[field.name]) for field, rule in rules.items() if rule.kept}

    def write(self, value: T) -> JsonObject:
        """The kept fields, in the order of the class."""
        found: JsonObject = {}
        for name, row in self._rows.items():
            item = getattr(value, name)
            if row.default is MISSING or item != row.default:
                found[name] = row.write(item)
        return found

    def fields(self, kept: Json) -> dict[str, Any]:
        """The fields that `write` made `kept` from, but for those that have to be put back from the log.

        Raises:
            CorruptRecord: a field is unknown, or of another type.
        """
        if not isinstance(kept, dict):
            raise CorruptRecord(f"{self._cls.__name__}: expected an object, found {type(kept).__name__}")
        found: dict[str, Any] = {}
        for name, item in kept.items():
            row = self._rows.get(name)
            if row is not None and row.read is not None:
                found[name] = row.read(item)
            elif row is None and name not in self._dropped:
                said = f"{self._cls.__name__}: unknown field {name!r}"
                raise CorruptRecord(f"{said}; does it belong to a capability that is not installed?")
        return found

    def read(self, kept: Json) -> T:
        """A new one with these fields.

        Raises:
            CorruptRecord: a field is unknown, missing or of another type.
        """
        found = self.fields(kept)
        try:
            return self._cls(**found)
        except TypeError as missing:
            raise CorruptRecord(f"{self._cls.__name__}: {missing}") from None


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


def _row(field: Field[Any], rule: FieldRule, hint: object) -> _Row:
    default = field.default if field.default_factory is MISSING else field.default_factory()
    default = MISSING if rule.always else default
    if rule.numbers is not None:
        numbers = rule.numbers
        return _Row(default, lambda item: list[Json](sorted(numbers(item))), None)
    if rule.key:
        read = reader(tuple[get_args(hint)[1], ...])  # type: ignore[misc]  # the type of its values
        return _Row(default, lambda item: to_json(list(item.values())), lambda kept: _keyed(rule.key, read(kept)))
    inner = _mutable(hint)
    if inner is None:
        return _Row(default, to_json, reader(hint))
    form: KeptForm[Any] = KeptForm(inner)
    return _Row(
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
