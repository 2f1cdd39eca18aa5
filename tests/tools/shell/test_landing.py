"""In which order changes go into a workspace. Pure; the files are in `test_layer`."""

from __future__ import annotations

from sulla.tools.shell.changes import Change, ChangeKind
from sulla.tools.shell.landing import in_order


def change(path: str, kind: ChangeKind = "file") -> Change:
    return Change(tuple(path.split("/")), kind, 1)


def test_what_was_moved_leaves_its_place_last_and_what_is_replaced_goes_right_before_what_takes_its_place() -> None:
    gone, moved = change("a", "gone"), change("z")
    replaced = [change("b", "gone"), change("b", "folder"), change("b/c")]
    assert in_order([gone, *replaced, moved]) == [moved, *replaced, gone]
