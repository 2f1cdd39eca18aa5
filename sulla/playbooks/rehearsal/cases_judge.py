"""Whether a playbook does what its tests expect: each case rehearsed, and what differs told with its line. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, cast

from sulla.core.cut import cut
from sulla.core.dataclass import dataclass
from sulla.core.errors import SullaError
from sulla.core.jsontypes import FrozenJson, Json
from sulla.playbooks.definition import Definition
from sulla.playbooks.rehearsal.base import RehearsalSetting, Rehearsed, RehearsedStep
from sulla.playbooks.rehearsal.cases import Case, ExpectedOutcome, Fixtures, split_route
from sulla.playbooks.rehearsal.rehearse import rehearse

_SHOWN_CHARS: Final = 300
_NAMED: Final = 3
_SIZES: Final = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s"))


@dataclass(frozen=True, slots=True)
class Miss:
    """Something that is not as it was expected."""

    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class CaseVerdict:
    """How a case went."""

    case: Case
    misses: tuple[Miss, ...]
    """Empty if all is as expected."""
    rehearsed: Rehearsed | None
    """None if it could not be rehearsed to its end; then a miss says why."""


def try_case(case: Case, definition: Definition, setting: RehearsalSetting) -> CaseVerdict:
    """Rehearse a case, and hold what came of it against what was expected.

    Args:
        case: the case.
        definition: the playbook.
        setting: what it takes place in; when, and what started it, the case says.
    """
    began = replace(setting, trigger=case.trigger, payload=case.payload, request=case.request)
    setting = replace(began, now_ms=case.at_ms)
    try:
        rehearsed = rehearse(definition, case.inputs, Fixtures(case.fixtures), setting)
    except SullaError as error:
        return CaseVerdict(case, (Miss(case.line, case.column, error.message),), None)
    wanted = case.expect
    if not any(want.what == "status" for want in wanted):
        wanted = (ExpectedOutcome("status", "completed", case.line, case.column), *wanted)
    misses = tuple(
        Miss(want.line, want.column, said) for want in wanted for said in _JUDGES[want.what](want, rehearsed)
    )
    return CaseVerdict(case, misses, rehearsed)


def duration_told(ms: int) -> str:
    """A time as it stands in a playbook, such as ``3d2h``; what is below a second is left out."""
    parts = []
    for size, word in _SIZES:
        number, ms = divmod(ms, size)
        parts.append(f"{number}{word}" if number else "")
    return "".join(parts) or "0s"


def way_told(rows: Sequence[RehearsedStep]) -> str:
    """The steps that were completed, as a way to follow."""
    return " → ".join(f"{row.at}.{row.route}" if row.route else row.at for row in rows) or "nothing"


# --------------------------------------------------------------------------------------------------------------- judges


def _status(want: ExpectedOutcome, found: Rehearsed) -> Iterator[str]:
    if found.status != want.value:
        yield f"expected it to be {want.value}, and it is {found.status}{_because(found)}"


def _reason(want: ExpectedOutcome, found: Rehearsed) -> Iterator[str]:
    failed = found.failure is not None
    reasons = [found.failure.reason] if found.failure is not None else [row.reason for row in found.rows if row.reason]
    if want.value not in reasons:
        known = ", ".join(dict.fromkeys(reason for reason in reasons if reason != "upstream"))
        yield (
            f"expected {'it to have failed' if failed else 'a failure'} with the reason {want.value}; "
            f"there was {known or 'none'}{_because(found)}"
        )


def _outputs(want: ExpectedOutcome, found: Rehearsed) -> Iterator[str]:
    wanted = cast("FrozenJson", want.value)
    if wanted and not found.outputs:  # a run that failed gives back nothing, whichever of them was at fault
        names = ", ".join(map(repr, [*wanted][:_NAMED]))
        more = f" and {len(wanted) - _NAMED} more" if len(wanted) > _NAMED else ""
        yield f"expected the outputs {names}{more}; it is {found.status}, and gives back nothing"
        return
    for name, value in wanted.items():
        if name not in found.outputs:
            yield f"expected the output {name!r} to be {_shown(value)}; there is none"
        elif not same(value, found.outputs[name]):
            yield f"expected the output {name!r} to be {_shown(value)}; it is {_shown(found.outputs[name])}"


def _path(want: ExpectedOutcome, found: Rehearsed) -> Iterator[str]:
    done = [row for row in found.rows if row.status == "completed"]
    at = 0
    before = ""
    for word in cast("list[str]", want.value):
        hit = next((number for number in range(at, len(done)) if _is_meant(word, done[number])), None)
        if hit is None:
            after = f" after {before!r}" if before else ""
            yield f"expected {word!r} to be done{after}; what was done: {way_told(done)}{_because(found)}"
            return
        at, before = hit + 1, word


def _ended(want: ExpectedOutcome, found: Rehearsed) -> Iterator[str]:
    for word in cast("list[str]", want.value):
        rows = [row for row in found.rows if _is_meant(word, row)]
        if not any(row.status == want.what for row in rows):
            was = ", ".join(dict.fromkeys(row.status for row in rows)) or "never begun"
            yield f"expected {word!r} to be {want.what}; it was {was}"


def _calls(want: ExpectedOutcome, found: Rehearsed) -> Iterator[str]:
    wanted = cast("list[Mapping[str, Json]]", want.value)
    made = ", ".join(f"{call.tool}({_shown(call.args)})" for call in found.calls) or "none"
    if [call["tool"] for call in wanted] != [call.tool for call in found.calls]:
        yield f"expected the calls {', '.join(str(call['tool']) for call in wanted) or 'none'}; they are {made}"
        return
    for number, (call, other) in enumerate(zip(wanted, found.calls, strict=True), 1):
        for name, value in cast("FrozenJson", call.get("with", {})).items():
            found_one = _shown(other.args[name]) if name in other.args else "not there"
            for where, differs in _missed(name, value, other.args.get(name), found_one):
                yield f"call {number}, {other.tool} by {other.at!r}: expected {where!r} to be {differs}"


def _missed(where: str, wanted: Json, found: Json, found_told: str) -> Iterator[tuple[str, str]]:
    """What differs of that which counts, and where: of objects the fields that are named, of all else the whole."""
    if isinstance(wanted, Mapping) and isinstance(found, Mapping):
        for name, value in wanted.items():
            inner = found.get(name)
            yield from _missed(f"{where}.{name}", value, inner, _shown(inner) if name in found else "not there")
    elif isinstance(wanted, list) and isinstance(found, list | tuple) and len(wanted) == len(found):
        for number, (value, inner) in enumerate(zip(wanted, found, strict=True)):
            yield from _missed(f"{where}[{number}]", value, inner, _shown(inner))
    elif not same(wanted, found):
        yield where, f"{_shown(wanted)}; it is {found_told}"


def _told(want: ExpectedOutcome, found: Rehearsed) -> Iterator[str]:
    wanted = cast("list[str]", want.value)
    if len(wanted) != len(found.told):
        yield f"expected {len(wanted)} texts to be told; they are {_shown(list(found.told))}"
        return
    for text, told in zip(wanted, found.told, strict=True):
        if text not in told:
            yield f"expected {_shown(text)} to be told; it is {_shown(told)}"


def _took(want: ExpectedOutcome, found: Rehearsed) -> Iterator[str]:
    if want.value != found.took_ms:
        yield f"expected it to take {duration_told(cast('int', want.value))}; it took {duration_told(found.took_ms)}"


_JUDGES: Final[Mapping[str, Callable[[ExpectedOutcome, Rehearsed], Iterator[str]]]] = {
    "status": _status,
    "reason": _reason,
    "outputs": _outputs,
    "path": _path,
    "skipped": _ended,
    "failed": _ended,
    "calls": _calls,
    "told": _told,
    "took": _took,
}


def same(wanted: Json, found: Json) -> bool:
    """Whether two values are the same JSON: true is not 1, and a tuple is a list."""
    return json.dumps(_thawed(wanted), sort_keys=True) == json.dumps(_thawed(found), sort_keys=True)


def _thawed(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(name): _thawed(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_thawed(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_meant(word: str, row: RehearsedStep) -> bool:
    at, route = split_route(word)
    place = row.at if "@" in at else _without_passes(row.at)
    return place == at and (not route or row.route == route)


def _without_passes(at: str) -> str:
    return "/".join(part.partition("@")[0] for part in at.split("/"))


def _because(found: Rehearsed) -> str:
    return f": {found.failure.message}" if found.failure is not None else ""


def _shown(value: object) -> str:
    said = json.dumps(_thawed(value), ensure_ascii=False, default=str)
    return cut(said, _SHOWN_CHARS)
