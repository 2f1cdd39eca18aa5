"""A schedule as JSON and back: how it is kept. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, Final, TypeVar

from sulla.core.errors import CorruptRecord, InvalidInput
from sulla.core.jsontypes import Json, JsonObject
from sulla.schedules.hours import parse_hours
from sulla.schedules.spec import (
    Action,
    At,
    BeatAction,
    Cron,
    Every,
    MessageAction,
    PlaybookAction,
    ReminderAction,
    Spec,
    ToolAction,
    When,
)

T = TypeVar("T")

_WHENS: Final[dict[str, type[When]]] = {"every": Every, "cron": Cron, "at": At}
ACTIONS: Final[dict[str, type[Action]]] = {
    "beat": BeatAction,
    "message": MessageAction,
    "reminder": ReminderAction,
    "tool": ToolAction,
    "playbook": PlaybookAction,
}
"""What a schedule can do, by its word."""
_KINDS: Final[dict[str, type]] = {
    "int": int,
    "str": str,
    "bool": bool,
    "FrozenJson": dict,
    "JsonObject": dict,
    "Spec": Spec,
    "tuple[str, ...]": tuple,
    "tuple[f.Fired, ...]": tuple,
    "tuple[ScheduleNote, ...]": tuple,
}
"""What a field holds, by how its type is written down."""


def to_json(value: object) -> JsonObject:
    """A flat dataclass as JSON; fields that still have their default are left out."""
    found: JsonObject = {}
    for field in fields(value):  # type: ignore[arg-type]  # callers pass dataclass instances
        item = getattr(value, field.name)
        plain = dict(item) if isinstance(item, Mapping) else item
        default = field.default if field.default_factory is MISSING else field.default_factory()
        if default is MISSING or plain != default:
            found[field.name] = plain
    return found


def from_json(cls: type[T], value: object, where: str) -> T:
    """The dataclass that `to_json` made `value` from.

    Args:
        cls: its class.
        value: JSON.
        where: names the place for the error.

    Raises:
        CorruptRecord: a field is unknown, missing or of another type.
    """
    if not isinstance(value, dict):
        raise CorruptRecord(f"{where}: expected an object, found {type(value).__name__}")
    types: dict[str, Any] = {field.name: field.type for field in fields(cls)}  # type: ignore[arg-type]  # callers pass dataclasses
    for name, item in value.items():
        if name not in types:
            raise CorruptRecord(f"{where}: {cls.__name__} has no field {name[:40]!r}")
        kind = _KINDS[types[name]]
        if not isinstance(item, kind) or (kind is int and isinstance(item, bool)):
            raise CorruptRecord(f"{where}: {name} of {cls.__name__} is {type(item).__name__}, not {kind.__name__}")
    try:
        return cls(**value)
    except TypeError as missing:
        raise CorruptRecord(f"{where}: {missing}") from None


def spec_to_json(spec: Spec) -> JsonObject:
    """A schedule as it is kept."""
    when = next(word for word, kind in _WHENS.items() if isinstance(spec.when, kind))
    action = next(word for word, kind in ACTIONS.items() if isinstance(spec.action, kind))
    return {
        "when": {"kind": when, **to_json(spec.when)},
        "action": {"kind": action, **to_json(spec.action)},
        "zone": spec.zone,
        "hours": str(spec.hours) if spec.hours is not None else "",
        "missed": spec.missed,
        "title": spec.title,
    }


def spec_from_json(value: Json, where: str) -> Spec:
    """The schedule that `spec_to_json` made `value` from.

    Raises:
        CorruptRecord: it made nothing like it.
    """
    match value:
        case {
            "when": {"kind": str(when), **times},
            "action": {"kind": str(does), **details},
            "zone": str(zone),
            "hours": str(hours),
            "missed": "skip" | "once" as missed,
            "title": str(title),
            **others,
        } if when in _WHENS and does in ACTIONS and not others:
            try:
                span = parse_hours(hours) if hours else None
            except InvalidInput as error:
                raise CorruptRecord(f"{where}: {error.message}") from None
            at = from_json(_WHENS[when], times, where)
            act = from_json(ACTIONS[does], details, where)
            return Spec(at, act, zone, span, missed, title)
    raise CorruptRecord(f"{where}: not a schedule as this version writes it")
