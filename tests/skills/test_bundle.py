"""A folder of files: read as a whole, judged by its digest, never larger than it may be, and no way out of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sulla.core.errors import InvalidInput, NotFound, TooLarge
from sulla.skills.bundle import MAX_BYTES, MAX_DEPTH, MAX_FILE_BYTES, MAX_FILES, read_bundle, signature


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.txt").write_text("two")
    (tmp_path / "one.txt").write_text("one")
    return tmp_path


def test_every_file_is_there_in_order(folder: Path) -> None:
    bundle = read_bundle(folder)
    assert list(bundle.files.items()) == [("b/two.txt", b"two"), ("one.txt", b"one")]
    assert bundle.text("b/two.txt") == "two"
    assert bundle.digest.startswith("sha256:")
    assert len(bundle.digest) == 71


def test_a_change_of_any_name_or_content_changes_the_digest(folder: Path) -> None:
    digests = {read_bundle(folder).digest}
    (folder / "one.txt").write_text("eno")
    digests.add(read_bundle(folder).digest)
    (folder / "one.txt").rename(folder / "one.tx")
    digests.add(read_bundle(folder).digest)
    (folder / "empty").touch()
    digests.add(read_bundle(folder).digest)
    assert len(digests) == 4


def test_where_one_file_ends_and_the_next_begins_counts(tmp_path: Path) -> None:
    digests = set()
    for number, files in enumerate([{"a": "bc", "d": ""}, {"a": "b", "cd": ""}, {"ab": "c", "d": ""}]):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
        digests.add(read_bundle(folder).digest)
    assert len(digests) == 3


def test_a_change_shows_in_the_signature_though_length_and_time_are_the_same(folder: Path) -> None:
    before, times = signature(folder), (folder / "one.txt").stat()
    (folder / "one.txt").write_text("eno")
    os.utime(folder / "one.txt", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert signature(folder) != before
    assert signature(folder) == signature(folder)


def test_a_link_is_refused_wherever_it_leads(folder: Path) -> None:
    (folder / "way").symlink_to(folder / "one.txt")
    with pytest.raises(InvalidInput, match="'way' is a link"):
        read_bundle(folder)


def test_a_pipe_is_refused_and_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with pytest.raises(InvalidInput, match="'pipe' is a link or no file"):
        read_bundle(folder)


def test_what_is_too_much_is_refused(tmp_path: Path) -> None:
    many, long, heavy, deep = (tmp_path / name for name in ("many", "long", "heavy", "deep"))
    for folder in (many, long, heavy):
        folder.mkdir()
    for number in range(MAX_FILES + 1):
        (many / str(number)).touch()
    (long / "long").write_bytes(bytes(MAX_FILE_BYTES + 1))
    for number in range(MAX_BYTES // MAX_FILE_BYTES + 1):
        (heavy / str(number)).write_bytes(bytes(MAX_FILE_BYTES))
    deep.joinpath(*["d"] * (MAX_DEPTH + 1)).mkdir(parents=True)
    for folder, said in ((many, "200 files"), (long, "'long' is longer"), (heavy, "in all"), (deep, "folders deep")):
        with pytest.raises(TooLarge, match=said):
            read_bundle(folder)


def test_what_is_no_text_or_not_there_is_told_by_name(folder: Path) -> None:
    (folder / "blob").write_bytes(b"\xff\xfe\x00")
    bundle = read_bundle(folder)
    with pytest.raises(InvalidInput, match="blob is not text: 3 bytes"):
        bundle.text("blob")
    with pytest.raises(NotFound, match=r"no file '\.\./one\.txt'; there are: b/two\.txt, blob, one\.txt"):
        bundle.text("../one.txt")


def test_what_version_control_keeps_does_not_count(folder: Path) -> None:
    before = read_bundle(folder).digest
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("ref")
    assert read_bundle(folder).digest == before
