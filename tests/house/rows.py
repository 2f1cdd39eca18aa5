"""A plugin that runs a parametrized test as one test with many rows: every row is tried, and each that fails is told.

`./dev test pure` uses it. To pytest a test costs a millisecond, whatever it does, and a row of a table a few µs. What a
row is tried on and held against stays the same; only tests that share nothing but values are put together.
"""

from __future__ import annotations

from typing import Any

import pytest

_FOR_ALL = {"_loopback_only", "event_loop_policy"}
"""Fixtures that every test gets, once for the whole session."""

_KNOWN_MARKS = {"parametrize", "pure"}

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
            failed = [(row, fault) for row in rows if (fault := _fault(row)) is not None]
            if failed:
                raise RowsFailed(failed)

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
    except (Exception, pytest.fail.Exception, pytest.skip.Exception):
        # A row that would be skipped is a failure here: one that is not tried must not look as if it were.
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


@pytest.hookimpl(trylast=True)  # after whatever leaves rows out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put a table in the place of the first of its rows."""
    tables: dict[tuple[pytest.Item | Any, str], list[pytest.Function]] = {}
    kept: list[pytest.Item | list[pytest.Function]] = []
    for item in items:
        if not (isinstance(item, pytest.Function) and _is_row(item)):
            kept.append(item)
            continue
        key = (item.parent, item.originalname)
        if key not in tables:
            tables[key] = []
            kept.append(tables[key])
        tables[key].append(item)
    items[:] = [
        kept_one if not isinstance(kept_one, list) else kept_one[0] if len(kept_one) == 1 else Table.of(kept_one)
        for kept_one in kept
    ]
