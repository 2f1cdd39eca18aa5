"""A plugin that runs tests in several processes at once. They are forked when everything is collected: test files are
read and imported once, and share what that takes. Each process takes one file after the other until none is left.

Elsewhere than on Linux the system's libraries do not outlive a fork, and all tests run in one process.
"""

from __future__ import annotations

import os
import sys
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from tempfile import TemporaryFile
from types import SimpleNamespace
from typing import Any

import pytest
from _pytest.capture import CaptureManager, FDCapture

from tests.processes.forked import FORKS, share_server
from tests.processes.shares import Shares


def pytest_addoption(parser: pytest.Parser) -> None:
    """Know `--processes`."""
    parser.addoption("--processes", type=int, default=1, help="run tests in so many processes at once")


def pytest_configure(config: pytest.Config) -> None:
    """Take over where several processes are asked for."""
    many = config.getoption("--processes")
    if FORKS and many > 1 and not config.option.collectonly:
        share_server()  # it imports while tests are collected
        config.pluginmanager.register(SideBySide(many))


class SideBySide:
    """Has processes run the tests, and passes on what they tell.

    Args:
        many: how many processes.
    """

    def __init__(self, many: int) -> None:
        self._many = many
        self._who: dict[Connection, int] = {}
        """Our ends of the pipes to the processes that run, and their ids."""
        self._todo: dict[int, list[int]] = {}
        """The numbers of the tests that each process has taken and not ended; it is at the first of them."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run all tests. In a forked process: run those that it takes."""
        if session.testsfailed:
            return None  # what cannot be collected is pytest's to tell
        sys.stdout.flush()  # or each process would print what is left in there
        sys.stderr.flush()
        for _ in range(self._many):
            ours, theirs = Pipe()
            pid = os.fork()
            if pid == 0:
                for end in (ours, *self._who):
                    end.close()
                return _Worker(session, theirs).run()
            theirs.close()
            self._who[ours], self._todo[pid] = pid, []
        try:
            self._relay(session, _shares(session))
        finally:
            for end, pid in self._who.items():
                end.close()  # it ends after the test that it is at
                os.waitpid(pid, 0)
        return True

    def _relay(self, session: pytest.Session, shares: Shares) -> None:
        while self._who:
            for end in wait(list(self._who)):
                assert isinstance(end, Connection)
                try:
                    told = end.recv()
                except (EOFError, ConnectionResetError):
                    self._ended(session, shares, self._who.pop(end))
                    end.close()
                else:
                    self._take(session, shares, end, told)
            if not self._who and (left := shares.take(0)):
                session.shouldfail = f"no process is left to run {session.items[left[0]].nodeid!r} and what follows it"
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)

    def _take(self, session: pytest.Session, shares: Shares, end: Connection, told: Any) -> None:
        pid, hook = self._who[end], session.config.hook
        match told:
            case "next":
                tests = shares.take(pid)
                self._todo[pid].extend(tests)
                end.send(tests)
            case "ran", reports:
                del self._todo[pid][0]
                for data in reports:
                    report = hook.pytest_report_from_serializable(config=session.config, data=data)
                    hook.pytest_runtest_logreport(report=report)
            case "warned", warning:
                hook.pytest_warning_recorded.call_historic(kwargs=warning)
            case "stops", why:
                session.shouldfail = why

    def _ended(self, session: pytest.Session, shares: Shares, pid: int) -> None:
        """Take note of the end of a process; one with a test under way has failed it."""
        _, status = os.waitpid(pid, 0)
        if not (todo := self._todo.pop(pid)):
            return
        shares.give_back(todo[1:])
        item = session.items[todo[0]]
        why = f"its process ended meanwhile, with {os.waitstatus_to_exitcode(status)}"
        report = pytest.TestReport(item.nodeid, item.location, {}, "failed", why, "call")
        session.config.hook.pytest_runtest_logreport(report=report)


def _shares(session: pytest.Session) -> Shares:
    """All files; those of pure modules come last, because they are short, and rooms with slow ones first."""
    items = session.items
    pure = [item.get_closest_marker("pure") is not None for item in items]
    rooms = [f"{item.nodeid.split('/')[:2]}{is_pure}" for item, is_pure in zip(items, pure, strict=True)]
    last = {room for room, is_pure in zip(rooms, pure, strict=True) if is_pure}
    slow = [item.get_closest_marker("in_turn") is not None for item in items]
    first = {room for room, is_slow in zip(rooms, slow, strict=True) if is_slow}
    return Shares(rooms, [item.path for item in items], last, first)


def _capture_apart(manager: CaptureManager | None) -> None:
    """Have what tests print go into files of this process; until now all processes write into the same ones."""
    capturing = manager._global_capturing if manager is not None else None
    for stream in (capturing.out, capturing.err) if capturing is not None else ():
        if isinstance(stream, FDCapture):
            with TemporaryFile() as anew:
                os.dup2(anew.fileno(), stream.tmpfile.fileno())


class _Worker:
    """A forked process that runs tests. It is a plugin, and lives as long as the process.

    Args:
        session: the run, as it was when this process was forked.
        end: its end of the pipe to the process that relays.
    """

    def __init__(self, session: pytest.Session, end: Connection) -> None:
        self._session = session
        self._end = end
        self._reports: list[Any] = []
        """Those of the test that runs."""
        config = session.config
        plugins = config.pluginmanager
        # What is told and kept at the end of a run is the other process's to tell and keep.
        config.workerinput = {}  # type: ignore[attr-defined]  # pytest's own plugins and others look for it
        writer = config.get_terminal_writer()
        plugins.unregister(name="terminalreporter")
        plugins.register(SimpleNamespace(_tw=writer), "terminalreporter")  # whoever prints at once still may
        plugins.register(self)
        _capture_apart(plugins.get_plugin("capturemanager"))

    def run(self) -> bool:
        """Run tests until none is left, or something wants the run to stop."""
        session, items = self._session, self._session.items
        todo = self._more()
        while todo:
            at = todo.pop(0)
            # Asked for before the last test of a file, because pytest keeps what the next test needs, too.
            todo = todo or self._more()
            session.config.hook.pytest_runtest_protocol(item=items[at], nextitem=items[todo[0]] if todo else None)
            self._tell("ran", self._reports)
            self._reports = []
            if why := session.shouldfail or session.shouldstop:
                self._tell("stops", str(why))
                break
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep a report until its test has ended."""
        config = self._session.config
        self._reports.append(config.hook.pytest_report_to_serializable(config=config, report=report))

    def pytest_warning_recorded(self, warning_message: Any, when: str, nodeid: str, location: Any) -> None:
        """Pass a warning on."""
        self._tell("warned", {"warning_message": warning_message, "when": when, "nodeid": nodeid, "location": location})

    def _more(self) -> list[int]:
        try:
            self._end.send("next")
            tests: list[int] = self._end.recv()
        except (EOFError, OSError):
            return []  # the run was stopped
        return tests

    def _tell(self, what: str, about: object) -> None:
        try:
            self._end.send((what, about))
        except OSError:
            self._session.shouldstop = "nobody listens any more"
