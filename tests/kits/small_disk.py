"""Disks of a few megabytes, and such as can only be read, for tests that fill or look at them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size: str = "6m") -> Iterator[Path]:
    """A disk of its own at a folder; the test is skipped where none can be mounted.

    Args:
        folder: is made.
        size: as tmpfs takes it.
    """
    folder.mkdir()
    if _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)) != 0:
        pytest.skip("nothing can be mounted here: that takes root on Linux")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def read_only(disk: Path) -> None:
    """Let nothing be written to a small disk any more.

    Args:
        disk: where it is mounted.
    """
    assert _mount("-o", "remount,ro", str(disk)) == 0


def _mount(*arguments: str) -> int:
    try:
        return subprocess.run(["mount", *arguments], check=False, capture_output=True).returncode
    except FileNotFoundError:
        return 1
