"""The programs that start services: systemd's and launchd's, each asked by its own command."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

from sulla.cli.service.state import SYSTEMD_ASKED, ServiceState, launchd_state, no_systemd, systemd_state
from sulla.cli.service.texts import DaemonService, launchd_plist, systemd_unit
from sulla.core.dataclass import dataclass
from sulla.core.errors import NotAvailable, Refused
from sulla.terminal.place import config_folder, session_folder
from sulla.terminal.program import program

ASK_S: Final = 120.0
"""How long a manager may take: stopping a daemon waits for its turns."""


class Manager(Protocol):
    """Starts and stops a daemon. It lives as long as one command."""

    @property
    def file(self) -> Path:
        """What describes the daemon to it."""

    def check(self) -> None:
        """Do nothing if it can be asked here at all.

        Raises:
            Refused: it does not answer; why, and what to do, is told.
        """

    def install(self) -> None:
        """Describe the daemon, and start it now and whenever its owner's session begins.

        Raises:
            Refused: the manager does not do it; its own words are told.
        """

    def uninstall(self) -> None:
        """Stop it, and forget it. Its home stays."""

    def tell(self, verb: str) -> None:
        """`start`, `stop` or `restart` it."""

    def state(self) -> ServiceState:
        """How it is.

        Raises:
            Refused: the manager does not say; why, and what to do, is told.
        """

    @property
    def text(self) -> bytes:
        """What `file` would hold if it were installed now."""

    @property
    def log(self) -> str:
        """Where what it printed is, for people."""

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

    def check(self) -> None:
        """See `Manager`."""
        self._ask("show-environment")

    def install(self) -> None:
        """See `Manager`."""
        _write(self.file, self.text)
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

    def state(self) -> ServiceState:
        """See `Manager`."""
        return systemd_state(self._ask("show", self.file.name, f"--property={','.join(SYSTEMD_ASKED)}"))

    @property
    def text(self) -> bytes:
        """See `Manager`."""
        return systemd_unit(self.service).encode()

    @property
    def log(self) -> str:
        """See `Manager`."""
        return f"the journal of {self.file.name}"

    def log_command(self, *, follow: bool) -> list[str]:
        """See `Manager`."""
        return [
            "journalctl",
            "--user",
            "--unit",
            self.file.name,
            *(("--follow",) if follow else ("--no-pager", "-n100")),
        ]

    def _ask(self, *words: str) -> str:
        booted = Path("/run/systemd/system").is_dir()  # what sd_booted(3) looks at
        folder, user = session_folder(), getpass.getuser()
        known = no_systemd(booted=booted, runtime_folder=folder, user=user, home=self.service.home)
        answers = folder and Path(folder, "systemd", "private").exists()  # the manager's own socket
        return _run([self.systemctl, "--user", *words], "" if booted and answers else known)


@dataclass(frozen=True, slots=True)
class Launchd:
    """Implements `Manager` by launchd's agents."""

    service: DaemonService
    launchctl: str
    file: Path

    @property
    def _domain(self) -> str:
        return f"gui/{os.getuid()}"

    @property
    def _target(self) -> str:
        return f"{self._domain}/{self.service.name}"

    def check(self) -> None:
        """See `Manager`."""
        self._ask("print", self._domain)

    def install(self) -> None:
        """See `Manager`."""
        Path(self.service.home, "logs").mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._is_loaded():  # else it would go on as it was described before
            self._ask("bootout", self._target)
        _write(self.file, self.text)
        self._ask("bootstrap", self._domain, str(self.file))

    def uninstall(self) -> None:
        """See `Manager`."""
        self.tell("stop")
        self.file.unlink(missing_ok=True)

    def tell(self, verb: str) -> None:
        """See `Manager`. An agent that is stopped is unloaded: launchd would start it again."""
        match verb, self._is_loaded():
            case "stop", True:
                self._ask("bootout", self._target)
            case "stop", False:
                return
            case _, False:
                self._ask("bootstrap", self._domain, str(self.file))
            case "start", True:
                self._ask("kickstart", self._target)
            case _:
                self._ask("kickstart", "-k", self._target)

    def state(self) -> ServiceState:
        """See `Manager`."""
        if not self._is_loaded():
            return ServiceState("not loaded", faults=(f"it was stopped: `{program()} service start` starts it",))
        return launchd_state(self._ask("print", self._target))

    @property
    def text(self) -> bytes:
        """See `Manager`."""
        return launchd_plist(self.service)

    @property
    def log(self) -> str:
        """See `Manager`."""
        return f"{self.service.home}/logs/service.log"

    def log_command(self, *, follow: bool) -> list[str]:
        """See `Manager`."""
        return ["tail", *(("-f",) if follow else ("-n100",)), self.log]

    def _is_loaded(self) -> bool:
        self._ask("print", self._domain)  # is there a session at all?
        try:
            self._ask("print", self._target)
        except Refused:
            return False
        return True

    def _ask(self, *words: str) -> str:
        return _run(
            [self.launchctl, *words],
            "launchd's agents are there while you are logged in at the screen, not by ssh alone: log in there once, "
            f"or run `{program()} up --home {self.service.home}` by hand",
        )


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


def _run(words: Sequence[str], known: str) -> str:
    asked = " ".join((Path(words[0]).name, *words[1:]))
    try:
        done = subprocess.run(words, check=False, capture_output=True, text=True, errors="replace", timeout=ASK_S)
    except subprocess.TimeoutExpired:
        raise Refused(f"`{asked}` did not end within {ASK_S:g} s") from None
    except OSError as error:
        raise Refused(f"`{asked}` cannot be run: {error.strerror}") from None
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).split())[:500] or "it said nothing"
        raise Refused(f"`{asked}` failed ({done.returncode}): {said}. {known}".rstrip())
    return done.stdout
