"""What a command has written into a layer is in the workspace as a whole or not at all, whatever comes in between."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from sulla.core.errors import Conflict, Refused
from sulla.tools.shell import landing_plan, workspace_lock
from sulla.tools.shell.changes import Change, ChangeKind
from sulla.tools.shell.landing import AgainResult, put, put_again
from sulla.tools.shell.landing_steps import in_order
from sulla.tools.shell.layer import Layers
from sulla.tools.shell.workspace_lock import locked
from tests.kits.in_turn import in_turn
from tests.kits.points import sample
from tests.tools.shell.calls import Killed, at, before_call

pytestmark = in_turn(3)


def change(path: str, kind: ChangeKind = "file", *, is_new: bool = False, mode: int = 0) -> Change:
    return Change(tuple(path.split("/")), kind, 1, is_new=is_new, mode=mode)


def test_what_was_moved_leaves_its_place_last_and_what_is_replaced_goes_right_before_what_takes_its_place() -> None:
    gone, moved = change("a", "gone"), change("z")
    replaced = [change("b", "gone"), change("b", "folder"), change("b/c")]
    assert in_order([gone, *replaced, moved]) == [moved, *replaced, gone]


CHANGES = (
    change("made", "folder", is_new=True, mode=0o750),
    change("made/b.txt", is_new=True),
    change("lib/a.txt"),
    change("lib/b.txt"),
    change("link", "link", is_new=True),
    change("shut", "folder", mode=0o755),
    change("shut/new.txt", is_new=True),
    change("swapped", "gone"),
    change("swapped", is_new=True),
    change("text.txt"),
    change("twice.txt"),
    change("moved", "gone"),
    change("old.txt", "gone"),
)
BEFORE = {
    "lib": "folder 755",
    "lib/a.txt": "first as it was",
    "lib/b.txt": "second as it was",
    "moved": "folder 755",
    "moved/b.txt": "moved",
    "old.txt": "old",
    "shut": "folder 555",
    "swapped": "folder 755",
    "swapped/in.txt": "in",
    "text.txt": "as it was",
    "twice.txt": "once",
}
AFTER = {
    "lib": "folder 755",
    "lib/a.txt": "first changed",
    "lib/b.txt": "second changed",
    "link": "-> text.txt",
    "made": "folder 750",
    "made/b.txt": "moved",
    "shut": "folder 755",
    "shut/new.txt": "new",
    "swapped": "a file",
    "text.txt": "changed",
    "twice.txt": "twice",
}


class Desk:
    """A workspace as a person has it, and a layer that a command has written into."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "workspace"
        (self.workspace / "moved").mkdir(parents=True)
        (self.workspace / "swapped").mkdir()
        (self.workspace / "lib").mkdir()
        for name in ("lib/a.txt", "lib/b.txt", "moved/b.txt", "old.txt", "swapped/in.txt", "text.txt", "twice.txt"):
            (self.workspace / name).write_text(BEFORE[name])
        (self.workspace / "shut").mkdir(mode=0o555)
        self.layers = Layers(folder / "home/layers")
        self.layer = self.layers.make(str(self.workspace))
        upper = self.layer.upper
        for name in ("lib", "made", "shut"):
            (upper / name).mkdir()
        for name in ("lib/a.txt", "lib/b.txt", "made/b.txt", "shut/new.txt", "swapped", "text.txt", "twice.txt"):
            (upper / name).write_text(AFTER[name])
        os.link(upper / "twice.txt", self.layer.folder / "second")
        (upper / "link").symlink_to("text.txt")
        self.layer.close()

    def tree(self) -> dict[str, str]:
        """What is in the workspace."""
        return {
            str(path.relative_to(self.workspace)): _told(path)
            for path in sorted(self.workspace.rglob("*"))
            if path.relative_to(self.workspace).parts[0] != ".sulla"
        }

    def rescued(self) -> dict[str, str]:
        """What was there before and could not be put back."""
        areas = self.layer.area, self.workspace / ".sulla" / self.layer.folder.name
        return {
            str(path.relative_to(area / "rescued")): _told(path)
            for area in areas
            for path in (area / "rescued").rglob("*")
            if path.is_file()
        }

    def again(self) -> AgainResult:
        """What the next daemon does first."""
        return put_again(self.layer.folder)


def _told(path: Path) -> str:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    return path.read_text() if path.is_file() else f"folder {stat.S_IMODE(path.stat().st_mode):o}"


@pytest.fixture
def new_desk(tmp_path: Path) -> Callable[[], Desk]:
    """Gives a fresh one each time."""

    def make() -> Desk:
        shutil.rmtree(tmp_path / "desk", ignore_errors=True)
        (tmp_path / "desk").mkdir()
        return Desk(tmp_path / "desk")

    return make


@pytest.fixture
def inside(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether nothing can be renamed from the layer into the workspace."""
    if request.param:
        monkeypatch.setattr(landing_plan, "can_move", lambda layer: False)


each_way = pytest.mark.parametrize("inside", [False, True], ids=["one file system", "two"], indirect=True)


def calls_of(desk: Desk, *, notes: bool = True) -> int:
    """How many calls change files when all goes well."""
    with before_call(lambda call: None, notes=notes) as count:
        put(desk.layer, CHANGES)
    assert desk.tree() == AFTER
    return count[0]


@each_way
@pytest.mark.usefixtures("inside")
def test_a_daemon_that_is_killed_at_any_point_has_all_of_it_there_when_it_is_back(new_desk: Callable[[], Desk]) -> None:
    for number in range(calls_of(new_desk())):
        desk = new_desk()
        with suppress(Killed), before_call(at(number, Killed())):
            put(desk.layer, CHANGES)
        assert (desk.again(), desk.tree()) in (("landed", AFTER), ("nothing", BEFORE)), number
        assert desk.again() == ("landed" if desk.tree() == AFTER else "nothing"), "and once more"


@each_way
@pytest.mark.usefixtures("inside")
def test_what_fails_at_any_point_leaves_all_as_it_was_and_can_be_put_there_later(new_desk: Callable[[], Desk]) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    failed = 0
    for number in range(calls_of(new_desk())):
        desk = new_desk()
        try:
            with before_call(at(number, full), trees=False):
                put(desk.layer, CHANGES)
        except (Refused, OSError):
            failed += 1
            assert desk.tree() == BEFORE, number
            assert desk.again() == "nothing"
            desk.layer.close()
            put(desk.layer, CHANGES)
        assert desk.tree() == AFTER, number
    assert failed > 15


@each_way
@pytest.mark.usefixtures("inside")
def test_what_a_person_does_between_a_kill_and_the_next_start_stays(new_desk: Callable[[], Desk]) -> None:
    for number in range(calls_of(new_desk())):
        desk = new_desk()
        with suppress(Killed), before_call(at(number, Killed())):
            put(desk.layer, CHANGES)
        (desk.workspace / "text.txt").write_text("a person's")
        (desk.workspace / "twice.old").write_text("a copy of before")
        os.utime(desk.workspace / "twice.old", (1000, 1000))
        (desk.workspace / "twice.old").rename(desk.workspace / "twice.txt")
        (desk.workspace / "moved").mkdir(exist_ok=True)
        (desk.workspace / "moved/thesis.txt").write_text("a person's")
        desk.again()
        tree = desk.tree()
        assert [tree[name] for name in THEIRS[:3]] == ["a person's", "a person's", "a copy of before"], number
        assert "moved" in (tree.get("made/b.txt"), tree.get("moved/b.txt")), f"{number}: what was moved is lost"
        whole = [expected for expected in (BEFORE, AFTER) if _is_like(tree, expected)]
        assert whole, (number, tree)


THEIRS = ("text.txt", "moved/thesis.txt", "twice.txt", "moved")
"""What a person has made or written there."""


def _is_like(tree: dict[str, str], expected: dict[str, str]) -> bool:
    """Whether they are the same but for what the person did, and the folder that this happened in."""
    return {name: said for name, said in tree.items() if name not in THEIRS} == {
        name: said for name, said in expected.items() if name not in THEIRS
    }


@each_way
@pytest.mark.usefixtures("inside")
def test_what_a_person_saves_while_it_is_put_there_stays_and_the_rest_is_whole(new_desk: Callable[[], Desk]) -> None:
    for number in range(calls_of(new_desk())):
        desk = new_desk()
        file = desk.workspace / "text.txt"

        def save(call: int, number: int = number, file: Path = file) -> None:
            if call == number:
                file.write_text("a person's")

        with suppress(Conflict), before_call(save):
            put(desk.layer, CHANGES)
        tree = desk.tree()
        assert tree["text.txt"] == "a person's", number
        assert any(_is_like(tree, expected) for expected in (BEFORE, AFTER)), (number, tree)


def _move(workspace: Path) -> None:
    if (workspace / "lib").exists():
        (workspace / "lib").rename(workspace / "letters")


def _replace(workspace: Path) -> None:
    _move(workspace)
    (workspace / "lib").mkdir()


def _edit(workspace: Path) -> None:
    """As many bytes as there were, and the time set back."""
    file = workspace / "lib/a.txt"
    before = file.stat()
    file.write_text("a person's...."[: before.st_size].ljust(before.st_size, "."))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def _remove(workspace: Path) -> None:
    (workspace / "lib/a.txt").unlink()


def _some(points: int, name: str) -> Sequence[int]:
    return sample(range(points), 6, name)


def _every(points: int, name: str) -> Sequence[int]:
    return range(points)


each_point = pytest.mark.parametrize("points", [_some, pytest.param(_every, marks=pytest.mark.faults)])


def _is_told_truly(desk: Desk, told: str | None, act: Callable[[Path], None]) -> bool:
    """Whether nothing of the person's is lost, nothing is there half, and what is told is so.

    Args:
        desk: where the person has acted.
        told: why it was not put there; None if it was.
        act: what the person has done.
    """
    tree = desk.tree()
    there, kept = set(tree.values()), set(desk.rescued().values())
    if act is _edit and not any(said.startswith("a person's") for said in there):
        return False
    texts = set(BEFORE.values() if told is not None else AFTER.values())
    if act in (_edit, _remove):
        texts -= {"first as it was", "first changed"}
    if told is None:
        lib = {path.split("/")[0] for path, said in tree.items() if said in ("first changed", "second changed")}
        return texts <= there and len(lib) == 1
    half = kept or there & {"first changed", "second changed", "new", "twice", "changed"}
    return texts <= there | kept and (not half or "not as before" in told)


@each_point
@pytest.mark.parametrize("act", [_move, _replace, _remove])
@each_way
@pytest.mark.usefixtures("inside")
def test_nothing_of_a_persons_is_lost_whatever_they_do_while_it_is_put_there(
    new_desk: Callable[[], Desk], act: Callable[[Path], None], points: Callable[[int, str], Sequence[int]]
) -> None:
    for number in points(calls_of(new_desk()), f"landing, {act.__name__}"):
        desk = new_desk()
        told: str | None = None

        def person(call: int, number: int = number, workspace: Path = desk.workspace) -> None:
            if call == number:
                act(workspace)

        try:
            with before_call(person):
                put(desk.layer, CHANGES)
        except (Conflict, Refused) as error:
            told = error.message
        desk.layers.remove(desk.layer)
        assert _is_told_truly(desk, told, act), (number, told, desk.tree(), desk.rescued())


@each_point
@pytest.mark.parametrize("act", [_move, _replace, _edit, _remove])
@each_way
@pytest.mark.usefixtures("inside")
def test_nothing_of_a_persons_is_lost_whatever_they_do_between_a_kill_and_the_next_start(
    new_desk: Callable[[], Desk],
    act: Callable[[Path], None],
    points: Callable[[int, str], Sequence[int]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    for number in points(calls_of(new_desk(), notes=False), f"restart, {act.__name__}"):
        desk = new_desk()
        caplog.clear()
        with suppress(Killed), before_call(at(number, Killed()), notes=False):
            put(desk.layer, CHANGES)
        with suppress(FileNotFoundError):
            act(desk.workspace)
        again = desk.again()
        assert _is_told_truly(desk, None if again == "landed" else caplog.text, act), (number, again, desk.tree())


@each_way
@pytest.mark.usefixtures("inside")
def test_what_a_person_has_written_on_what_was_put_there_is_not_undone_though_its_size_and_time_are_the_same(
    new_desk: Callable[[], Desk],
) -> None:
    desk = new_desk()
    failed: list[int] = []

    def act(call: int) -> None:
        if not failed and (desk.workspace / "link").is_symlink():
            failed.append(call)
            _edit(desk.workspace)
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    said = r"not as before, .*: lib/a.txt; what could not be put back lies in /"
    with pytest.raises(match=said), before_call(act, trees=False):
        put(desk.layer, CHANGES)
    assert desk.tree()["lib/a.txt"].startswith("a person's")
    assert desk.rescued() == {"lib/a.txt": "first as it was"}


def test_a_folder_that_is_shut_meanwhile_is_opened_to_undo(new_desk: Callable[[], Desk], monkeypatch: Any) -> None:
    desk = new_desk()
    rename = os.rename

    def as_a_user(*args: Any, **named: Any) -> None:
        for folder in (named.get("src_dir_fd"), named.get("dst_dir_fd")):
            if folder is not None and not os.fstat(folder).st_mode & stat.S_IWUSR:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        rename(*args, **named)

    failed: list[int] = []

    def act(call: int) -> None:
        if not failed and (desk.workspace / "lib/b.txt").read_text() == AFTER["lib/b.txt"]:
            failed.append(call)
            (desk.workspace / "lib").chmod(0o555)
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "rename", as_a_user)
    with pytest.raises(Refused, match="Input/output error"), before_call(act):
        put(desk.layer, CHANGES)
    assert desk.tree() == BEFORE | {"lib": "folder 555"}


def test_copies_that_somebody_else_has_changed_after_a_kill_are_not_put_there(
    new_desk: Callable[[], Desk], monkeypatch: Any
) -> None:
    monkeypatch.setattr(landing_plan, "can_move", lambda layer: False)
    desk = new_desk()
    staged = desk.workspace / ".sulla" / desk.layer.folder.name / "staged"

    def act(call: int) -> None:
        if staged.exists():
            raise Killed

    with suppress(Killed), before_call(act):
        put(desk.layer, CHANGES)
    copy = next(file for file in (staged.parent / "new").iterdir() if file.read_text() == AFTER["text.txt"])
    status = copy.stat()
    copy.write_text("pwned!!")
    os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert desk.again() == "undone"
    assert desk.tree() == BEFORE


def test_what_was_on_its_way_into_a_workspace_that_is_away_waits_for_it(
    new_desk: Callable[[], Desk], tmp_path: Path
) -> None:
    middle = calls_of(new_desk()) // 2
    desk = new_desk()
    with suppress(Killed), before_call(at(middle, Killed())):
        put(desk.layer, CHANGES)
    away = desk.workspace.rename(tmp_path / "away")
    assert desk.again() == "waits"
    desk.workspace.mkdir()
    assert desk.again() == "waits", "that is where a disk is mounted"
    assert desk.tree() == {}
    desk.workspace.rmdir()
    away.rename(desk.workspace)
    assert desk.again() == "landed"
    assert desk.tree() == AFTER


@pytest.mark.faults
@each_way
@pytest.mark.usefixtures("inside")
def test_a_daemon_that_is_killed_again_while_it_goes_on_has_all_of_it_there_in_the_end(
    new_desk: Callable[[], Desk],
) -> None:
    for number in range(calls_of(new_desk())):
        for later in range(number % 3, 40, 3):
            desk = new_desk()
            with suppress(Killed), before_call(at(number, Killed())):
                put(desk.layer, CHANGES)
            with suppress(Killed), before_call(at(later, Killed())):
                desk.again()
            desk.again()
            assert desk.tree() in (AFTER, BEFORE), (number, later)


@pytest.mark.faults
@each_way
@pytest.mark.usefixtures("inside")
def test_a_daemon_that_is_killed_while_it_undoes_has_all_of_it_there_or_nothing_in_the_end(
    new_desk: Callable[[], Desk],
) -> None:
    for number in range(calls_of(new_desk())):
        for later in range(1, 60, 5):
            desk = new_desk()

            def act(call: int, number: int = number, later: int = later) -> None:
                if call == number:
                    raise OSError(errno.EIO, os.strerror(errno.EIO))
                if call == number + later:
                    raise Killed

            with suppress(Killed, Refused), before_call(act):
                put(desk.layer, CHANGES)
            desk.again()
            assert desk.tree() in (AFTER, BEFORE), (number, later)
            assert not desk.rescued()


def test_a_link_in_the_place_of_a_folder_leads_nowhere(new_desk: Callable[[], Desk], tmp_path: Path) -> None:
    desk = new_desk()
    (outside := tmp_path / "outside").mkdir()
    shutil.rmtree(desk.workspace / "shut")
    (desk.workspace / "shut").symlink_to(outside)
    with pytest.raises(Refused, match=r"shut/new.txt cannot be put there: Not a directory"):
        put(desk.layer, [change("text.txt"), change("shut/new.txt", is_new=True)])
    assert list(outside.iterdir()) == []
    assert (desk.workspace / "text.txt").read_text() == "as it was"
    desk.layer.close()
    with pytest.raises(Conflict, match="somebody has changed shut meanwhile"):
        put(desk.layer, CHANGES)


def test_what_is_copied_keeps_its_rights_and_its_time(new_desk: Callable[[], Desk], monkeypatch: Any) -> None:
    monkeypatch.setattr(landing_plan, "can_move", lambda layer: False)
    desk = new_desk()
    written = desk.layer.upper / "text.txt"
    written.chmod(0o640)
    os.utime(written, (1000, 1000))
    put(desk.layer, CHANGES)
    status = (desk.workspace / "text.txt").stat()
    assert (stat.S_IMODE(status.st_mode), status.st_mtime) == (0o640, 1000)


def test_one_set_at_a_time_is_put_into_a_workspace(new_desk: Callable[[], Desk], monkeypatch: Any) -> None:
    desk = new_desk()
    monkeypatch.setattr(workspace_lock, "WAIT_S", 0.2)
    busy = pytest.raises(Refused, match=r"have been putting their changes .* for 0.2 s")
    with locked(str(desk.workspace)), busy, locked(str(desk.workspace)):
        pass
    waited, order = threading.Event(), list[str]()

    def other() -> None:
        waited.set()
        with locked(str(desk.workspace)):
            order.append("second")

    monkeypatch.setattr(workspace_lock, "WAIT_S", 60)
    thread = threading.Thread(target=other)
    with locked(str(desk.workspace)):
        thread.start()
        assert waited.wait(10)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]


def test_what_nobody_can_read_of_a_landing_had_not_begun(new_desk: Callable[[], Desk]) -> None:
    desk = new_desk()
    desk.layer.decided.write_text('{"workspace": ')
    assert desk.again() == "nothing"
    assert desk.tree() == BEFORE
