"""What a browser is made of on this machine: Chromium, what drives it, and what keeps it in."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from sulla.browser.settings import BrowserSettings
from sulla.core.dataclass import dataclass
from sulla.core.errors import NotAvailable
from sulla.tools.shell.process import DEFAULT_PATH
from sulla.tools.shell.sandbox import NOBODY, SHOWN

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""What Chromium is called."""
BEHIND: Final = {"/usr/bin/chromium": "/usr/lib/chromium/chromium"}
"""What a script of a distribution's starts, which looks for settings that the sandbox does not show."""
MAC: Final = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
MORE_SHOWN: Final = ("/etc/fonts", "/var/cache/fontconfig", "/usr/share/fonts")
"""What Chromium sees of the machine, to read, beside what commands see."""
KERNEL: Final = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus")
"""The kernel's settings: it judges whoever writes there by the user alone, and for it root stays root."""
KEEPER: Final = Path(__file__).with_name("keeper.py")
INSIDE: Final = "/run/sulla"
"""Where the sockets are in the sandbox."""
PORT: Final = 3128
"""Where the first proxy is in the sandbox, whose loopback nobody else is on."""
TMP: Final = "/tmp"  # noqa: S108 - one of its own
TMP_BYTES: Final = 512 * 1024 * 1024
"""Chromium's own files in the sandbox; they are in memory."""

_INSTALL: Final = (
    "on Debian and Ubuntu `apt install chromium`, on macOS `brew install --cask chromium`, "
    "or set browser.chromium to where one is"
)
NO_LIBRARY: Final = "Playwright is not installed: `pip install 'sulla-agent[browser]'`, then start the daemon again"
NO_CHROMIUM: Final = f"there is no Chromium on this machine: {_INSTALL}; then start the daemon again"
NO_SANDBOX: Final = (
    "the daemon runs as root, and without bubblewrap Chromium would have to run without a sandbox: "
    "`apt install bubblewrap`, or run the daemon as somebody else"
)


@dataclass(frozen=True, slots=True)
class BrowserPlace:
    """Where everything is."""

    chromium: str
    """The program."""
    bwrap: str
    """What keeps it in; empty for its own sandbox alone."""
    hidden: str = ""
    """A folder that it does not see even if it lies in one that it sees, links resolved: the daemon's home."""

    @property
    def sealed(self) -> bool:
        """Whether it has no network but the way through the daemon."""
        return bool(self.bwrap)

    def launcher(self, folder: Path, count: int, *, root: bool) -> str:
        """The script that Playwright starts in the place of Chromium.

        Args:
            folder: has a copy of the keeper and the sockets ``life`` and ``proxy-3128``, and takes
                Chromium's own files where there is no sandbox.
            count: how many proxies there may be.
            root: whether the daemon runs as root: Chromium is somebody else then.
        """
        python = os.path.realpath(sys.executable)
        if not self.sealed:
            own = (f"{folder}/keeper.py", f"{folder}/life", "", "0", "0", f"{folder}/own")
            return _script((python, "-I", "-S", *own, self.chromium))
        user, group = (NOBODY, NOBODY) if root else (str(os.getuid()), str(os.getgid()))
        own = (f"{INSIDE}/keeper.py", f"{INSIDE}/life", f"{INSIDE}/proxy-", str(PORT), str(count), f"{TMP}/own")
        room = ("--size", str(TMP_BYTES), "--tmpfs")
        beside = [*(str(Path(path).parent) for path in (os.path.realpath(self.chromium), python)), sys.base_prefix]
        shown = [*SHOWN, *MORE_SHOWN, *(path for path in beside if not _is_in(path, SHOWN))]
        hide = ("--tmpfs", self.hidden) if self.hidden and _is_in(self.hidden, tuple(shown)) else ()
        return _script(
            (
                *(self.bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
                *("--unshare-user", "--uid", user, "--gid", group),
                *("--proc", "/proc", "--dev", "/dev", *room, "/dev/shm", *room, TMP),  # noqa: S108 - its own
                *(word for path in shown for word in ("--ro-bind-try", path, path)),
                *(word for path in KERNEL for word in ("--ro-bind-try", path, path)),
                *hide,
                *("--ro-bind", str(folder), INSIDE, "--remount-ro", "/", "--chdir", TMP, "--"),
                *(python, "-I", "-S", *own, self.chromium),
            )
        )


def find(settings: BrowserSettings, home: Path | None = None) -> BrowserPlace:
    """Look for everything. It looks at some files, and starts nothing.

    Args:
        settings: say what is wanted.
        home: the daemon's own folder.

    Raises:
        NotAvailable: something is missing; the message says what to install.
    """
    if find_spec("playwright") is None:
        raise NotAvailable(NO_LIBRARY)
    chromium = _chromium(settings.chromium)
    bwrap = shutil.which("bwrap", path=DEFAULT_PATH) if settings.sealed and sys.platform == "linux" else None
    if bwrap is None and os.geteuid() == 0:
        raise NotAvailable(NO_SANDBOX)
    return BrowserPlace(chromium, bwrap or "", os.path.realpath(home) if home is not None else "")


def lacks(settings: BrowserSettings) -> str:
    """What is missing on this machine; empty for nothing.

    Args:
        settings: say what is wanted.
    """
    try:
        find(settings)
    except NotAvailable as error:
        return error.message
    return ""


def _chromium(wanted: str) -> str:
    if wanted:
        if not os.access(wanted, os.X_OK) or not Path(wanted).is_file():
            raise NotAvailable(f"browser.chromium is {wanted!r}, and no program is there: {_INSTALL}")
        return wanted
    found = (shutil.which(name, path=DEFAULT_PATH) for name in NAMES)
    on_mac = (path for path in MAC if sys.platform == "darwin" and os.access(path, os.X_OK))
    chromium = next((path for path in (*found, *on_mac) if path), "")
    if not chromium:
        raise NotAvailable(NO_CHROMIUM)
    behind = BEHIND.get(chromium, "")
    return behind if os.access(behind, os.X_OK) else chromium


def _is_in(path: str, folders: tuple[str, ...]) -> bool:
    return any(Path(path).is_relative_to(one) for one in folders)


def _script(words: tuple[str, ...]) -> str:
    return f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n'
