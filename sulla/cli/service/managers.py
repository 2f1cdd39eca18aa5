"""The programs that start services: systemd's and launchd's, each asked by its own command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

from sulla.cli.service.texts import DaemonService, launchd_plist, systemd_unit
from sulla.core.dataclass import dataclass
from sulla.core.errors import NotAvailable, Refused
from sulla.terminal.place import config_folder
from sulla.terminal.program import program

ASK_S: Final = 120.0
"""How long a manager may take: stopping a daemon waits for its turns."""


class Manager(Protocol):
    """Starts and stops a daemon. It lives as long as one command."""

    @property
    def file(self) -> Path:
        """What describes the daemon to it."""

    def install(self) -> None:
        """Describe the daemon, and start it now and whenever its owner's session begins.

        Raises:
            Refused: the manager does not do it; its own words are told.
        """

    def uninstall(self) -> None:
        """Stop it, and forget it. Its home stays."""

    def tell(self, verb: str) -> None:
        """`start`, `stop` or `restart` it."""

    def log_command(self, *, follow: bool) -> list[str]:
        """What shows what it printed."""


def find_manager(service: DaemonService) -> Manager:
    """The manager of this machine.

    Args:
        service: the daemon.

    Raises:
        NotAvailable: there is none; the error says what was looked for.
    """
    if systemctl := shutil.which("systemctl"):
        return Systemd(service, systemctl, config_folder() / "systemd" / "user" / f"{service.name}.service")
    if launchctl := shutil.which("launchctl"):
        return Launchd(service, launchctl, Path.home() / "Library" / "LaunchAgents" / f"{service.name}.plist")
    raise NotAvailable(
        "there is neither systemctl (systemd) nor launchctl (launchd) on the PATH: have whatever starts programs here "
        f"run `{program()} up --home {service.home}`, stop it with SIGTERM, and start it again when it fails"
    )


@dataclass(frozen=True, slots=True)
class Systemd:
    """Implements `Manager` by systemd's user manager."""

    service: DaemonService
    systemctl: str
    file: Path

    def install(self) -> None:
        """See `Manager`."""
        self._ask("show-environment")  # before anything is written: is there a manager at all?
        _write(self.file, systemd_unit(self.service).encode())
        self._ask("daemon-reload")
        self._ask("enable", "--now", self.file.name)

    def uninstall(self) -> None:
        """See `Manager`."""
        self._ask("disable", "--now", self.file.name)
        self.file.unlink(missing_ok=True)
        self._ask("daemon-reload")

    def tell(self, verb: str) -> None:
        """See `Manager`."""
        self._ask(verb, self.file.name)

    def log_command(self, *, follow: bool) -> list[str]:
        """See `Manager`."""
        return [
            "journalctl",
            "--user",
            "--unit",
            self.file.name,
            *(("--follow",) if follow else ("--no-pager", "-n100")),
        ]

    def _ask(self, *words: str) -> None:
        _run(
            [self.systemctl, "--user", *words],
            "systemd's user manager is there while you are logged in; after `su`, or in a container, there may be none",
        )


@dataclass(frozen=True, slots=True)
class Launchd:
    """Implements `Manager` by launchd's agents."""

    service: DaemonService
    launchctl: str
    file: Path

    @property
    def _domain(self) -> str:
        return f"gui/{os.getuid()}"

    def install(self) -> None:
        """See `Manager`."""
        Path(self.service.home, "logs").mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(self.file, launchd_plist(self.service))
        self._ask("bootstrap", self._domain, str(self.file))

    def uninstall(self) -> None:
        """See `Manager`."""
        self._ask("bootout", f"{self._domain}/{self.service.name}")
        self.file.unlink(missing_ok=True)

    def tell(self, verb: str) -> None:
        """See `Manager`. An agent that is stopped is unloaded: launchd would start it again."""
        target = f"{self._domain}/{self.service.name}"
        match verb:
            case "start":
                self._ask("bootstrap", self._domain, str(self.file))
            case "stop":
                self._ask("bootout", target)
            case _:
                self._ask("kickstart", "-k", target)

    def log_command(self, *, follow: bool) -> list[str]:
        """See `Manager`."""
        return ["tail", *(("-f",) if follow else ("-n100",)), f"{self.service.home}/logs/service.log"]

    def _ask(self, *words: str) -> None:
        _run([self.launchctl, *words], "launchd's agents are there while you are logged in at the screen")


def setuid_bubblewrap() -> bool:
    """Whether bubblewrap is there and needs the rights of its file's owner."""
    found = shutil.which("bwrap")
    return found is not None and bool(Path(found).stat().st_mode & 0o4000)


def own_command() -> list[str]:
    """This program, by whole paths."""
    script = Path(sys.executable).parent / "sulla"
    return [str(script)] if script.exists() else [sys.executable, "-m", "sulla"]


def _write(path: Path, text: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.new")
        draft.write_bytes(text)
        draft.chmod(0o600)
        draft.replace(path)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}") from None


def _run(words: Sequence[str], known: str) -> None:
    asked = " ".join((Path(words[0]).name, *words[1:]))
    try:
        done = subprocess.run(words, check=False, capture_output=True, text=True, errors="replace", timeout=ASK_S)
    except subprocess.TimeoutExpired:
        raise Refused(f"`{asked}` did not end within {ASK_S:g} s") from None
    except OSError as error:
        raise Refused(f"`{asked}` cannot be run: {error.strerror}") from None
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).split())[:500] or "it said nothing"
        raise Refused(f"`{asked}` failed ({done.returncode}): {said}. {known}")
