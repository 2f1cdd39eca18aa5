"""The index of a git repository, as far as it can be trusted. Pure.

Git takes the paths in it as they are, so one that was made by hand can have `git checkout` write a hook.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.tools.program_files import plain_name

_SUBMODULE: Final = 0o160000
"""The mode of an entry that is another repository."""
_LONG: Final = 0xFFF
"""What an entry says of the length of a path that is longer than it can say."""
_MORE_FLAGS: Final = 0x4000


@dataclass(frozen=True, slots=True)
class GitIndex:
    """What is in an index."""

    hash_bytes: int = 20
    """How many bytes a hash of the repository has: 20, or 32 with SHA-256."""
    digest: bytes = b""
    """Tells its content apart from other: not what git notes of the files' times."""
    modules: frozenset[bytes] = frozenset()
    """The paths of submodules."""
    plain: bytes = b""
    """The file anew, with nothing but its entries. Git makes the rest again as it needs it."""


def read_index(raw: bytes, hash_bytes: int) -> GitIndex:
    """Read the file ``index`` of a git folder, whose form gitformat-index(5) describes.

    Args:
        raw: its content.
        hash_bytes: how many bytes a hash of the repository has: 20, or 32 with SHA-256.

    Raises:
        ValueError: git would refuse it or be led astray by it, or it holds only a part of the entries (a split or a
            sparse index).
    """
    try:
        return _read(raw, hash_bytes)
    except (struct.error, IndexError) as error:
        raise ValueError("its index ends too early") from error


def _read(raw: bytes, hash_bytes: int) -> GitIndex:
    magic, version, count = struct.unpack_from(">4sII", raw)
    if magic != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("its index is none of version 2, 3 or 4")
    hashed, modules = hashlib.sha256(), set[bytes]()
    at, last = 12, (b"", -1)
    for _ in range(count):
        (mode,) = struct.unpack_from(">I", raw, at + 24)
        name = at + 40 + hash_bytes + 2
        (flags,) = struct.unpack_from(">H", raw, name - 2)
        if flags & _MORE_FLAGS:
            name += 2
        kept = b""
        if version == 4:  # a path is told by what it has in common with the one before
            drop, name = _number(raw, name)
            if drop > len(last[0]):
                raise ValueError("its index is damaged")
            kept = last[0][: len(last[0]) - drop]
        end = raw.index(b"\0", name)
        path, stage = kept + raw[name:end], flags >> 12 & 3
        # Git goes by the length, and in order; it has to come to the same paths.
        if flags & _LONG != min(len(path), _LONG) or (path, stage) <= last or not _harmless(path):
            raise ValueError(f"its index has the path {path!r}, which git itself would not put there")
        if mode & 0o170000 == _SUBMODULE:
            modules.add(path)
        hashed.update(struct.pack(">IHI", mode, stage, len(path)) + path + raw[at + 40 : at + 40 + hash_bytes])
        last, at = (path, stage), end + 1 if version == 4 else at + (end - at + 8) // 8 * 8
    if any(name[:1].islower() for name in _extensions(raw, at, hash_bytes)):
        raise ValueError("its index is split or sparse")
    entries = raw[:at]
    checksum = hashlib.new("sha1" if hash_bytes == 20 else "sha256", entries, usedforsecurity=False).digest()
    return GitIndex(hash_bytes, hashed.digest(), frozenset(modules), entries + checksum)


def _extensions(raw: bytes, at: int, hash_bytes: int) -> Iterator[bytes]:
    """The names of what follows the entries; one in small letters changes what these mean."""
    while at < len(raw) - hash_bytes:
        name, size = struct.unpack_from(">4sI", raw, at)
        yield name
        at += 8 + size
    if at != len(raw) - hash_bytes:
        raise ValueError("its index ends too early")


def _number(raw: bytes, at: int) -> tuple[int, int]:
    """A number of any length as git writes it, and where it ends."""
    number = raw[at] & 127
    while raw[at] & 128:
        at += 1
        number = (number + 1 << 7) + (raw[at] & 127)
    return number, at + 1


def _harmless(path: bytes) -> bool:
    """Whether it leads neither out of the repository nor into a git folder, on any file system."""
    names = [plain_name(part) for part in path.decode(errors="surrogateescape").split("/")]
    return not any(name in ("", ".git") or name.startswith("git~") for name in names)
