"""A test that needs a server which cannot be had here is skipped, but not passed over: the last line of the run names
what was not run, and the exit code is `NOT_RUN`, so that `./dev check` fails.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from typing import NoReturn

import pytest

NOT_RUN = 3
"""The exit code of a run that would have passed but for a server that is missing."""

_MARK = "needs a server: "

_PORTS = range(12_000, 22_000)
"""Below those that a kernel hands out by itself. A Redis in a cluster takes the one that is 10 000 higher too."""

_TURNS = count()


def missing(server: str, remedy: str) -> NoReturn:
    """Skip the test, and have the run say so at its end.

    Args:
        server: what is missing.
        remedy: how to get it.
    """
    pytest.skip(f"{_MARK}{server} ({remedy})")


def free_port() -> int:
    """A port on which nobody listens just now, and which nobody is given who does not ask for it by its number."""
    while True:
        port = _PORTS[(101 * os.getpid() + next(_TURNS)) % len(_PORTS)]
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


class NotRun:
    """Remembers what was skipped for want of a server; register it where reports arrive (see tests/conftest.py).

    Args:
        config: of the run.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._found: dict[str, int] = {}
        config.add_cleanup(lambda: self._say(config))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Look at a test's report; those of runs side by side arrive here too."""
        reason = report.longrepr[2] if report.skipped and isinstance(report.longrepr, tuple) else ""
        _, found, what = reason.partition(_MARK)
        if found:
            self._found[what] = self._found.get(what, 0) + 1

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        """Do not end well if something was left out."""
        result = yield
        if self._found and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = NOT_RUN
        return result

    def _say(self, config: pytest.Config) -> None:
        """Say it in the last line."""
        if self._found and not hasattr(
            config, "workerinput"
        ):  # of a run side by side, only the one that hears of every test
            reporter = config.pluginmanager.get_plugin("terminalreporter")
            assert reporter is not None
            what = "; ".join(f"{count} tests need {name}" for name, count in self._found.items())
            reporter.write_line(f"NOT RUN: {what}")
