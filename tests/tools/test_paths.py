from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sulla.core.errors import InvalidInput, NotFound, PathEscape, Refused, SullaError, TooLarge
from sulla.tools.paths import MAX_DEPTH, MAX_LINKS, MAX_PATH_BYTES, inside, locate, open_file, open_folder, translated


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a neighbour that must stay out of reach."""
    place = tmp_path / "workspace"
    (place / "docs" / "deep").mkdir(parents=True)
    (place / "notes.txt").write_text("notes")
    (place / "docs" / "a.md").write_text("a")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("secret")
    (tmp_path / "workspace-too").mkdir()
    return place


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("notes.txt", "notes.txt"),
        ("./notes.txt", "notes.txt"),
        ("docs//a.md", "docs/a.md"),
        ("docs/deep/../a.md", "docs/a.md"),
        ("docs/", "docs"),
        (".", ""),
        ("./", ""),
        ("docs/..", ""),
        ("new.txt", "new.txt"),
        ("new/folder/file.txt", "new/folder/file.txt"),
        ("new/../notes.txt", "notes.txt"),
        ("..notes", "..notes"),
        ("a b/ü 日本.txt", "a b/ü 日本.txt"),
        ("docs/~", "docs/~"),
    ],
)
def test_a_path_within_leads_where_it_says(root: Path, path: str, parts: str) -> None:
    assert inside(root, path) == root / parts


def test_an_absolute_path_may_be_used_for_what_is_within(root: Path) -> None:
    assert inside(root, str(root / "docs" / "a.md")) == root / "docs" / "a.md"
    assert inside(root, str(root)) == root
    assert inside(root, f"{root}/docs/../notes.txt") == root / "notes.txt"


def test_the_workspace_itself_may_be_reached_by_a_link(root: Path) -> None:
    alias = root.parent / "alias"
    alias.symlink_to(root)
    assert inside(alias, "notes.txt") == root / "notes.txt"
    assert inside(alias, str(alias / "notes.txt")) == inside(alias, str(root / "notes.txt")) == root / "notes.txt"


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../secret/key",
        "../workspace/notes.txt",
        "docs/../../secret/key",
        "docs/deep/../../../secret",
        "new/../../secret",
        "./../secret/key",
        "/etc/passwd",
        "/",
        "//etc/passwd",
        "~",
        "~/.ssh/id_rsa",
    ],
)
def test_a_path_that_leads_out_is_refused_and_named(root: Path, path: str) -> None:
    with pytest.raises(PathEscape) as caught:
        inside(root, path)
    assert repr(path) in caught.value.message
    assert "the workspace" in caught.value.message
    assert str(root.parent) not in caught.value.message


def test_so_are_absolute_paths_to_its_neighbours(root: Path) -> None:
    for path in (root.parent / "secret" / "key", root.parent / "workspace-too", root / ".." / "secret"):
        with pytest.raises(PathEscape):
            inside(root, str(path))


@pytest.mark.parametrize("path", ["", " ", "a\0b", "a\nb", "a\x7f", "bad\ud800name"])
def test_what_is_no_path_is_refused(root: Path, path: str) -> None:
    with pytest.raises(InvalidInput):
        inside(root, path)


@pytest.mark.parametrize(
    "path",
    ["x" * 256, "é" * 128, "a/" * MAX_PATH_BYTES, "/".join("d" * (MAX_DEPTH + 1))],
    ids=["name", "bytes", "path", "deep"],
)
def test_what_is_too_long_or_too_deep_is_refused(root: Path, path: str) -> None:
    with pytest.raises(TooLarge):
        inside(root, path)


def test_a_path_cannot_go_on_behind_a_file(root: Path) -> None:
    for path in ("notes.txt/x", "notes.txt/..", "notes.txt/../docs"):
        with pytest.raises(NotFound, match=r"'notes\.txt', which is not a folder"):
            inside(root, path)


# ------------------------------------------------------------------------------------------------------------- links


@pytest.mark.parametrize(
    ("link", "target", "path", "parts"),
    [
        ("to_file", "notes.txt", "to_file", "notes.txt"),
        ("to_folder", "docs", "to_folder/a.md", "docs/a.md"),
        ("docs/up", "..", "docs/up/notes.txt", "notes.txt"),
        ("docs/deep/up", "../..", "docs/deep/up/docs/a.md", "docs/a.md"),
        ("dangling", "new.txt", "dangling", "new.txt"),
        ("to_folder", "docs/deep", "to_folder/../a.md", "docs/a.md"),
    ],
)
def test_a_link_that_stays_within_is_followed(root: Path, link: str, target: str, path: str, parts: str) -> None:
    (root / link).symlink_to(target)
    assert inside(root, path) == root / parts


def test_an_absolute_link_that_stays_within_is_followed(root: Path) -> None:
    (root / "docs" / "deep" / "link").symlink_to(root / "docs")
    assert inside(root, "docs/deep/link/a.md") == root / "docs" / "a.md"


@pytest.mark.parametrize(
    ("link", "target", "path"),
    [
        ("out", "../secret", "out"),
        ("out", "../secret", "out/key"),
        ("out", "../secret/key", "out"),
        ("out", "..", "out/secret/key"),
        ("out", "..", "out/workspace/notes.txt"),
        ("docs/out", "../../secret", "docs/out/key"),
        ("out", "/etc", "out/passwd"),
        ("out", "/", "out"),
        ("out", "../nowhere", "out/new.txt"),
        ("docs/deep/out", "../../../secret", "docs/deep/out/key"),
    ],
)
def test_a_link_that_leads_out_is_refused_wherever_it_stands(root: Path, link: str, target: str, path: str) -> None:
    (root / link).symlink_to(target)
    for use in USES:
        with pytest.raises(PathEscape, match="leads out of the workspace"):
            use(root, path)


def test_links_that_go_in_circles_are_refused(root: Path) -> None:
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    (root / "self").symlink_to("self/x")
    for path in ("a", "b/x", "self"):
        with pytest.raises(PathEscape, match=f"more than {MAX_LINKS} links"):
            inside(root, path)


def _open_file(root: Path, path: str) -> None:
    with open_file(root, path):
        pass


def _open_folder(root: Path, path: str) -> None:
    with open_folder(root, path):
        pass


def _make(root: Path, path: str) -> None:
    with locate(root, path, make_folders=True):
        pass


USES: tuple[Callable[[Path, str], object], ...] = (inside, _open_file, _open_folder, _make)


@pytest.mark.parametrize("use", USES)
def test_a_link_that_is_swapped_in_after_the_look_is_not_followed(
    root: Path, monkeypatch: pytest.MonkeyPatch, use: Callable[[Path, str], object]
) -> None:
    """The moment between finding out that something is a folder and stepping into it."""
    real = os.stat

    def stat_and_swap(path: str, *, dir_fd: int | None = None, follow_symlinks: bool = True) -> os.stat_result:
        found = real(path, dir_fd=dir_fd, follow_symlinks=follow_symlinks)
        if path == "docs":
            (root / "docs").rename(root / "moved")
            (root / "docs").symlink_to(root.parent / "secret")
        return found

    monkeypatch.setattr(os, "stat", stat_and_swap)
    with pytest.raises((PathEscape, NotFound)):
        use(root, "docs/key")
    assert (root.parent / "secret" / "key").read_text() == "secret"


def test_a_file_that_becomes_a_link_before_it_is_opened_is_not_followed(root: Path) -> None:
    with locate(root, "notes.txt") as spot:
        (root / "notes.txt").unlink()
        (root / "notes.txt").symlink_to(root.parent / "secret" / "key")
        with pytest.raises(OSError, match=os.strerror(errno.ELOOP)):
            os.open(spot.name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=spot.folder_fd)


def test_a_folder_that_is_moved_away_is_still_the_one_that_was_found(root: Path) -> None:
    with locate(root, "docs/new.txt") as spot:
        (root / "docs").rename(root / "moved")
        (root / "docs").symlink_to(root.parent / "secret")
        os.close(os.open(spot.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, dir_fd=spot.folder_fd))
    assert (root / "moved" / "new.txt").exists()
    assert sorted(path.name for path in (root.parent / "secret").iterdir()) == ["key"]


NAMES = st.sampled_from(["..", ".", "docs", "deep", "notes.txt", "new", "in", "out", "up", "abs", ""])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(NAMES, min_size=1, max_size=6).map("/".join))
def test_no_path_made_of_links_and_dots_leads_out(root: Path, path: str) -> None:
    links = {"in": "docs", "out": "../secret", "docs/up": "../..", "docs/in": "deep", "docs/deep/out": "/etc"}
    for link, target in (links | {"docs/deep/abs": str(root)}).items():
        if not (root / link).is_symlink():
            (root / link).symlink_to(target)
    try:
        found = inside(root, path)
    except SullaError:
        return
    assert found.is_relative_to(root)
    assert found.resolve() == found
    if (root / path).exists():
        assert (root / path).resolve() == found


# ----------------------------------------------------------------------------------------------------------- special


@pytest.fixture
def special(root: Path) -> Iterator[Path]:
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        before = Path.cwd()
        os.chdir(root)  # a socket's whole path has to be short
        server.bind("socket")
        os.chdir(before)
        yield root


@pytest.mark.parametrize("name", ["pipe", "socket"])
def test_pipes_and_sockets_are_refused_without_waiting_for_them(special: Path, name: str) -> None:
    for use in (inside, _open_file):
        with pytest.raises(PathEscape, match="device, a pipe or a socket"):
            use(special, name)


def test_a_link_to_a_device_leads_out(root: Path) -> None:
    (root / "null").symlink_to("/dev/null")
    with pytest.raises(PathEscape):
        inside(root, "null")


# ------------------------------------------------------------------------------------------------------------ opening


def test_a_file_is_opened_and_a_folder_is_not(root: Path) -> None:
    with open_file(root, "docs/a.md") as file:
        assert file.read() == b"a"
    for path in ("docs", "."):
        with pytest.raises(InvalidInput, match="is a folder, not a file"):
            open_file(root, path)
    with pytest.raises(NotFound, match=r"there is no 'no\.txt' in the workspace"):
        open_file(root, "no.txt")


def test_a_folder_is_opened_and_a_file_is_not(root: Path) -> None:
    with open_folder(root, "docs") as fd:
        assert sorted(os.listdir(fd)) == ["a.md", "deep"]  # noqa: PTH208 - a descriptor, not a path
    with open_folder(root, ".") as fd:
        assert sorted(os.listdir(fd)) == ["docs", "notes.txt"]  # noqa: PTH208 - a descriptor, not a path
    with pytest.raises(InvalidInput, match="is a file, not a folder"), open_folder(root, "notes.txt"):
        pass
    with pytest.raises(NotFound), open_folder(root, "no"):
        pass


def test_missing_folders_are_made_only_when_asked(root: Path) -> None:
    with pytest.raises(NotFound, match="there is no folder 'new'"), locate(root, "new/folder/x"):
        pass
    assert not (root / "new").exists()
    with locate(root, "new/folder/x", make_folders=True) as spot:
        assert spot.path == "new/folder/x"
        assert spot.kind() == 0
    assert (root / "new" / "folder").is_dir()
    assert not (root / "new" / "folder" / "x").exists()


def test_a_workspace_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        inside(tmp_path / "gone", "x")


def test_nothing_stays_open(root: Path) -> None:
    (root / "out").symlink_to("../secret")
    (root / "docs" / "deep" / "top").symlink_to(root)
    before = len(list(Path("/dev/fd").iterdir()))
    for path in (
        "docs/a.md",
        "docs/deep/x",
        "docs/deep/../a.md",
        "docs/..",
        "docs/deep/top/docs",
        "out/key",
        "../x",
        "notes.txt/x",
        "no/no",
    ):
        for use in USES:
            try:
                use(root, path)
            except SullaError:
                continue
    assert len(list(Path("/dev/fd").iterdir())) == before


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOENT, NotFound),
        (errno.ENOTDIR, NotFound),
        (errno.EISDIR, InvalidInput),
        (errno.ELOOP, PathEscape),
        (errno.ENXIO, PathEscape),
        (errno.EACCES, Refused),
        (errno.ENAMETOOLONG, TooLarge),
        (errno.ENOSPC, Refused),
        (errno.EROFS, Refused),
        (errno.EIO, Refused),
    ],
)
def test_the_systems_errors_become_ours_without_its_paths(number: int, kind: type[SullaError]) -> None:
    with pytest.raises(kind) as caught, translated("docs/x"):
        raise OSError(number, os.strerror(number), "/somewhere/on/this/machine")
    assert "docs/x" in caught.value.message
    assert "/somewhere" not in caught.value.message
