"""`dataclass` as the standard library has it, for a tenth of its price at import.

The library compiles six functions for each frozen class while its module is imported, which takes 0.6 ms and 13 KiB.
Sulla has a thousand classes of that kind, and most processes use a fifth of them. Here ``__init__``, ``__eq__`` and
``__hash__`` are compiled when they are first called, into what the library would have compiled, the fields are made
when somebody first asks for them, and all classes share the rest; `dataclasses.fields`, `replace`, `asdict` and
`is_dataclass` work as ever. A frozen value with slots is made in two thirds of the library's time. Pure.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, field
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")


@overload
def dataclass(cls: type[T], /) -> type[T]: ...


@overload
def dataclass(
    *, eq: bool = True, order: bool = False, frozen: bool = False, slots: bool = False, kw_only: bool = False
) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(field_specifiers=(field,))
def dataclass(
    cls: type[T] | None = None,
    /,
    *,
    eq: bool = True,
    order: bool = False,
    frozen: bool = False,
    slots: bool = False,
    kw_only: bool = False,
) -> type[T] | Callable[[type[T]], type[T]]:
    """Make a class a dataclass; the arguments are those of `dataclasses.dataclass`. There is no `InitVar`.

    Raises:
        TypeError: a default is mutable, or a class that is frozen and one that is not inherit from each other.
    """
    if order:
        return dataclasses.dataclass(eq=eq, order=True, frozen=frozen, slots=slots, kw_only=kw_only)

    def make(cls: type[T]) -> type[T]:
        return _made(cls, eq=eq, frozen=frozen, slots=slots, kw_only=kw_only)

    return make if cls is None else make(cls)


def _made(cls: type[T], *, eq: bool, frozen: bool, slots: bool, kw_only: bool) -> type[T]:
    _check_bases(cls, frozen=frozen)
    own = [name for name, hint in vars(cls).get("__annotations__", {}).items() if not _is_class_var(hint)]
    defaults = {name: vars(cls)[name] for name in own if name in vars(cls)}
    _check_defaults(defaults)
    if slots:
        taken = _inherited(cls).keys()
        cls = _with_slots(cls, own, [name for name in own if name not in taken])
    else:
        for name, value in defaults.items():
            _set_default(cls, name, value)
    given = vars(cls)
    brought: dict[str, object] = {
        "__dataclass_fields__": _Fields(cls, defaults, kw_only=kw_only),
        "__dataclass_params__": _PARAMS[frozen],
        "__match_args__": _MATCH_ARGS,
        "__repr__": _repr,
        "__init__": _Late(cls, "__init__", _init),
    }
    if eq:
        brought["__eq__"] = _Late(cls, "__eq__", _eq)
    if eq and given.get("__hash__") is None:  # a class that has an `__eq__` of its own has None here
        brought["__hash__"] = _Late(cls, "__hash__", _hash) if frozen else None
    if frozen:
        brought |= {"__setattr__": _refuse_set, "__delattr__": _refuse_delete}
        brought |= {"__getstate__": _get_state, "__setstate__": _set_state} if slots else {}
    for name, value in brought.items():
        if name not in given or name == "__hash__":
            setattr(cls, name, value)
    return cls


@dataclasses.dataclass
class _Changing:
    """Has the parameters of all classes that may change."""


@dataclasses.dataclass(frozen=True)
class _Frozen:
    """Has the parameters of all that may not."""


_PARAMS = {made is _Frozen: vars(made)["__dataclass_params__"] for made in (_Changing, _Frozen)}


def _check_bases(cls: type, *, frozen: bool) -> None:
    for base in cls.__mro__[1:]:
        params = vars(base).get("__dataclass_params__")
        if params is not None and params.frozen != frozen:
            one, other = ("frozen", "no frozen") if frozen else ("no frozen", "frozen")
            raise TypeError(f"{cls.__qualname__} is {one} dataclass, and its base {base.__qualname__} is {other} one")


def _check_defaults(defaults: Mapping[str, object]) -> None:
    for name, value in defaults.items():
        default = value.default if isinstance(value, Field) else value
        if type(default).__hash__ is None:
            said = f"mutable default {type(default)} for field {name} is not allowed: use default_factory"
            raise ValueError(said)


def _is_class_var(hint: object) -> bool:
    return str(hint).partition("[")[0].rpartition(".")[2] == "ClassVar"


def _inherited(cls: type) -> dict[str, Field[Any]]:
    """The fields of all that a class inherits from."""
    known: dict[str, Field[Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        if "__dataclass_fields__" in vars(base):
            known |= base.__dataclass_fields__  # type: ignore[attr-defined]  # seen above
    return known


class _Fields:
    """Stands for the fields of a class until they are asked for, and then puts them into its own place."""

    __slots__ = ("_cls", "_defaults", "_kw_only")

    def __init__(self, cls: type, defaults: Mapping[str, object], *, kw_only: bool) -> None:
        self._cls = cls
        self._defaults = defaults
        self._kw_only = kw_only

    def __get__(self, instance: object, owner: type) -> dict[str, Field[Any]]:
        cls = self._cls
        # A docstring, or the library would look for the class's signature, which takes longer than all the rest.
        body = {"__module__": cls.__module__, "__doc__": "-", "__annotations__": vars(cls).get("__annotations__", {})}
        alone = type(cls.__name__, (), {**body, **self._defaults})
        dataclasses.dataclass(init=False, repr=False, eq=False, match_args=False, kw_only=self._kw_only)(alone)
        fields = _inherited(cls) | {one.name: one for one in dataclasses.fields(alone)}
        type.__setattr__(cls, "__dataclass_fields__", fields)
        return fields


class _MatchArgs:
    """Stands for the names of what a pattern matches by its place, in all classes."""

    def __get__(self, instance: object, owner: type) -> tuple[str, ...]:
        names = tuple(one.name for one in dataclasses.fields(owner) if one.init and not one.kw_only)
        type.__setattr__(owner, "__match_args__", names)
        return names


_MATCH_ARGS = _MatchArgs()


def _set_default(cls: type, name: str, value: object) -> None:
    """Put a default into the place of the field's description; a class that has slots has neither."""
    if isinstance(value, Field):
        if value.default is MISSING:
            delattr(cls, name)
        else:
            setattr(cls, name, value.default)


def _with_slots(cls: type[T], own: Iterable[str], new: list[str]) -> type[T]:
    """The class again: what has slots cannot get them later."""
    left_out = {*own, "__dict__", "__weakref__"}
    body = {name: value for name, value in vars(cls).items() if name not in left_out}
    made: type[T] = type(cls)(cls.__name__, cls.__bases__, body | {"__slots__": tuple(new)})  # type: ignore[misc]  # a metaclass takes them
    made.__qualname__ = cls.__qualname__
    return made


# ------------------------------------------------------------------------------------------- compiled when first called


class _Late:
    """A method that puts the compiled one into its place when it is first looked up. Two threads may both compile.

    Args:
        cls: whose.
        name: the method's.
        write: compiles it for a class.
    """

    __slots__ = ("_cls", "_name", "_write")

    def __init__(self, cls: type, name: str, write: Callable[[type], Callable[..., Any]]) -> None:
        self._cls = cls
        self._name = name
        self._write = write

    def __get__(self, instance: object, owner: type) -> Callable[..., Any]:
        cls = self._cls
        made: Callable[..., Any] = self._write(cls)
        made.__qualname__ = f"{cls.__qualname__}.{self._name}"
        type.__setattr__(cls, self._name, made)
        bound: Callable[..., Any] = made if instance is None else made.__get__(instance, owner)
        return bound


def _compiled(cls: type, head: str, body: Iterable[str], names: dict[str, Any]) -> Callable[..., Any]:
    scope = names | {"__name__": cls.__module__}
    exec("\n ".join((f"def method({head}):", *body)), scope)  # noqa: S102 - as the standard library does it
    made: Callable[..., Any] = scope["method"]
    return made


def _init(cls: type) -> Callable[..., Any]:
    frozen, slots = vars(cls)["__dataclass_params__"].frozen, "__slots__" in vars(cls)
    names: dict[str, Any] = {"_set": object.__setattr__, "_unset": MISSING}
    placed, named, body = list[str](), list[str](), list[str]()
    for one in dataclasses.fields(cls):
        name, value = one.name, one.name
        default = ""
        if one.default is not MISSING:
            names[f"_default_{name}"], default = one.default, f"=_default_{name}"
        elif one.default_factory is not MISSING:
            names[f"_make_{name}"], default = one.default_factory, "=_unset"
            value = f"_make_{name}() if {name} is _unset else {name}"
        if one.init:
            (named if one.kw_only else placed).append(name + default)
        elif one.default_factory is not MISSING:
            value = f"_make_{name}()"
        elif slots and default:
            value = f"_default_{name}"
        else:
            continue
        if frozen and isinstance(slot := getattr(cls, name, None), MemberDescriptorType):
            names[f"_set_{name}"] = (
                slot.__set__
            )  # so that it is not looked for by its name each time: a third of it all
            body.append(f"_set_{name}(self, {value})")
        else:
            body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    return _compiled(cls, ", ".join(("self", *placed, *(("*", *named) if named else ()))), body or ["pass"], names)


def _values(cls: type, of: str, *, hashed: bool) -> str:
    wanted = (
        one.name for one in dataclasses.fields(cls) if (one.compare if one.hash is None or not hashed else one.hash)
    )
    return "(" + "".join(f"{of}.{name}, " for name in wanted) + ")"


def _eq(cls: type) -> Callable[..., Any]:
    same = f" return {_values(cls, 'self', hashed=False)} == {_values(cls, 'other', hashed=False)}"
    return _compiled(cls, "self, other", ("if other.__class__ is self.__class__:", same, "return NotImplemented"), {})


def _hash(cls: type) -> Callable[..., Any]:
    return _compiled(cls, "self", (f"return hash({_values(cls, 'self', hashed=True)})",), {})


# --------------------------------------------------------------------------------------------------- shared by them all


@recursive_repr()
def _repr(self: Any) -> str:  # noqa: ANN401 - any dataclass
    shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in dataclasses.fields(self) if one.repr)
    return f"{self.__class__.__qualname__}({shown})"


def _refuse_set(self: Any, name: str, value: object) -> None:  # noqa: ANN401 - any dataclass
    cls = type(self)
    if "__dataclass_fields__" in vars(cls) or name in cls.__dataclass_fields__:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)


def _refuse_delete(self: Any, name: str) -> None:  # noqa: ANN401 - any dataclass
    cls = type(self)
    if "__dataclass_fields__" in vars(cls) or name in cls.__dataclass_fields__:
        raise FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _get_state(self: Any) -> list[object]:  # noqa: ANN401 - any dataclass
    return [getattr(self, one.name) for one in dataclasses.fields(self)]


def _set_state(self: Any, state: Iterable[object]) -> None:  # noqa: ANN401 - any dataclass
    for one, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)
