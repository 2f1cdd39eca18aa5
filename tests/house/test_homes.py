"""Who may touch time, chance, the environment and tasks, name by name.

ruff's TID251 refuses every banned name outside the files that pyproject.toml exempts, but an exempted file is exempt
from all of them. This closes the gap, and covers what a name alone cannot show: timers of the loop, sleeping in tests.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache

import pytest

from tests.house.source import ROOT, Nodes, nodes, parsed, project, python_files, seamed_files, used

CLOCK = ("sulla/host/system.py", "sulla/testing/clock.py", "tests/simulation/clock.py")
CHANCE = ("sulla/host/system.py",)
ENVIRONMENT = ("sulla/terminal/place.py", "sulla/host/zone.py", "sulla/cli/settings.py", "sulla/cli/up.py")
TASKS = (
    "sulla/store/redis/bus.py",
    "sulla/store/redis/line_library.py",
    "sulla/store/postgres/bus.py",
    "sulla/testing/clock.py",
    "sulla/testing/channels/scene.py",
    "sulla/models/wire/deadline.py",
    "sulla/daemon/capability_tasks.py",
    "sulla/tools/attempt.py",
    "sulla/channels/run/ending.py",
    "sulla/gateway/server/server.py",
)

HOMES = {
    "time": CLOCK,
    "datetime": CLOCK,
    "asyncio.sleep": CLOCK,
    "asyncio.timeout": CLOCK,
    "asyncio.timeout_at": CLOCK,
    "asyncio.wait_for": CLOCK,
    "asyncio.create_task": TASKS,
    "asyncio.ensure_future": (
        "sulla/store/postgres/pool.py",
        "sulla/threads/session.py",
        "sulla/terminal/client.py",
        "sulla/agent/subagents/children.py",
    ),
    # What imap_tools waits for is a real socket, in a thread: so is what ends that.
    "loop timers": ("sulla/channels/mail/mailbox.py", "tests/simulation/*.py"),
    "os.environ": ENVIRONMENT,
    "os.getenv": ENVIRONMENT,
    "os.putenv": (),
    "os.urandom": CHANCE,
    "importlib.import_module": (
        "sulla/cli/main.py",
        "sulla/cli/late.py",
        "sulla/cli/self_check.py",
        "sulla/host/capability.py",
    ),
    "random": (*CHANCE, "tests/simulation/*.py"),
    "secrets": CHANCE,
    "uuid": CHANCE,
    "dataclasses.dataclass": ("sulla/core/dataclass.py", "tests/simulation/*.py"),
}
"""The files (patterns) that may use a banned name or anything below it."""

PAUSES = ROOT / "tests/soon.py"
"""Where tests let real time pass between two looks for what another process brings about."""

LOOP_TIMERS = {"call_later", "call_at"}


def _banned() -> set[str]:
    return set(project()["tool"]["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"])


@cache
def _all_uses() -> dict[str, set[str]]:
    """The banned names that each file uses; two tests ask, and to look through all files takes seconds."""
    banned = _banned()
    return {path.relative_to(ROOT).as_posix(): set(_uses(nodes(path), banned)) for path in seamed_files()}


def _uses(found: Nodes, names: set[str]) -> Iterator[str]:
    """The banned names that a file uses, the loop's own ways around them included."""
    for dotted, _ in used(found):
        yield from (name for name in names if dotted == name or dotted.startswith(f"{name}."))
    for node in found:
        if isinstance(node, ast.Attribute) and node.attr in LOOP_TIMERS:
            yield "loop timers"
        if isinstance(node, ast.Attribute) and node.attr == "create_task" and "loop" in ast.unparse(node.value):
            yield "asyncio.create_task"


def _may(path: str, name: str) -> bool:
    return any(
        fnmatch(path, home)
        for below, homes in HOMES.items()
        if name == below or name.startswith(f"{below}.")
        for home in homes
    )


def test_a_file_uses_only_what_it_is_the_home_of() -> None:
    strays = {f"{name}: {use}" for name, uses in _all_uses().items() for use in uses if not _may(name, use)}
    assert strays == set()


def test_every_banned_name_has_its_homes_listed() -> None:
    covered = {name for name in _banned() for below in HOMES if name == below or name.startswith(f"{below}.")}
    assert covered == _banned()


def test_every_home_exists_and_is_used() -> None:
    for below, homes in HOMES.items():
        for home in homes:
            uses = {use for path, names in _all_uses().items() if fnmatch(path, home) for use in names}
            assert uses, f"{home} uses no banned name at all: it needs no home for {below}"


def _sleeps(found: Nodes) -> Iterator[int]:
    """The lines that let real time pass. ``asyncio.sleep(0)`` only lets others run."""
    calls = {id(node.func): node for node in found if isinstance(node, ast.Call)}
    for dotted, node in used(found):
        call = calls.get(id(node))
        nothing = call is not None and [ast.unparse(argument) for argument in call.args] == ["0"]
        if dotted == "time.sleep" or (dotted == "asyncio.sleep" and not nothing):
            yield getattr(node, "lineno", 0)


def test_no_test_sleeps() -> None:
    # Whoever sleeps says so in the text; to parse all tests takes ten seconds.
    named = [path for path in python_files("tests") if "sleep" in path.read_text()]
    sleeps = {f"{path.relative_to(ROOT)}:{line}" for path in named if path != PAUSES for line in _sleeps(nodes(path))}
    assert sleeps == set(), "wait for the thing itself, use testing.ManualClock, or look again after soon.pause()"
    assert len(list(_sleeps(nodes(PAUSES)))) == 1, f"{PAUSES} sleeps between two looks, and nowhere else"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import time as t\nt.time()", {"time.time"}),
        ("from time import monotonic as m\nm()", {"time.monotonic"}),
        ("import os\nos.environ['X']", {"os.environ"}),
        ("from os import environ\nenviron.get('X')", {"os.environ"}),
        ("from datetime import datetime\ndatetime.now()", {"datetime.datetime.now"}),
        ("import random\nrandom.Random(1).random()", {"random"}),
        ("import asyncio\nasyncio.get_running_loop().call_later(1, print)", {"loop timers"}),
        ("import asyncio\nasyncio.get_running_loop().create_task(f())", {"asyncio.create_task"}),
        ("async def f(group):\n    group.create_task(f())", set()),
        ("def time(): ...\ntime()", set()),
    ],
)
def test_a_banned_name_is_seen_through_its_disguises(text: str, found: set[str]) -> None:
    assert set(_uses(parsed(text), _banned())) == found


@pytest.mark.parametrize(
    "text",
    [
        "import time\ntime.sleep(1)",
        "from asyncio import sleep\nasync def f():\n    await sleep(0.1)",
        "import asyncio\nf = asyncio.sleep",
    ],
)
def test_sleeping_is_seen(text: str) -> None:
    assert list(_sleeps(parsed(text)))


def test_letting_others_run_is_not_sleeping() -> None:
    assert not list(_sleeps(parsed("import asyncio\nasync def f():\n    await asyncio.sleep(0)")))
