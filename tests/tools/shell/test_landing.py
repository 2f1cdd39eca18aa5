"""Which of a command's changes go into the workspace at once. Pure; the files are in `test_layer`."""

from __future__ import annotations

import pytest

from sulla.tools.shell.changes import Change, ChangeKind
from sulla.tools.shell.landing import NOT_KEPT, SOMEBODY, WITH_THEM, in_order, sorted_out

BUILD = "a build tool may run or obey it outside the sandbox"


def change(path: str, kind: ChangeKind = "file", *, raced: bool = False, same: bool = False) -> Change:
    return Change(tuple(path.split("/")), kind, 1, raced, same)


def obeyed(one: Change) -> str:
    return "a build tool" if one.parts[-1] == "Makefile" else ""


@pytest.mark.parametrize(
    ("changes", "free", "held"),
    [
        ([change("a"), change("b", "gone"), change("c", "folder"), change("d", "link")], "abcd", []),
        ([change("Makefile"), change("a")], "a", [("Makefile", BUILD)]),
        ([change("Makefile", same=True), change("a", "gone")], "a", []),
        ([change("a", same=True)], "a", []),
        ([change("a", raced=True), change("b")], "b", [("a", SOMEBODY)]),
        ([change("a", raced=True, same=True), change("b", "gone")], "b", []),
        ([change("a", "gone"), change("b/Makefile"), change("c")], "c", [("a", WITH_THEM), ("b/Makefile", BUILD)]),
        ([change("a", "gone"), change("b", raced=True)], "", [("a", WITH_THEM), ("b", SOMEBODY)]),
        ([change("a", "odd"), change("b", "gone")], "b", [("a", NOT_KEPT)]),
        ([change("Makefile", "gone")], "", [("Makefile", BUILD)]),
        ([], "", []),
    ],
)
def test_what_has_to_be_allowed_waits_and_nothing_leaves_its_place_before(
    changes: list[Change], free: str, held: list[tuple[str, str]]
) -> None:
    into, waits = sorted_out(changes, obeyed)
    assert "".join(one.path for one in into) == free
    assert [(one.change.path, one.why) for one in waits] == held


def test_what_was_moved_leaves_its_place_last_and_what_is_replaced_goes_right_before_what_takes_its_place() -> None:
    gone, moved = change("a", "gone"), change("z")
    replaced = [change("b", "gone"), change("b", "folder"), change("b/c")]
    assert in_order([gone, *replaced, moved]) == [moved, *replaced, gone]
