from __future__ import annotations

import os
import resource
import subprocess
import sys

import pytest

from sulla.daemon.files import allow_open_files, keep_open_files

LIMITED = """
import logging, resource, sys
from sulla.daemon.files import allow_open_files
logging.basicConfig(format="%(message)s", stream=sys.stdout)
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
allow_open_files({wanted})
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""


def limited(soft: int, hard: int, wanted: int) -> list[str]:
    """What a process with these limits says, and the limits that it then has."""
    code = LIMITED.format(soft=soft, hard=hard, wanted=wanted)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_the_limit_is_raised_to_what_is_wanted() -> None:
    assert limited(128, 512, 256) == ["256 512"]


def test_what_is_enough_is_left_alone() -> None:
    assert limited(300, 512, 256) == ["300 512"]


def test_what_cannot_be_had_is_said_with_the_remedy() -> None:
    said, found = limited(128, 200, 256)
    assert "may have 200 files and sockets open, and wants 256" in said
    assert "ulimit -Hn 256" in said
    assert found == "200 200"


def test_a_refusal_of_the_system_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(which: int, limits: tuple[int, int]) -> None:
        raise PermissionError("not here")

    monkeypatch.setattr(resource, "getrlimit", lambda which: (100, 5000))
    monkeypatch.setattr(resource, "setrlimit", refuse)
    allow_open_files()
    assert "may have 100 files" in caplog.text


def test_nothing_that_is_open_is_inherited() -> None:
    reading, writing = os.pipe()
    try:
        os.set_inheritable(reading, True)
        keep_open_files()
        assert not os.get_inheritable(reading)
    finally:
        os.close(reading)
        os.close(writing)
