"""Git folders of a workspace, for a command that runs for somebody who has read what nobody trusts.

It works in a private folder in place of each `.git`, with the real objects, refs and logs mounted into it. What git
obeys is there to read alone, what else the command makes in it is gone afterwards, and only plain files that hold its
work are taken back. A file there may name other folders (``commondir``), and so it is not enough to keep those that
there are: what is not there yet must not come to be either.
"""

from __future__ import annotations

import logging
import os
import re
import stat
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.tools.shell.git_index import GitIndex, read_index
from sulla.tools.shell.seals import MOST_LOOKED, Seal, linked_in

MOST_FOLDERS: Final = 8
"""Git folders of a workspace that a command may write in; further ones are read-only."""
MOST_ENTRIES: Final = 64
"""Files and folders directly in a git folder: each may be a mount. Git makes some twenty."""
MOST_LINKED: Final = 100
"""Files with a second name, in all git folders together, that are sealed one by one. A git folder that has more is
read-only as a whole."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""The size of a file that is copied or taken back. An index has some 100 bytes for each file of the repository."""

SHARED: Final = ("objects", "refs", "logs")
"""What a command writes into the real folder itself: git runs and obeys nothing of it, but for ``objects/info``."""
TAKEN: Final = frozenset(
    "index HEAD packed-refs ORIG_HEAD COMMIT_EDITMSG MERGE_HEAD MERGE_MSG MERGE_MODE MERGE_AUTOSTASH AUTO_MERGE "
    "SQUASH_MSG CHERRY_PICK_HEAD REVERT_HEAD FETCH_HEAD shallow".split()
)
"""What is copied and taken back: where a commit, checkout, merge and stash keep what they do."""
UNFINISHED: Final = ("rebase-merge", "rebase-apply", "sequencer")
"""Where git keeps a rebase, and a series of picks, that has stopped in its midst: with commands to be run."""

SETTINGS: Final = {
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "gc.auto",
    "GIT_CONFIG_VALUE_0": "0",
    "GIT_CONFIG_KEY_1": "gc.packRefs",
    "GIT_CONFIG_VALUE_1": "false",
}
"""What git is told in a private folder. To pack refs takes them away from where the person's git looks, until the file
that they were packed into is taken back."""

UNTRUSTED: Final = ".git-untrusted-"
"""What a git folder is called from then on that a command has made where git looks for that of a submodule."""

_STAY: Final = ("HEAD", "index")
"""What is never removed: without them it is no repository, or all of it counts as deleted. If somebody else has changed
one of them meanwhile, nothing is taken back."""
_HEAD: Final = re.compile(rb"(ref: refs/[^\0\n]+|[0-9a-f]{40}|[0-9a-f]{64})\n?")
_LOG: Final = logging.getLogger(__name__)

_Version = tuple[int, int, int]
"""What tells one version of a file from another: its number, size, and time of the last change in nanoseconds."""


@dataclass(frozen=True, slots=True)
class _PrivateFolder:
    """One git folder while a command runs."""

    real: Seal
    """It as it was found."""
    path: str
    """What stands in its place for the command."""
    names: frozenset[str]
    """What was in the real one."""
    seen: Mapping[str, _Version]
    """The real files that were copied."""
    copied: Mapping[str, _Version]
    """The copies of them."""
    index: GitIndex
    """What was in the index."""
    links: frozenset[tuple[str, str]]
    """Links in its refs and logs."""
    modules: Mapping[Path, str]
    """Where git looks for the git folders of submodules, and the identity of what is there; empty for nothing."""


class GitFolders:
    """The private folders of one command. They live until `take_back`, or until nobody knows of this any more.

    Args:
        place: the folder that they are made in; no command may see it.
    """

    def __init__(self, place: Path) -> None:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path = tempfile.mkdtemp(dir=place)
        """Where they are."""
        self._remove = weakref.finalize(self, _remove, self.path)
        self._private: list[_PrivateFolder] = []
        self._left_linked = MOST_LINKED

    def in_place(self, seals: Sequence[Seal]) -> tuple[Seal, ...]:
        """The seals, with private folders in the place of git folders that are called ``.git``; a git folder for which
        none can be made stays read-only as a whole.

        Args:
            seals: of a workspace.
        """
        return tuple(mounted for seal in seals for mounted in (self._in_place(seal) or (seal,)))

    def _in_place(self, seal: Seal) -> tuple[Seal, ...]:
        """What is mounted for a git folder; nothing if it stays read-only, or is none."""
        if not seal.path.endswith("/.git") or seal.whole or len(self._private) >= MOST_FOLDERS:
            return ()
        with suppress(OSError, ValueError), _opened(seal) as real:
            return self._made(seal, real)
        return ()

    def _made(self, seal: Seal, real: int) -> tuple[Seal, ...]:
        with os.scandir(real) as entries:
            found = {entry.name: entry for entry in entries if not entry.name.endswith(".lock")}
        folders = {name for name, entry in found.items() if entry.is_dir(follow_symlinks=False)}
        files = {name for name, entry in found.items() if entry.is_file(follow_symlinks=False)}
        if len(found) > MOST_ENTRIES or not {"objects", "refs"} <= folders or "HEAD" not in files:
            return ()
        for name in ("logs", "objects/info"):  # what is not there cannot be mounted, and what git obeys has to be
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=real)
        linked = [path for name in SHARED for path in linked_in(Path(seal.path, name), MOST_LOOKED, most=MOST_LINKED)]
        if len(linked) > self._left_linked or not {Path(seal.path, name) for name in SHARED}.isdisjoint(linked):
            return ()
        index, private = _index_of(real), Path(tempfile.mkdtemp(dir=self.path))
        seen, copied = dict[str, _Version](), dict[str, _Version]()
        for name in sorted(files & TAKEN):
            content, seen[name] = _read(name, real)
            (private / name).write_bytes(content)
            copied[name] = _version((private / name).lstat())
        for name in found.keys() - folders - files:
            if found[name].is_symlink():
                (private / name).symlink_to(os.readlink(name, dir_fd=real))
        for name in {*folders, "logs"}:
            (private / name).mkdir()
        for name in files - TAKEN:
            (private / name).touch()
        mounts = [Seal(seal.path, _identity(private.lstat()), writable=True, source=str(private))]
        mounts += [_seal(f"{seal.path}/{name}", name, real, writable=True) for name in SHARED]
        kept = sorted({*folders, *files} - TAKEN - {*SHARED})
        mounts += [_seal(f"{seal.path}/{name}", name, real) for name in (*kept, "objects/info")]
        mounts += [_seal(str(path), os.path.relpath(path, seal.path), real) for path in linked]
        known, index = frozenset({*found, "logs"}), replace(index, plain=b"")
        at = {Path(seal.path).parent / os.fsdecode(name) / ".git" for name in index.modules}
        modules = {path: _identity_at(path) for path in at}
        self._private.append(_PrivateFolder(seal, str(private), known, seen, copied, index, _links(real), modules))
        self._left_linked -= len(linked)
        return tuple(mounts)

    def take_back(self) -> str:
        """Put the command's work into the real folders, once nothing of it runs any more, and remove the private ones.

        Returns:
            What of it could not be taken, and why; empty if there is nothing to be said.
        """
        try:
            return "; ".join(f"{folder.real.path}: {said}" for folder in self._private for said in _taken(folder))
        finally:
            self._private.clear()
            self._remove()


def clear(place: Path) -> None:
    """Remove what a daemon has left in `place` that was killed."""
    with suppress(FileNotFoundError):
        for folder in list(place.iterdir()):
            _remove(str(folder))


def _remove(folder: str) -> None:
    """Remove a folder in which a command may have made others as deep as it liked, and closed them: each one below is
    moved out of the one above, so that no path grows long."""
    left, moved = [folder], 0
    try:
        while left:
            at = left.pop()
            while below := _some(at):
                for entry in below:
                    if entry.is_dir(follow_symlinks=False):
                        Path(entry.path).chmod(0o700)
                        moved += 1
                        left.append(f"{folder}-{moved}")
                        Path(entry.path).rename(left[-1])
                    else:
                        Path(entry.path).unlink()
            Path(at).rmdir()
    except OSError:
        _LOG.exception("a private git folder could not be removed", extra={"folder": folder})


def _some(folder: str) -> list[os.DirEntry[str]]:
    """What lies in a folder, or the first of it: it may be a million files."""
    with os.scandir(folder) as entries:
        return list(islice(entries, 1000))


def _taken(folder: _PrivateFolder) -> Iterator[str]:
    """Take back what a command has done in one git folder; what there is to be said of it."""
    try:
        with _opened(folder.real) as real, _opened(_at(folder.path)) as private:
            for at, name in _links(real) - folder.links:  # git would write into what they lead to
                os.unlink(f"{at}/{name}", dir_fd=real)
                yield f"the link {at}/{name} was removed"
            for path, before in folder.modules.items():
                if (now := _identity_at(path)) != before and now:
                    path.rename(aside := path.with_name(f"{UNTRUSTED}{now}"))
                    yield f"{path} is another than it was, and git would obey it: it is {aside.name} now"
            with os.scandir(private) as entries:
                names = (entry.name for entry in entries if not entry.name.endswith(".lock"))
                made = sorted(islice((name for name in names if name not in folder.names | TAKEN), 6))
            if made:
                yield f"not kept: {', '.join(made[:5])}{' …' if len(made) > 5 else ''}"
            if any(name not in folder.names and Path(folder.path, name).exists() for name in UNFINISHED):
                yield (
                    "HEAD and the index stay as they were, since a rebase or a series of picks has not ended: end or "
                    "abort it in the command that begins it"
                )
                return
            yield from _written(folder, _changed(folder, private), real)
    except FileExistsError as error:
        yield f"git is at work there ({error.filename}): nothing was taken back"
    except (OSError, ValueError) as error:
        yield f"nothing was taken back: {error}"


def _changed(folder: _PrivateFolder, private: int) -> dict[str, bytes | None]:
    """What a command has written, and with None what it has removed.

    Raises:
        ValueError: what it has written is not what git writes.
    """
    changed = dict[str, bytes | None]()
    for name in sorted(TAKEN):
        try:
            content, version = _read(name, private)
        except FileNotFoundError:
            if name in folder.copied and name not in _STAY:
                changed[name] = None
            continue
        if version != folder.copied.get(name):
            changed[name] = content
    if (head := changed.get("HEAD")) is not None and not _HEAD.fullmatch(head):
        raise ValueError("HEAD names no branch and no commit")
    if (raw := changed.get("index")) is not None:
        index = read_index(raw, folder.index.hash_bytes)
        if more := index.modules - folder.index.modules:
            named = os.fsdecode(min(more))
            raise ValueError(f"its index has a new submodule, {named!r}, whose settings git would obey")
        changed["index"] = index.plain
    return changed


def _written(folder: _PrivateFolder, changed: Mapping[str, bytes | None], real: int) -> Iterator[str]:
    """Write it into the real folder, all or nothing, with git's own locks; what there is to be said of it."""
    if not changed:
        return
    with ExitStack() as locks:
        for name in sorted({*changed, *_STAY}):
            _lock(name, changed.get(name), real, locks)
        others = {name for name in {*changed, *_STAY} if _version_in(real, name) != folder.seen.get(name)}
        if "index" in others and _index_of(real).digest == folder.index.digest:
            others.remove("index")  # git has looked whether the files are as they were, and noted it
        if stay := others.intersection(_STAY):
            yield (
                f"somebody else has changed {' and '.join(sorted(stay))} while the command ran, so that stays, and "
                "what the command did to HEAD and the index is lost; what it committed is on its branch"
            )
            return
        if others:
            yield f"somebody else has changed {', '.join(sorted(others))} while the command ran, so that stays"
        for name in sorted(changed.keys() - others):
            if changed[name] is None:
                os.unlink(name, dir_fd=real)
            else:
                os.rename(f"{name}.lock", name, src_dir_fd=real, dst_dir_fd=real)


def _lock(name: str, content: bytes | None, real: int, locks: ExitStack) -> None:
    """Write what is to take a file's place where git itself puts it first: nobody else writes the file then."""

    def unlock() -> None:
        with suppress(FileNotFoundError):
            os.unlink(f"{name}.lock", dir_fd=real)

    made = os.open(f"{name}.lock", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=real)
    locks.callback(unlock)
    with os.fdopen(made, "wb") as file:
        with suppress(FileNotFoundError):
            status = os.stat(name, dir_fd=real, follow_symlinks=False)
            os.fchmod(file.fileno(), stat.S_IMODE(status.st_mode))
        file.write(content or b"")


def _read(name: str, folder: int) -> tuple[bytes, _Version]:
    """A plain file of an open folder.

    Raises:
        ValueError: it is none, or too large.
    """
    with os.fdopen(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder), "rb") as file:
        status = os.fstat(file.fileno())
        content = file.read(MOST_BYTES + 1) if stat.S_ISREG(status.st_mode) else None
    if content is None or len(content) > MOST_BYTES:
        raise ValueError(f"{name} is no file of at most {MOST_BYTES} bytes")
    return content, _version(status)


def _index_of(real: int) -> GitIndex:
    """What is in the index of a git folder."""
    hash_bytes = 32 if b"sha256" in _read("config", real)[0].lower() else 20
    try:
        return read_index(_read("index", real)[0], hash_bytes)
    except FileNotFoundError:
        return GitIndex(hash_bytes)


def _links(real: int) -> frozenset[tuple[str, str]]:
    """Links in the refs and logs of a git folder: where they lie below it, and their names."""
    walks = (os.fwalk(name, dir_fd=real) for name in ("refs", "logs"))
    return frozenset(
        (at, name)
        for walk in walks
        for at, folders, files, folder in walk
        for name in (*folders, *files)
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    )


def _version(status: os.stat_result) -> _Version:
    return status.st_ino, status.st_size, status.st_mtime_ns


def _version_in(real: int, name: str) -> _Version | None:
    """Which version of a file there is; None if there is none."""
    with suppress(FileNotFoundError):
        return _version(os.stat(name, dir_fd=real, follow_symlinks=False))
    return None


def _identity(status: os.stat_result) -> str:
    return f"{status.st_dev}:{status.st_ino}"


def _identity_at(path: Path) -> str:
    """The identity of what lies at a path without links; empty for nothing."""
    if os.path.realpath(path.parent) != str(path.parent):
        return ""  # git follows no link to a submodule either
    with suppress(FileNotFoundError, NotADirectoryError):
        return _identity(path.lstat())
    return ""


def _seal(path: str, name: str, real: int, *, writable: bool = False) -> Seal:
    """What lies at `name` in the open folder, mounted at its own place."""
    status = os.stat(name, dir_fd=real, follow_symlinks=False)
    if not stat.S_ISDIR(status.st_mode) and not stat.S_ISREG(status.st_mode):
        raise ValueError(f"{name} is neither a file nor a folder")
    return Seal(path, _identity(status), writable)


def _at(path: str) -> Seal:
    """A folder that nobody else can have put something else in the place of."""
    return Seal(path, _identity(Path(path).lstat()))


@contextmanager
def _opened(seal: Seal) -> Iterator[int]:
    """A folder, opened; it has to be the one that was found.

    Raises:
        OSError: it is not there any more, or another one is.
    """
    folder = os.open(seal.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if _identity(os.fstat(folder)) != seal.identity:
            raise OSError("another folder has taken its place")
        yield folder
    finally:
        os.close(folder)
