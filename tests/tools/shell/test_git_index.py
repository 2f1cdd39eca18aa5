"""What is read of a git index, held against git itself, and what no git writes into one."""

from __future__ import annotations

import hashlib
import os
import struct
import subprocess
from pathlib import Path

import pytest

from sulla.tools.shell.git_index import GitIndex, read_index

NAMES = ("a-b", "a.b/c", "a/b", "long/" + "x" * 200, "long/" + "y" * 200 + "/" + "z" * 200, ".gitignore", "ä/ö", "a b")


def written(folder: Path, *settings: str, hashes: str = "sha1") -> bytes:
    """An index with some files, as git writes it with these settings."""
    git = ["git", *(word for setting in settings for word in ("-c", setting)), "-C", str(folder)]
    subprocess.run(["git", "init", "-q", f"--object-format={hashes}", folder], check=True)
    for name in NAMES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    subprocess.run([*git, "add", "."], check=True)
    (folder / "not yet").touch()
    subprocess.run([*git, "add", "-N", "not yet"], check=True)
    subprocess.run([*git, "write-tree"], check=True, capture_output=True)
    return (folder / ".git/index").read_bytes()


@pytest.mark.parametrize(
    ("settings", "hashes"),
    [
        ((), "sha1"),
        (("index.version=4",), "sha1"),
        (("index.version=4", "index.threads=2"), "sha1"),
        (("core.untrackedCache=true",), "sha1"),
        ((), "sha256"),
        (("index.version=4",), "sha256"),
    ],
)
def test_what_git_has_written_is_written_anew_with_all_that_is_in_it(
    settings: tuple[str, ...], hashes: str, tmp_path: Path
) -> None:
    raw = written(tmp_path, *settings, hashes=hashes)
    listing = ["git", "-C", str(tmp_path), "ls-files", "--stage", "--debug"]
    before = subprocess.run(listing, check=True, capture_output=True).stdout
    index = read_index(raw, 20 if hashes == "sha1" else 32)
    (tmp_path / ".git/index").write_bytes(index.plain)
    assert subprocess.run(listing, check=True, capture_output=True).stdout == before
    assert read_index(index.plain, index.hash_bytes) == index


def test_the_digest_is_that_of_the_content_alone(tmp_path: Path) -> None:
    before = read_index(written(tmp_path), 20)
    os.utime(tmp_path / "a b", (1, 1))
    subprocess.run(["git", "-C", str(tmp_path), "update-index", "-q", "--refresh"], check=True)
    after = read_index((tmp_path / ".git/index").read_bytes(), 20)
    assert (after.digest == before.digest, after.plain == before.plain) == (True, False)
    (tmp_path / "a b").write_text("other")
    subprocess.run(["git", "-C", str(tmp_path), "add", "a b"], check=True)
    assert read_index((tmp_path / ".git/index").read_bytes(), 20).digest != before.digest


def entry(path: bytes, mode: int = 0o100644, said: int | None = None, stage: int = 0) -> bytes:
    """One entry of an index."""
    flags = (len(path) if said is None else said) | stage << 12
    made = bytes(24) + struct.pack(">I", mode) + bytes(12) + bytes(20) + struct.pack(">H", flags) + path
    return made + bytes(8 - len(made) % 8)


def by_hand(*entries: bytes, after: bytes = b"") -> bytes:
    """An index of entries."""
    made = b"DIRC" + struct.pack(">II", 2, len(entries)) + b"".join(entries) + after
    return made + hashlib.sha1(made, usedforsecurity=False).digest()


def test_submodules_are_told() -> None:
    found = read_index(by_hand(entry(b"a", 0o160000), entry(b"b/c", 0o160000), entry(b"d")), 20)
    assert found.modules == {b"a", b"b/c"}
    assert read_index(by_hand(), 20) == GitIndex(20, hashlib.sha256().digest(), frozenset(), by_hand())


@pytest.mark.parametrize(
    ("raw", "wrong"),
    [
        *(
            (by_hand(entry(path)), "which git itself would not put there")
            for path in (
                *(b".git/hooks/pre-commit", b"sub/.git/config", b".GIT/config", b".git", b"git~1/config"),
                *(b"/etc/passwd", b"../outside", b"a/../../outside", b"a/./b", b"a//b", b"a/", b""),
                *(b".g\xe2\x80\x8cit/config", b".git /config", b".git./config", b".git::$INDEX_ALLOCATION/config"),
            )
        ),
        (by_hand(entry(b"a\0.git/hooks/x")), "git itself"),
        (by_hand(entry(b"abc", said=2)), "git itself"),
        (by_hand(entry(b"b"), entry(b"a")), "git itself"),
        (by_hand(entry(b"a"), entry(b"a")), "git itself"),
        (by_hand(entry(b"a", stage=2), entry(b"a", stage=1)), "git itself"),
        (by_hand(entry(b"a"), after=b"link" + struct.pack(">I", 4) + b"abcd"), "split or sparse"),
        (by_hand(entry(b"a"), after=b"TREE" + struct.pack(">I", 400)), "ends too early"),
        (by_hand(entry(b"a"), after=b"TRE"), "ends too early"),
        (by_hand(entry(b"a"))[:40], "ends too early"),
        (b"", "ends too early"),
        (by_hand(entry(b"a")).replace(b"\0\0\0\x02", b"\0\0\0\x05", 1), "none of version 2, 3 or 4"),
        (b"X" + by_hand()[1:], "none of version 2, 3 or 4"),
        (b"DIRC" + struct.pack(">II", 4, 1) + entry(b"a")[:-8] + b"\x05a\0" + bytes(20), "damaged|git itself|early"),
    ],
)
def test_an_index_that_git_would_not_write_is_refused(raw: bytes, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        read_index(raw, 20)
