"""A part of a local cluster that was ended is gone altogether, whenever it died."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import psutil

from deploy.local_parts import spawn
from tests.soon import pause


def test_the_number_of_one_that_had_ended_already_is_free_afterwards(tmp_path: Path) -> None:
    part = spawn([sys.executable, "-c", "import signal; signal.pause()"], os.environ, tmp_path / "log")
    os.kill(part.pid, signal.SIGKILL)
    while psutil.Process(part.pid).status() != psutil.STATUS_ZOMBIE:
        pause()
    part.end(signal.SIGKILL, 1.0)
    assert not psutil.pid_exists(part.pid)
