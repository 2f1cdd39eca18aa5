"""Our dataclasses are those of the standard library, and compile nothing before it is called."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field, fields, is_dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from sulla.core.dataclass import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Row:
    """A row as the house has a thousand of them."""

    name: str
    counted: int = 3
    tags: list[str] = field(default_factory=list)
    note: str = field(default="", repr=False, compare=False)
    mark: ClassVar[int] = 7

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("no name")


@dataclass(frozen=True, slots=True)
class Longer(Row):
    """A row with one field more."""

    size: int = field(default=1, kw_only=True)


@dataclass(frozen=True, slots=True)
class Pair(Generic[T]):
    """Two of a kind."""

    one: T
    other: T


def _class_of(decorate: Callable[..., Any], **options: bool) -> Any:
    class Thing:
        """One of each kind of field."""

        first: int
        second: str = "b"
        third: tuple[int, ...] = field(default_factory=tuple)
        hidden: int = field(default=5, init=False)
        made: list[int] = field(default_factory=list, init=False, compare=False)
        unseen: int = field(default=0, repr=False)
        apart: int = field(default=0, compare=False)
        unhashed: int = field(default=0, hash=False)

        def total(self) -> int:
            return self.first + self.unseen

    Thing.__qualname__ = "Thing"
    return decorate(**options)(Thing)


OPTIONS = [
    {"frozen": True, "slots": True},
    {"frozen": True},
    {"slots": True},
    {},
    {"frozen": True, "slots": True, "kw_only": True},
    {"frozen": True, "slots": True, "eq": False},
    {"slots": True, "eq": False},
    {"frozen": True, "slots": True, "order": True},
]


def _tried(make: Callable[[], object]) -> str:
    try:
        return repr(make())
    except Exception as error:  # noqa: BLE001 - it is compared with what the library raises
        return f"{type(error).__name__}: {error}"


def _behaviour(cls: Any, options: dict[str, bool]) -> list[object]:
    one, same, other = cls(first=1), cls(first=1), cls(first=2, second="c", apart=4, unhashed=9)
    apart, unhashed = cls(first=1, apart=4), cls(first=1, unhashed=9)
    seen: list[object] = [
        *(repr(each) for each in (one, other)),
        *(one == each for each in (same, other, apart, unhashed, 1)),
        one.total(),
        [each.name for each in fields(one)],
        is_dataclass(cls),
        cls.__match_args__,
        cls.__name__,
        cls.__doc__,
        getattr(cls, "__slots__", None),
        cls.__dataclass_params__.frozen,
        repr(replace(one, unseen=2, second="z")),
        repr(copy.copy(other)),
        _tried(lambda: setattr(one, "first", 4)),
        _tried(lambda: delattr(one, "second")),
        _tried(lambda: cls(1, "x", (2,), 3, 4, 5)),
        _tried(lambda: cls(1, "x", (2,), 3, 4, 5, 6)) if options.get("kw_only") else None,
        _tried(cls),
        one.made is same.made,
        cls.__hash__ is None,
        _tried(lambda: one < other) if options.get("order") else None,
    ]
    if options.get("frozen"):
        whole = [cls(1, **more) if not options.get("kw_only") else cls(first=1, **more) for more in ({}, {"apart": 4})]
        seen += [str(hash(each) == hash(one)) for each in whole]
    return seen


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_class_behaves_as_the_one_of_the_standard_library(options: dict[str, bool]) -> None:
    ours, theirs = (_class_of(decorate, **options) for decorate in (dataclass, dataclasses.dataclass))
    assert _behaviour(ours, options) == _behaviour(theirs, options)


def test_a_difference_in_behaviour_would_be_noticed() -> None:
    frozen, changing = (_class_of(dataclass, frozen=frozen, slots=True) for frozen in (True, False))
    assert _behaviour(frozen, {}) != _behaviour(changing, {})


def test_nothing_is_compiled_before_it_is_called() -> None:
    cls = _class_of(dataclass, frozen=True, slots=True)
    names = ("__init__", "__eq__")
    before = [vars(cls)[name] for name in names]
    assert cls(1) == cls(1)
    after = [vars(cls)[name] for name in names]
    assert all(one is not other for one, other in zip(before, after, strict=True))
    assert cls(2) != cls(1)
    assert [vars(cls)[name] for name in names] == after, "compiled once"


def test_a_class_inherits_fields_and_what_is_done_behind_its_constructor() -> None:
    longer = Longer("a", 4, size=9)
    assert repr(longer) == "Longer(name='a', counted=4, tags=[], size=9)"
    assert longer != Row("a", 4)
    assert (Row.mark, [each.name for each in fields(Row)]) == (7, ["name", "counted", "tags", "note"])
    with pytest.raises(ValueError, match="no name"):
        Longer("")


def test_a_frozen_value_with_slots_may_inherit_from_one_without() -> None:
    @dataclass(frozen=True)
    class Loose:
        name: str = "a"

    @dataclass(frozen=True, slots=True)
    class Tight(Loose):
        size: int = 1

    made = Tight("b", 2)
    assert (made.name, made.size) == ("b", 2)
    assert (Tight(), Loose().name) == (Tight("a", 1), "a")


def test_a_frozen_value_is_pickled_and_takes_no_change() -> None:
    row = pickle.loads(pickle.dumps(Longer("a", size=2)))  # noqa: S301 - our own
    assert row == Longer("a", size=2)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'counted'"):
        row.counted = 1
    assert not hasattr(row, "__dict__")


def test_a_value_is_hashed_and_matched_by_its_fields() -> None:
    assert {Pair(1, 2): "found"}[Pair(1, 2)] == "found"
    match Pair("a", "b"):
        case Pair(one, other):
            assert (one, other) == ("a", "b")


@pytest.mark.parametrize("frozen", [True, False])
def test_what_may_change_and_what_may_not_inherit_from_each_other_in_no_way(frozen: bool) -> None:
    base = _class_of(dataclass, frozen=frozen)
    with pytest.raises(TypeError, match="frozen dataclass"):
        dataclass(frozen=not frozen)(type("Below", (base,), {}))


def test_a_class_of_the_standard_library_may_inherit_from_one_of_ours() -> None:
    @dataclasses.dataclass(frozen=True, slots=True)
    class Below(Row):
        more: int = 0

    assert repr(Below("a", more=2)) == f"{Below.__qualname__}(name='a', counted=3, tags=[], more=2)"


def test_a_mutable_default_is_refused() -> None:
    with pytest.raises(ValueError, match="mutable default"):
        dataclass(type("Wrong", (), {"__annotations__": {"a": "list[int]"}, "a": []}))
