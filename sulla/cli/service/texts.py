"""What systemd and launchd are told of a daemon. Pure.

Nothing secret stands in these texts: keys are in `keys.toml` of the home (docs/operations.md).
"""

from __future__ import annotations

import plistlib
from collections.abc import Sequence
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError

STOP_S: Final = 60
"""How long a stop may take, in seconds, before the process is killed: turns get `daemon.drain_s` of it."""

AGAIN_S: Final = 10
"""How long after a failure the daemon is started again, in seconds: its port or its store may come back."""

GIVE_UP_S: Final = 600
TRIES: Final = 30
"""So many starts within so many seconds, and it is left alone: then something is wrong that does not pass."""


@dataclass(frozen=True, slots=True)
class DaemonService:
    """A daemon as a service of one person's session."""

    name: str
    """What the service manager calls it."""
    command: Sequence[str]
    """The program, with whole paths, to which the command and the home are added."""
    home: str
    path: str
    """The folders in which the daemon finds programs, such as bubblewrap's."""
    setuid_sandbox: bool = False
    """Whether bubblewrap needs more rights than its caller has, as on some older systems."""


def systemd_unit(service: DaemonService) -> str:
    """A unit for systemd's user manager.

    What would keep bubblewrap from making its sandbox is left out: namespaces, mounts and `/proc` are as usual.

    Raises:
        SettingsError: a path has a line break, which no unit can hold.
    """
    # Rights that nobody can gain: a bubblewrap that has to gain some would not work.
    hardening = [] if service.setuid_sandbox else ["NoNewPrivileges=yes", "LockPersonality=yes", "RestrictRealtime=yes"]
    lines = (
        "[Unit]",
        "Description=Sulla, an agent daemon",
        f"StartLimitIntervalSec={GIVE_UP_S}",
        f"StartLimitBurst={TRIES}",
        "",
        "[Service]",
        "Type=exec",
        f"ExecStart={_command(service, 'up')}",
        f"ExecReload={_command(service, 'reload')}",
        f"Environment={_quoted(f'PATH={service.path}')}",
        "Restart=on-failure",
        f"RestartSec={AGAIN_S}",
        f"TimeoutStopSec={STOP_S}",
        "KillMode=mixed",
        "OOMPolicy=continue",
        "UMask=0077",
        *hardening,
        "",
        "[Install]",
        "WantedBy=default.target",
    )
    return "\n".join(lines) + "\n"


def _command(service: DaemonService, verb: str) -> str:
    words = (*service.command, verb, "--home", service.home)
    return " ".join(_quoted(word).replace("$", "$$") for word in words)


def _quoted(word: str) -> str:
    if "\n" in word or "\r" in word:
        raise SettingsError(f"{word!r} has a line break, which no unit of systemd can hold: use another folder")
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def launchd_plist(service: DaemonService) -> bytes:
    """A property list for launchd's agents."""
    log = f"{service.home}/logs/service.log"
    return plistlib.dumps(
        {
            "Label": service.name,
            "ProgramArguments": [*service.command, "up", "--home", service.home],
            "EnvironmentVariables": {"PATH": service.path},
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": AGAIN_S,
            "ExitTimeOut": STOP_S,
            "Umask": 0o077,
            "StandardOutPath": log,
            "StandardErrorPath": log,
        }
    )
