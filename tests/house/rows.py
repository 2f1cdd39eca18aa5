"""A plugin that runs a parametrized test as one table: every row is tried, and each that fails is told.

Every run uses it, because a test costs pytest a millisecond or two, whatever it does.
What a row is tried on and held against stays the same. Only tests of plain values are put together: one with a fixture
or a mark of its own, a property or a coroutine stays by itself.
"""

from __future__ import annotations

from typing import Any

import pytest

_FOR_ALL = {"_loopback_only", "event_loop_policy"}
"""Fixtures that every test gets, once for the whole session."""

_KNOWN_MARKS = {"parametrize", "pure", "thorough"}

_ROWS = pytest.StashKey[int]()

_Failed = tuple[pytest.Function, pytest.ExceptionInfo[BaseException]]


class RowsFailed(Exception):
    """Some rows of a table failed; each with what it raised."""

    def __init__(self, failed: list[_Failed]) -> None:
        super().__init__(f"{len(failed)} rows failed: {', '.join(row.callspec.id for row, _ in failed)}")
        self.failed = failed


class Table(pytest.Function):
    """The rows of one parametrized test."""

    rows: list[pytest.Function]

    @classmethod
    def of(cls, rows: list[pytest.Function]) -> Table:
        """Put rows together.

        Args:
            rows: of one test.
        """

        def run() -> None:
            faults = [(row, fault) for row in rows if (fault := _fault(row)) is not None]
            skipped = [row.callspec.id for row, fault in faults if fault.errisinstance(pytest.skip.Exception)]
            if len(faults) > len(skipped):
                raise RowsFailed([one for one in faults if one[0].callspec.id not in skipped])
            if skipped:
                why = "; ".join(dict.fromkeys(str(fault.value) for _, fault in faults))
                pytest.skip(f"{len(skipped)} of {len(rows)} rows: {', '.join(skipped)}: {why}")

        first = rows[0]
        table: Table = cls.from_parent(first.parent, name=first.originalname, callobj=run)
        table.rows = rows
        table.own_markers = [mark for mark in first.own_markers if mark.name != "parametrize"]
        return table

    def reportinfo(self) -> Any:
        """Where the test stands."""
        path, line, _ = self.rows[0].reportinfo()
        return path, line, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Each row that failed, as it would be shown alone."""
        if not isinstance(excinfo.value, RowsFailed):
            return super().repr_failure(excinfo)
        shown = [f"[{row.callspec.id}]\n{row.repr_failure(fault)}" for row, fault in excinfo.value.failed]
        return "\n\n".join([f"{len(shown)} of {len(self.rows)} rows failed", *shown])


def _fault(row: pytest.Function) -> pytest.ExceptionInfo[BaseException] | None:
    """Try a row; None if all is well."""
    try:
        row.obj(**row.callspec.params)
    except (Exception, pytest.fail.Exception, pytest.skip.Exception):  # noqa: BLE001  - whatever it is, it is told
        return pytest.ExceptionInfo.from_current()
    return None


def _is_row(item: pytest.Item) -> bool:
    """Whether an item is a row of plain values: without fixtures of its own, and with no mark that says more."""
    if type(item) is not pytest.Function or not hasattr(item, "callspec"):
        return False
    marks = list(item.iter_markers())
    return (
        {mark.name for mark in marks} <= _KNOWN_MARKS
        and not any(mark.kwargs.get("indirect") for mark in marks)
        and set(item.fixturenames) - set(item.callspec.params) <= _FOR_ALL
    )


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what the number of tests does not show."""
    if rows := config.stash.get(_ROWS, 0):
        terminalreporter.write_line(f"{rows} rows were tried as tables of one test each")


@pytest.hookimpl(trylast=True)  # after whatever leaves rows out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put a table in the place of the first of its rows."""
    tables: dict[object, list[pytest.Function]] = {}
    for item in items:
        if isinstance(item, pytest.Function) and _is_row(item):
            tables.setdefault((item.parent, item.originalname), []).append(item)
    wide = [rows for rows in tables.values() if len(rows) > 1]
    first = {id(rows[0]): rows for rows in wide}
    others = {id(row) for rows in wide for row in rows[1:]}
    items[:] = [Table.of(first[id(item)]) if id(item) in first else item for item in items if id(item) not in others]
    config.stash[_ROWS] = sum(map(len, wide))
