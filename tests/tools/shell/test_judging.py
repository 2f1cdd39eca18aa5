"""Which of a command's changes a person has to allow. Pure; the files are in `test_layer`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sulla.tools.shell.changes import Change, ChangeKind
from sulla.tools.shell.judging import NOT_KEPT, OUTSIDE, SOMEBODY, judged

BUILD = "a build tool may run or obey it outside the sandbox"


def change(path: str, kind: ChangeKind = "file", *, raced: bool = False, same: bool = False) -> Change:
    return Change(tuple(path.split("/")), kind, 1, raced, same)


def obeyed(one: Change) -> str:
    return "a build tool" if one.parts[-1] == "Makefile" else ""


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ([change("a"), change("b", "gone")], {"a": "", "b": ""}),
        ([change("Makefile"), change("a")], {"Makefile": BUILD, "a": ""}),
        ([change("Makefile", "gone")], {"Makefile": BUILD}),
        ([change("Makefile", same=True), change("a", same=True)], {"a": ""}),
        ([change("a", raced=True)], {"a": SOMEBODY}),
        ([replace(change("a", "link"), leads_out=True), change("b", "link")], {"a": OUTSIDE, "b": ""}),
        ([change("a", raced=True, same=True)], {"a": ""}),
        ([change("a", "gone", raced=True)], {"a": SOMEBODY}),
        ([change("a", "odd"), change("b")], {"a": "", "b": ""}),
        ([change("a", "odd"), change("b", "gone")], {"a": NOT_KEPT, "b": ""}),
        ([], {}),
    ],
)
def test_a_person_allows_what_programs_obey_what_somebody_changed_and_what_would_be_lost(
    changes: list[Change], found: dict[str, str]
) -> None:
    assert {one.change.path: one.why for one in judged(changes, obeyed)} == found
