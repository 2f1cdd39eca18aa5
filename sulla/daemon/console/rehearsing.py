"""Tries playbooks of a home out: what runs on a worker thread for `daemon.console.rehearsals`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeVar

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, NotFound, TooLarge
from sulla.core.jsontypes import Json
from sulla.gateway.methods.rehearsals import PlaybookTested, PlaybookWays
from sulla.playbooks.catalog import PlaybookCatalog, read_text
from sulla.playbooks.definition import Definition
from sulla.playbooks.expression.expression import evaluate
from sulla.playbooks.files import tests_beside
from sulla.playbooks.rehearsal.base import RehearsalSetting
from sulla.playbooks.rehearsal.cases import Case
from sulla.playbooks.rehearsal.cases_judge import try_case
from sulla.playbooks.rehearsal.cases_read import read_cases
from sulla.playbooks.rehearsal.dry import dry_run, with_payload
from sulla.playbooks.rehearsal.rows import CaseRow, WayRow
from sulla.playbooks.rehearsal.told import ReadingPrices, case_row, cost_of, way_row
from sulla.rpc.row import size_of

MOST_TOLD: Final = 20
"""Faults that an answer names; `workflow.check` has more of them."""
_GoOn = Callable[[], None]
_Row = TypeVar("_Row", CaseRow, WayRow)


@dataclass(frozen=True, slots=True)
class _Opened:
    """What is tried out."""

    definition: Definition | None
    told: tuple[str, ...]
    """What is wrong with it."""

    @property
    def faults(self) -> tuple[str, ...]:
        """What keeps it from being run."""
        return _first([said for said in self.told if ": warning: " not in said])


def tested(catalog: PlaybookCatalog, name: str, text: str | None, most_bytes: int, go_on: _GoOn) -> PlaybookTested:
    """Run the tests of a playbook.

    Args:
        catalog: knows the playbooks.
        name: the playbook's.
        text: what is tested in the place of its file; None for the file as it is.
        most_bytes: of the answer; as many tests as fit are told.
        go_on: raises `Aborted` once nobody waits any more.

    Raises:
        NotFound: there is none of that name, or it has no tests.
        InvalidInput: its tests cannot be read.
        TooLarge: the first test is longer than an answer.
        Aborted: nobody waits any more.
    """
    file = catalog.find(name).file
    tests = tests_beside(file)
    if tests is None:
        raise NotFound(f"the playbook {name!r} has no tests: write some in {file.stem}.test.yaml beside it")
    opened = _opened(catalog, name, text)
    if opened.definition is None:
        return PlaybookTested((), opened.faults, cut=False)
    setting = _setting(catalog, opened.definition, go_on)
    cases, faults = read_cases(_text_of(tests), opened.definition, setting.find)
    shown = f"{tests.parent.name}/{tests.name}"
    if faults:
        return PlaybookTested((), _first([fault.told(shown) for fault in faults]), cut=False)
    rows = _case_rows(opened.definition, shown, cases, setting)
    found, is_cut = _fitting(CaseRow, rows, most_bytes)
    return PlaybookTested(found, (), is_cut)


def _case_rows(
    definition: Definition, file: str, cases: Iterable[Case], setting: RehearsalSetting
) -> Iterator[CaseRow]:
    for case in cases:
        setting.go_on()
        yield case_row(definition.name, file, try_case(case, definition, setting))


def ways(
    catalog: PlaybookCatalog,
    prices: ReadingPrices,
    name: str,
    inputs: Mapping[str, Json],
    text: str | None,
    most_bytes: int,
    go_on: _GoOn,
) -> PlaybookWays:
    """Show the ways that a playbook can go.

    Args:
        catalog: knows the playbooks.
        prices: what models would cost.
        name: the playbook's.
        inputs: what it is begun with.
        text: as for `tested`.
        most_bytes: of the answer; as many ways as fit are told.
        go_on: as for `tested`.

    Raises:
        NotFound: there is none of that name.
        InvalidInput: it has faults, or an input is none that it takes.
        TooLarge: the first way is longer than an answer.
        Aborted: nobody waits any more.
    """
    opened = _opened(catalog, name, text)
    if opened.definition is None:
        raise InvalidInput(f"it could not be run: {'; '.join(opened.faults)}")
    setting = with_payload(opened.definition, _setting(catalog, opened.definition, go_on))
    done = dry_run(opened.definition, inputs, setting)
    playbook, known = opened.definition, catalog.known
    rows = (way_row(way, playbook, known, cost_of(prices, way.rehearsed)) for way in done.ways)
    found, is_cut = _fitting(WayRow, rows, most_bytes)
    return PlaybookWays(found, is_cut or done.is_cut)


def _opened(catalog: PlaybookCatalog, name: str, text: str | None) -> _Opened:
    if text is None:
        kept = catalog.find(name)
        return _Opened(kept.definition, kept.told)
    checked = catalog.check(text)
    return _Opened(checked.definition, tuple(fault.told(f"{name}.yaml") for fault in checked.faults))


def _setting(catalog: PlaybookCatalog, definition: Definition, go_on: _GoOn) -> RehearsalSetting:
    def find(name: str) -> Definition:
        return definition if name == definition.name else catalog.get(name).definition

    return RehearsalSetting(find, evaluate, catalog.known, go_on=go_on)


def _fitting(kind: type[_Row], rows: Iterable[_Row], most_bytes: int) -> tuple[tuple[_Row, ...], bool]:
    """As many rows as an answer holds, and whether there are more."""
    found: list[_Row] = []
    size = 0
    for row in rows:
        size += size_of(kind, row)
        if size > most_bytes:
            if not found:
                raise TooLarge(
                    f"what came of it is longer than the {most_bytes} bytes of an answer: `sulla flow test` and"
                    " `sulla flow dry-run` show all of it"
                )
            return tuple(found), True
        found.append(row)
    return tuple(found), False


def _first(said: list[str]) -> tuple[str, ...]:
    more = (f"and {len(said) - MOST_TOLD} more",) if len(said) > MOST_TOLD else ()
    return (*said[:MOST_TOLD], *more)


def _text_of(file: Path) -> str:
    try:
        return read_text(file)
    except OSError as error:
        raise InvalidInput(f"{file.name} cannot be read: {error.strerror}") from None
    except InvalidInput as error:
        raise InvalidInput(f"{file.name} cannot be read: {error.message}") from None
