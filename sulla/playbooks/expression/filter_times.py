"""Filters that reckon with times, in a zone. Pure."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from sulla.core.errors import InvalidInput
from sulla.playbooks.expression.filter_form import Filter, text_in
from sulla.playbooks.expression.values import CostMeter, is_number, shown
from sulla.tools.zones import no_zone

_SPAN: Final = re.compile(
    r"(?:([0-9]{1,4})y)?(?:([0-9]{1,5})mo)?(?:([0-9]{1,5})w)?(?:([0-9]{1,6})d)?(?:([0-9]{1,6})h)?(?:([0-9]{1,7})m)?"
    r"(?:([0-9]{1,9})s)?"
)
_WORDS: Final = re.compile(r"([0-9]+)\s*([A-Za-z]+)")
_UNITS: Final = {
    **dict.fromkeys(("mo", "mon", "mth", "month", "months"), "mo"),
    **{unit: unit for unit in "ywdhms"},
}
"""What units are called here, by how else people write them; of all others the first letter counts."""
_ZONE: Final = re.compile(r"[A-Za-z0-9_+-]{1,64}(?:/[A-Za-z0-9_+-]{1,64}){0,2}")
_FORM: Final = re.compile(r"%[YmdHMSAaBbjGVuyIpzZ%]")
_NO_MARK: Final = re.compile(r"%.?", re.DOTALL)
MAX_FORM_CHARS: Final = 200


def _zone(name: object) -> tzinfo:
    found = text_in(name)
    if found.upper() in ("UTC", "Z"):
        return UTC
    try:
        if _ZONE.fullmatch(found):
            return ZoneInfo(found)
    except (KeyError, ValueError, OSError):  # the first is what a zone raises that is not known
        pass
    raise no_zone(found)


def _zone_or_none(name: object) -> tzinfo | None:
    return None if name is None else _zone(name)


def _moment(value: object, zone: object = None) -> datetime:
    """A point in time: ISO 8601 with its zone, or without one as the clocks of `zone` show it; or Unix seconds."""
    if is_number(value):
        found = _kept(lambda: datetime.fromtimestamp(float(str(value)), UTC))
    else:
        try:
            found = datetime.fromisoformat(text_in(value))
        except ValueError:
            raise InvalidInput(f"expected a time such as 2030-01-31T09:00:00+01:00, got {shown(value)}") from None
    if found.tzinfo is None and zone is None:
        raise InvalidInput(f"{shown(value)} does not say its zone: write +01:00 behind it, or name a zone")
    if zone is None:
        return found
    return found.replace(tzinfo=_zone(zone)) if found.tzinfo is None else _kept(lambda: found.astimezone(_zone(zone)))


def _kept(make: Callable[[], datetime]) -> datetime:
    try:
        return make()
    except (OverflowError, ValueError, OSError):
        raise InvalidInput("that time lies before the year 1 or after the year 9999") from None


def _said(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _span(span: object) -> list[int]:
    """Years, months, weeks, days, hours, minutes and seconds."""
    said = text_in(span)
    found = _SPAN.fullmatch(said)
    if found is None or not said:
        words = _WORDS.findall(said)
        meant = "".join(
            f"{count}{_UNITS.get(word.lower()) or _UNITS.get(word[0].lower(), '')}" for count, word in words
        )
        near = f"; did you mean {meant!r}?" if meant and _SPAN.fullmatch(meant) else ""
        raise InvalidInput(f"expected a span such as 2d, 1h30m or 1mo, got {shown(span)}{near}")
    return [int(count or 0) for count in found.groups()]


def shift(meter: CostMeter, value: object, span: object, zone: object = None, *, sign: int = 1) -> str:
    """Later by a span: years to days as the calendar has them, the rest as time passes."""
    years, months, weeks, days, hours, minutes, seconds = (sign * count for count in _span(span))
    moment = _moment(value, zone)

    def later() -> datetime:
        month = moment.year * 12 + moment.month - 1 + years * 12 + months
        year, number = divmod(month, 12)
        last = monthrange(year, number + 1)[1] if 1 <= year <= 9999 else 0
        there = moment.replace(year=year, month=number + 1, day=min(moment.day, last))
        there += timedelta(weeks=weeks, days=days)  # on the wall clock, as long as nobody asks for another zone
        passed = there.astimezone(UTC) + timedelta(hours=hours, minutes=minutes, seconds=seconds)
        return passed.astimezone(moment.tzinfo)

    return _said(_kept(later))


def minus(meter: CostMeter, value: object, span: object, zone: object = None) -> str:
    """Earlier by a span."""
    return shift(meter, value, span, zone, sign=-1)


def in_zone(meter: CostMeter, value: object, zone: object) -> str:
    """The same time as the clocks of a zone show it."""
    return _said(_moment(value, zone))


def _form(form: object) -> str:
    said = text_in(form)
    if len(said) > MAX_FORM_CHARS:
        raise InvalidInput(f"date: a form has at most {MAX_FORM_CHARS} characters, this one {len(said)}")
    if wrong := _NO_MARK.search(_FORM.sub("", said)):
        other = wrong[0].swapcase()
        near = f"; did you mean {other!r}?" if _FORM.fullmatch(other) else "."
        raise InvalidInput(
            f"date: {shown(form)} is no form: {wrong[0]!r} stands for nothing{near} It takes %Y %m %d %H %M %S %A %a"
            " %B %b %j %G %V %u %y %I %p %Z %z and %%"
        )
    return said


def date(meter: CostMeter, value: object, form: object = "%Y-%m-%d", zone: object = None) -> str:
    """As a text of a form."""
    said = _form(form)
    moment = _moment(value, zone)
    return _FORM.sub(lambda mark: moment.strftime(mark[0]) if mark[0] != "%Y" else f"{moment.year:04}", said)


def seconds_since(meter: CostMeter, value: object, other: object) -> int | float:
    """How many seconds lie between."""
    found = (_moment(value) - _moment(other)).total_seconds()
    return int(found) if found.is_integer() else found


def days_since(meter: CostMeter, value: object, other: object, zone: object = None) -> int:
    """How many midnights lie between, in a zone."""
    return (_moment(value, zone).date() - _moment(other, zone).date()).days


def timestamp(meter: CostMeter, value: object) -> int | float:
    """In Unix seconds."""
    found = _moment(value).timestamp()
    return int(found) if found.is_integer() else found


_TIME: Final = ("string", "number", "integer")
_SPANS: Final = {"span": _span, "zone": _zone_or_none}
TIME_FILTERS: Final[Mapping[str, Filter]] = {
    "plus": Filter(
        shift,
        "string",
        "a time so much later: `plus('1mo2d', 'Europe/Berlin')`; `y mo w d` by the calendar of the zone, `h m s` as"
        " time passes",
        ("span", "zone"),
        1,
        _TIME,
        _SPANS,
    ),
    "minus": Filter(minus, "string", "a time so much earlier", ("span", "zone"), 1, _TIME, _SPANS),
    "in_zone": Filter(
        in_zone, "string", "a time as the clocks of a zone show it", ("zone",), 1, _TIME, {"zone": _zone}
    ),
    "date": Filter(
        date,
        "string",
        "a time in a form of its own, `%Y-%m-%d` unless said otherwise",
        ("form", "zone"),
        of=_TIME,
        checks={"form": _form, "zone": _zone_or_none},
    ),
    "seconds_since": Filter(
        seconds_since, "number", "seconds from a time before to this one", ("other",), 1, _TIME, {"other": _moment}
    ),
    "days_since": Filter(
        days_since,
        "integer",
        "days from a date before to this one, in a zone",
        ("other", "zone"),
        1,
        _TIME,
        {"other": lambda other: _moment(other, "UTC"), "zone": _zone_or_none},
    ),
    "timestamp": Filter(timestamp, "number", "a time in Unix seconds", of=_TIME),
}
"""By name, with what the page says of each. Times are ISO 8601 or Unix seconds."""
