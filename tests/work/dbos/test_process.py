"""A process that lives is never taken for dead."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from sulla.work.dbos.process import is_gone, this_host, this_process
from tests.soon import until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody is looked for by his number")

_CHILD = """
import sys
from sulla.work.dbos.process import this_process
print(this_process(), flush=True)
sys.stdin.read()
"""


def test_this_process_lives_and_has_a_name() -> None:
    assert this_process().startswith(f"{os.getpid()}:")
    assert not is_gone(this_process())
    assert this_host()


def test_one_that_stands_still_lives_and_one_that_was_killed_does_not() -> None:
    with subprocess.Popen([sys.executable, "-c", _CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        name = child.stdout.readline().decode().strip()
        assert not is_gone(name)
        child.send_signal(signal.SIGSTOP)
        assert not is_gone(name)
        child.kill()
        until(lambda: is_gone(name))  # also while nobody has asked how it ended
        child.wait()
        assert is_gone(name)


def test_a_number_that_was_given_anew_is_another_process() -> None:
    number, _, began = this_process().partition(":")
    assert is_gone(f"{number}:{int(began) + 1}")


def test_who_has_no_name_or_cannot_be_asked_is_not_gone() -> None:
    for name in ("", "1", "x:1", f"{os.getpid()}:"):
        assert not is_gone(name)
