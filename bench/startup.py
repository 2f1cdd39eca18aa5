"""How long Sulla takes to say something and to be ready, and what it weighs while it waits.

The command line beside a Python that does nothing; the daemon beside `bench.bare_app`, a FastAPI application with one
route. Both servers are run in the same way and are ready when they answer over HTTP.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from bench.frame import Frame, Row, Samples
from bench.process import free_port, running, surroundings, wait_for_answer

NAME = "startup"

HELP_BAR, ASK_BAR, READY_BAR = 4.0, 6.0, 1.6
ALLOWANCE_MIB = 14.0
"""What the daemon may weigh more than the bare application, with everything at its defaults."""
SETTLE_S = 1.5
"""How long a server is left alone before it is weighed: the daemon's sweep for work has come round by then."""

REST_S, REST_SHARE, REST_LIMIT_S = 0.4, 0.05, 30.0
"""A daemon is at rest that used no more than this share of a processor for so long."""

_ROUNDS_PER_START = 4
"""Starting servers is slow: they get one round where the frame has so many."""
_MIB = 1024 * 1024
_QUIET = {"SULLA_DAEMON__LOG_LEVEL": "warning"}
_CONFIGURED = {"SULLA_MODEL": "anthropic:fake", "ANTHROPIC_API_KEY": "none"} | _QUIET


@dataclass(frozen=True, slots=True)
class Server:
    """A program that answers at ``/healthz``."""

    name: str
    arguments: tuple[str, ...]
    """What follows ``python``; the port is added."""
    settings: Mapping[str, str] = field(default_factory=dict)


def run(frame: Frame) -> list[Row]:
    """The bars are issue 11's."""
    with tempfile.TemporaryDirectory(prefix="sulla-bench-") as folder:
        words = _words(frame, Path(folder) / "asked")
        up = ("-m", "sulla", "up", "--home", str(Path(folder) / "home"), "--port")
        bare = Server("bare app", ("-m", "bench.bare_app"))
        sulla, unset = Server("sulla up", up, _CONFIGURED), Server("sulla up, nothing configured", up, _QUIET)
        ready, weight = _compare(frame, (bare, sulla, unset))
    more = weight.median(f"idle RSS, {unset.name}") - weight.median(f"idle RSS, {bare.name}")
    share = more / ALLOWANCE_MIB
    return [
        words.row("python -c pass"),
        words.row("sulla --help", "python -c pass", bar=HELP_BAR),
        words.row("sulla ask", "python -c pass", bar=ASK_BAR),
        ready.row(f"ready, {bare.name}"),
        ready.row(f"ready, {sulla.name}", f"ready, {bare.name}", bar=READY_BAR),
        ready.row(f"ready, {unset.name}", f"ready, {bare.name}", bar=READY_BAR),
        weight.row(f"idle RSS, {bare.name}"),
        weight.row(f"idle RSS, {sulla.name}", f"idle RSS, {bare.name}"),
        weight.row(f"idle RSS, {unset.name}", f"idle RSS, {bare.name}"),
        Row(
            f"idle RSS, {unset.name}, less bare app", more, "MiB", share, f"{ALLOWANCE_MIB:g} MiB", 1.0, ok=share <= 1.0
        ),
    ]


def _words(frame: Frame, home: Path) -> Samples:
    """The command line: alone, and beside a daemon that answers by its own rules."""
    port = free_port()
    up = ("-m", "sulla", "up", "--home", str(home), "--port", str(port))
    with running(up, _QUIET | {"SULLA_MODEL": "offline"}) as daemon:
        wait_for_answer(port, "/readyz")
        at = psutil.Process(daemon.pid)

        def took_ms(*arguments: str) -> float:
            _rested(at)
            return _seconds(*arguments) * 1000

        return frame.compare(
            {
                "python -c pass": lambda: took_ms("-c", "pass"),
                "sulla --help": lambda: took_ms("-m", "sulla", "--help"),
                "sulla ask": lambda: took_ms("-m", "sulla", "ask", "--home", str(home), "hello"),
            },
            "ms",
        )


def _rested(daemon: psutil.Process) -> None:
    """Wait until a daemon has done what its start or its last turn left: that is of no command's cost.

    Raises:
        TimeoutError: it is at work all the time.
    """
    until = time.monotonic() + REST_LIMIT_S
    while time.monotonic() < until:
        before = daemon.cpu_times()
        time.sleep(REST_S)
        now = daemon.cpu_times()
        if now.user + now.system - before.user - before.system <= REST_SHARE * REST_S:
            return
    raise TimeoutError(f"the daemon did not come to rest within {REST_LIMIT_S:g} s")


def _compare(frame: Frame, servers: Sequence[Server]) -> tuple[Samples, Samples]:
    """Start each server many times: how long it took until it answered, and what it weighed a while later."""
    by_name = {server.name: server for server in servers}
    ready: dict[str, list[float]] = {f"ready, {name}": [] for name in by_name}
    weight: dict[str, list[float]] = {f"idle RSS, {name}": [] for name in by_name}
    for server in servers:
        _start(server, 0.0)  # writes what is written once, and does not count
    for names in frame.orders(list(by_name), -(-frame.rounds // _ROUNDS_PER_START)):
        for name in names:
            took_ms, rss_mib = _start(by_name[name], SETTLE_S)
            ready[f"ready, {name}"].append(took_ms)
            weight[f"idle RSS, {name}"].append(rss_mib)
    return Samples(ready, "ms"), Samples(weight, "MiB")


def _start(server: Server, settle_s: float) -> tuple[float, float]:
    port = free_port()
    begun = time.perf_counter()
    with running((*server.arguments, str(port)), server.settings) as process:
        wait_for_answer(port, "/healthz")
        took_s = time.perf_counter() - begun
        time.sleep(settle_s)
        return took_s * 1000, psutil.Process(process.pid).memory_info().rss / _MIB


def _seconds(*arguments: str) -> float:
    begun = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments],
        env=surroundings(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=60,
    )
    return time.perf_counter() - begun
