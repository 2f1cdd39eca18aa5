"""What one command may use of the machine, all that it starts taken together. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sulla.core.dataclass import dataclass

MB: Final = 1 << 20

_FILE_TOO_LARGE: Final = 128 + 25
"""The exit status of a program that was ended because it wrote beyond a file's bound (``SIGXFSZ``)."""


@dataclass(frozen=True, slots=True)
class CommandBounds:
    """The bounds of one command, as the section ``shell`` of the settings has them."""

    max_processes: int = 2048
    """Processes and threads at once."""
    max_memory_mb: int = 8192
    """Memory of all its processes together."""
    max_file_mb: int = 4096
    """The size of one file."""
    max_disk_mb: int = 16_384
    """What the disk of the workspace may lose while it runs."""
    max_tmp_mb: int = 2048
    """What fits into its own ``/tmp``, and once more into its ``/dev/shm``."""
    max_open_files: int = 4096
    """Files that one process may have open."""

    @property
    def limits(self) -> Mapping[str, int]:
        """The bounds of each process, as setrlimit(2) has them.

        Not ``AS``, because what runs JavaScript reserves far more addresses than memory. Not ``NPROC``, because outside
        a sandbox it counts all processes of the user, the daemon's and the desktop's with them.
        """
        return {
            "CORE": 0,
            "DATA": 2 * self.max_memory_mb * MB,  # what one takes between two looks; the bound itself is watched
            "FSIZE": self.max_file_mb * MB,
            "NOFILE": self.max_open_files,
        }

    @property
    def together(self) -> Mapping[str, int]:
        """The bounds of all its processes together, which the reaper watches."""
        return {
            "ALL_PROCESSES": self.max_processes,
            "ALL_MEMORY": self.max_memory_mb * MB,
            "ALL_SHARED": (self.max_memory_mb + 2 * self.max_tmp_mb) * MB,
            "ALL_DISK": self.max_disk_mb * MB,
        }

    def told(self, counted: bool) -> str:
        """The bounds and what keeps each, for people.

        Args:
            counted: whether the kernel counts a command's processes.
        """
        return (
            f"at most {self.max_processes} processes and threads at once "
            f"({'kept by the kernel' if counted else 'watched'}), "
            f"{self.max_memory_mb} MB of memory and {self.max_disk_mb} MB of disk (watched), "
            f"{self.max_file_mb} MB in a file and {self.max_open_files} open files of a process (kept by the kernel)"
        )

    def exceeded(self, report: str, status: int) -> str:
        """Which bound ended a command, in words; empty if none did.

        Args:
            report: what the reaper says of it.
            status: the command's exit status.
        """
        if not report and status == _FILE_TOO_LARGE:
            return f"a file grew beyond {self.max_file_mb} MB; shell.max_file_mb allows more"
        more = "allows more"
        return {
            "processes": f"it had {self.max_processes} processes and threads at once; shell.max_processes {more}",
            "memory": f"its processes took more than {self.max_memory_mb} MB of memory; shell.max_memory_mb {more}",
            "shared": f"while it ran the machine's shared memory grew by more than {self.max_memory_mb} MB and twice "
            f"{self.max_tmp_mb} MB; shell.max_memory_mb and shell.max_tmp_mb {more}",
            "scarce": "while it ran the machine's free memory fell to a tenth of what it was before",
            "disk": f"while it ran the workspace's disk lost over {self.max_disk_mb} MB; shell.max_disk_mb {more}",
            "full": "while it ran nine tenths of the free space on the workspace's disk were used up",
        }.get(report, "")

    def hint(self, said: str) -> str:
        """Which bound something in a command may have met, by what it printed; empty for none.

        Args:
            said: what it printed.
        """
        tasks = f"a command may have {self.max_processes} processes and threads at once (shell.max_processes)"
        known = {
            "No space left on device": f"its memory disks hold {self.max_tmp_mb} MB each (shell.max_tmp_mb)",
            "File size limit exceeded": f"a file may have {self.max_file_mb} MB (shell.max_file_mb)",
            "File too large": f"a file may have {self.max_file_mb} MB (shell.max_file_mb)",
            "Too many open files": f"a process may open {self.max_open_files} files (shell.max_open_files)",
            "Cannot allocate memory": f"a command may take {self.max_memory_mb} MB of memory (shell.max_memory_mb)",
            "Resource temporarily unavailable": tasks,
        }
        return "; ".join(dict.fromkeys(bound for words, bound in known.items() if words in said))


NO_SETTINGS: Final = CommandBounds()
"""The bounds that hold where nobody has set others."""
