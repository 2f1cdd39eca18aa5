"""A layer over a workspace. What a command writes for somebody who has read what nobody trusts goes into the layer, an
overlay of the kernel (overlayfs), and nothing of it is in the workspace before it was looked through
(`tools.shell.landing`).

The layer is mounted in a namespace around the one of the sandbox: the command sees the workspace with the layer over it
under the workspace's own name, and neither the layer's folder nor the workspace below.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import Refused
from sulla.tools.shell.snapshot import Snapshot, snapshot_of

CLEAR_S: Final = 60.0
"""How long it may take to remove a layer. What is left then goes when the daemon starts again."""
NOT_MOUNTED: Final = 125
"""The exit status where the layer could not be put over the workspace."""
_ESCAPED: Final = re.compile(rb"\\([0-7]{3})")
"""How the system spells what would end a word in its list of mounts."""
_MOUNTED: Final = "mounted"
_CLOSED: Final = "closed"
_MOUNT: Final = (
    f'{{ mount -t overlay overlay -o userxattr,"$2" "$1" && : > {_MOUNTED}; }} || exit {NOT_MOUNTED}; '
    'shift 2; exec "$@"'
)
_TO_WRITE: Final = "lowerdir=lower,upperdir=upper,workdir=work"
_TO_READ: Final = "lowerdir=upper:lower"


def mount_trouble(workspace: str) -> str:
    """Why the kernel puts no layer over a workspace: something is mounted below it, and would be uncovered by that.

    Args:
        workspace: its folder, links resolved.

    Returns:
        What is mounted, and what to do; empty for nothing, and where the system does not tell.
    """
    with suppress(OSError):
        named = (line.split(b" ")[4] for line in Path("/proc/self/mountinfo").read_bytes().splitlines())
        places = {os.fsdecode(_ESCAPED.sub(lambda code: bytes([int(code[1], 8)]), name)) for name in named}
        if found := sorted(place for place in places if place.startswith(f"{workspace.rstrip('/')}/")):
            more = f" and {len(found) - 1} more" if found[1:] else ""
            return f"{found[0]}{more} is mounted within the workspace, so no layer can be put over it: unmount it"
    return ""


def why_not_written(error: OSError, folder: Path) -> str:
    """What keeps the daemon from writing what it holds of commands, and what to do.

    Args:
        error: of the system.
        folder: where it was to be written.
    """
    said = f"{os.strerror(error.errno or 0)} in {folder}"
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return said
    return (
        f"{said}: make room on that disk. What is held back of commands lies there until a person has allowed it, or "
        "its conversation is deleted"
    )


@dataclass(frozen=True, slots=True)
class Layer:
    """One command's layer. It lives until what was written into it is in the workspace, or given up."""

    folder: Path
    """Where it is kept; no command can see that."""
    workspace: str
    """What it lies over, links resolved."""
    before: Snapshot = field(default=Snapshot(), compare=False, repr=False)
    """What was there when it was made."""

    @property
    def upper(self) -> Path:
        """Holds what was written: files and folders as they are now, and for each that is gone a character device."""
        return self.folder / "upper"

    @property
    def mounted(self) -> bool:
        """Whether it was put over the workspace, and the command began."""
        return (self.folder / _MOUNTED).exists()

    @property
    def since_ns(self) -> int:
        """When it was made, as the file system tells it: what has changed below since then, somebody else changed."""
        return (self.folder / "lower").lstat().st_ctime_ns

    @property
    def note(self) -> Path:
        """A file for whoever holds it back."""
        return self.folder / "held.json"

    @property
    def decided(self) -> Path:
        """A file that says what of it is to be put into the workspace, once that is decided."""
        return self.folder / "decided.json"

    @property
    def landed(self) -> Path:
        """What `decided` is called once all of it is in the workspace."""
        return self.folder / "landed.json"

    @property
    def area(self) -> Path:
        """A folder for what is kept while it is put into the workspace."""
        return self.folder / "landing"

    @property
    def rescued(self) -> Path:
        """A folder for what was in the workspace before and could not be put back; only people remove that."""
        return self.area / "rescued"

    @property
    def has_rescued(self) -> bool:
        """Whether anything lies there."""
        return self.rescued.is_dir() and any(self.rescued.iterdir())

    def close(self) -> None:
        """Note that the command has ended; what changes below from now on was changed behind its back."""
        (self.folder / _CLOSED).touch()

    @property
    def closed_ns(self) -> int:
        """When that was, as the file system tells it."""
        return (self.folder / _CLOSED).lstat().st_ctime_ns

    def over(self, argv: tuple[str, ...], bwrap: str, *, reading: bool = False) -> tuple[str, ...]:
        """The command line that runs `argv`, a bubblewrap, where the layer lies over the workspace.

        Args:
            argv: what to run there. For the new namespace it is root, so it has to say whom it runs its command as.
            bwrap: where bubblewrap is.
            reading: whether it only looks at what another has written, and cannot change anything of it.
        """
        # The parts have names without a meaning to mount(8), whatever the workspace is called.
        return (
            *(bwrap, "--die-with-parent", "--unshare-user", "--uid", "0", "--gid", "0", "--cap-add", "ALL"),
            *("--dev-bind", "/", "/", "--bind", self.workspace, str(self.folder / "lower")),
            *("--chdir", str(self.folder), "--", "sh", "-c", _MOUNT, "sh", self.workspace),
            _TO_READ if reading else _TO_WRITE,
            *argv,
        )


class Layers:
    """Makes layers and removes them. It lives as long as the daemon. Its methods wait for the disk: call them on a
    worker thread.

    Args:
        root: the folder that they are kept in. Nothing else is in it.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def make(self, workspace: str) -> Layer:
        """A new one.

        Args:
            workspace: what it is to lie over, links resolved.

        Raises:
            Refused: it cannot be made there.
        """
        if self._root.resolve().is_relative_to(workspace):
            raise Refused(f"the workspace {workspace} holds the daemon's own folder, so no layer can be put over it")
        if trouble := mount_trouble(workspace):
            raise Refused(trouble)
        try:
            self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder = Path(mkdtemp(prefix="layer-", dir=self._root.resolve()))
            for part in ("lower", "upper", "work"):
                (folder / part).mkdir()
            layer = Layer(folder, workspace, snapshot_of(Path(workspace)))
            # The workspace's own rights are those of the layer.
            layer.upper.chmod(Path(workspace).stat().st_mode & 0o777)
        except OSError as error:
            raise Refused(f"no layer can be made over the workspace: {why_not_written(error, self._root)}") from error
        return layer

    def remove(self, layer: Layer) -> None:
        """Give it up with all that is in it, but for what is a person's."""
        if not layer.has_rescued:
            remove_tree(layer.folder)
            return
        for part in layer.folder.iterdir():
            if part != layer.area:
                remove_tree(part)

    def rescued(self) -> tuple[Path, ...]:
        """Folders with what could not be put back into a workspace; they are a person's."""
        layers = (Layer(folder, "") for folder in self.left())
        return tuple(layer.rescued for layer in layers if layer.has_rescued)

    def left(self) -> Iterator[Path]:
        """The folders of those that an earlier daemon has left."""
        yield from self._root.iterdir() if self._root.is_dir() else ()


def remove_tree(folder: Path) -> None:
    """Remove a folder with all that is in it, whatever its rights; one that is not there is nothing to remove."""
    if not os.path.lexists(folder):
        return
    # By programs of the system: folders may lie in one another by thousands, more than calls do here.
    chmod, rm = shutil.which("chmod"), shutil.which("rm")
    for words in ((chmod, "-R", "u+rwx"), (rm, "-rf")):
        if words[0] is not None:
            # What cannot be removed is told by nobody: it stays until the next start, and no command sees it.
            with suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run((*words, "--", str(folder)), check=False, capture_output=True, timeout=CLEAR_S)
