"""What every test gets: no network beyond this machine, steady property tests, and a way to run the pure part alone."""

from __future__ import annotations

import gc
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Generator, Iterator
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from sulla.testing.clock import ManualClock
from tests.house import rows
from tests.house.source import says_pure
from tests.servers.not_run import NotRun

# One server for all tests of a process, whichever files they are in; and every frame of every test is looked at.
pytest_plugins = [
    "tests.servers.stores.postgres", "tests.gateway.frames", "tests.cli.one_daemon", "tests.processes.side_by_side",
    "tests.kits.in_turn",
]  # fmt: skip

# Few examples, because each run draws others; no deadline for one, because a busy machine is no reason to fail.
settings.register_profile("quick", max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("quick")

# Whoever starts the tests in the background of a shell has Ctrl-C ignored, and all that they start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Hints call the program by its name alone, as where it is installed.
os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))

_ROOT = Path(__file__).resolve().parent.parent
_PURE_EXAMPLES = 5
"""So many examples of a property `./dev test pure` tries at most; the whole suite tries as many as the test says."""

_PURE_LIMIT_S = 0.004
"""What a test of `./dev test pure` may take on average, in processor time: another load does not count."""

_WIRING = (("cli",), ("daemon",), ("testing",))

_Address = tuple[Any, ...] | str

_TOUCHES = re.compile(
    r"^(?:import|from) (?:asyncio|multiprocessing|schemathesis|socket|sqlite3|subprocess|tests\.daemon|threading)\b",
    re.MULTILINE,
)

_REACHED: list[str] = []
"""The hosts that the running test reached for in vain."""


class NetworkUsed(RuntimeError):
    """Something reached for a host beyond loopback."""


def _address(host: object) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host.decode() if isinstance(host, bytes) else str(host))
    except ValueError:
        return None


def _is_here(host: object) -> bool:
    address = _address(host)
    return host in (None, "", b"", "localhost", b"localhost") or (address is not None and address.is_loopback)


@pytest.fixture(scope="session", autouse=True)
def _loopback_only() -> Iterator[None]:
    """Refuse every other connection and look-up, and remember who was asked for."""
    connect, connect_ex, look_up = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def guard(host: object) -> None:
        if not _is_here(host):
            _REACHED.append(str(host))
            raise NetworkUsed(f"a test reached for {host!r}; only loopback is open")

    def guarded_connect(self: socket.socket, address: _Address) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            guard(address[0])
        connect(self, address)

    def guarded_connect_ex(self: socket.socket, address: _Address) -> int:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            guard(address[0])
        return connect_ex(self, address)

    def guarded_look_up(
        host: bytes | str | None,
        port: bytes | str | int | None,
        family: int = 0,
        type: int = 0,
        proto: int = 0,
        flags: int = 0,
    ) -> object:
        if _address(host) is None:  # nobody is asked for what a number means
            guard(host)
        return look_up(host, port, family, type, proto, flags)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded_connect)
        patch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
        patch.setattr(socket, "getaddrinfo", guarded_look_up)
        yield


@pytest.fixture
def reached_hosts() -> list[str]:
    """The hosts that the test reached for in vain. Any left at its end fails it, even if the refusal was swallowed."""
    return _REACHED


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Fail a test that reached beyond loopback; last, so that its fixtures are torn down by then."""
    if _REACHED:
        reached = ", ".join(_REACHED)
        _REACHED.clear()
        pytest.fail(f"the test reached beyond loopback: {reached}")


@pytest.fixture
def manual_clock() -> ManualClock:
    """Time that moves when the test says so."""
    return ManualClock()


@cache
def _is_pure(test_file: Path) -> bool:
    """Whether a test file belongs to a pure module: ``graph/test_walk.py``, ``test_walk_more.py`` to `graph.walk`."""
    if not test_file.is_relative_to(_ROOT / "tests"):
        return False
    folder = test_file.relative_to(_ROOT / "tests").parent
    if folder.parts[:1] in _WIRING:
        return False  # what is pure there is tried with what it is for, which takes longer
    name = test_file.stem.removeprefix("test_")
    known = {path.stem for path in (_ROOT / "sulla" / folder).glob("*.py")}
    module = max((stem for stem in known if name == stem or name.startswith(f"{stem}_")), key=len, default=None)
    if _TOUCHES.search(test_file.read_text()):
        return False  # the module is pure, what it is tried on is not
    return module is not None and says_pure(_ROOT / "sulla" / folder / f"{module}.py")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Know `--pure`."""
    parser.addoption("--pure", action="store_true", help="only the tests of pure modules, within their time limit")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `--pure`, do not even import the other test files."""
    if config.getoption("--pure") and collection_path.name.startswith("test_"):
        return None if _is_pure(collection_path) else True
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Do not look for garbage in what is collected, neither while it is made nor while tests run: all of it stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of pure modules; with `--pure`, leave out those that take long."""
    if config.getoption("--pure"):
        items[:] = [item for item in items if item.get_closest_marker("thorough") is None]
    for item in items:
        if _is_pure(item.path):
            item.add_marker(pytest.mark.pure)
            if config.getoption("--pure") and isinstance(item, pytest.Function):
                _try_fewer(item)


def _try_fewer(item: pytest.Function) -> None:
    """Cap the examples of a property, or of a state machine, below what its author chose."""
    for owner, name in ((item.obj, "_hypothesis_internal_use_settings"), (item.cls, "settings")):
        chosen = getattr(owner, name, None)
        if isinstance(chosen, settings) and chosen.max_examples > _PURE_EXAMPLES:
            setattr(getattr(owner, "__func__", owner), name, settings(chosen, max_examples=_PURE_EXAMPLES))


class _PureTime:
    """Holds the pure part to its limit. Starting Python and importing what is tested is not counted."""

    def __init__(self) -> None:
        self._used_s = 0.0
        self._limit_s = 0.0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Iterator[None]:
        began_s = time.process_time()
        result = yield
        self._used_s = time.process_time() - began_s
        self._limit_s = _PURE_LIMIT_S * len(session.items)
        return result

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if session.exitstatus == pytest.ExitCode.OK and self._used_s > self._limit_s:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        verdict = "too slow" if self._used_s > self._limit_s else "fine"
        terminalreporter.write_line(f"{self._used_s:.2f} s of processor time of {self._limit_s:.2f} s: {verdict}")


def pytest_configure(config: pytest.Config) -> None:
    """Put the rows of a table together; with `--pure`, take the time."""
    # A shell starts its background jobs with Ctrl-C ignored, and commands that tests start would inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.pluginmanager.register(NotRun(config))
    if config.getoption("--pure"):
        config.pluginmanager.register(_PureTime())
    config.pluginmanager.register(rows)
