"""`sulla logs`."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections import deque
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from sulla.cli.log_files import LogFiles
from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import NotFound, Refused, SettingsError
from sulla.core.stamp import stamp
from sulla.host.home import Home
from sulla.host.system import SystemClock
from sulla.telemetry.entry import as_text
from sulla.telemetry.logs import FILE
from sulla.terminal.exits import Exit
from sulla.terminal.options import count
from sulla.terminal.output import say, tell
from sulla.terminal.place import home_of, tell_time_in
from sulla.terminal.table import Paper, paper
from sulla.terminal.times import millisecond

LEVELS: Final = ("debug", "info", "warning", "error", "critical")
LINES: Final = 100
LOOK_S: Final = 0.25
"""How often a growing log is looked at."""

_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_TIME: Final = re.compile(
    r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3])(:[0-5]\d(:[0-5]\d(\.\d{1,3})?)?)?Z?)?", re.ASCII
)


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    command.add_argument("-f", "--follow", action="store_true", help="go on with what is written from now on")
    command.add_argument("--thread", metavar="ID", help="only what is about this thread")
    command.add_argument("--run", metavar="ID", help="only what is about this run")
    command.add_argument("--level", choices=LEVELS, default=LEVELS[0], help="only this and what is worse")
    command.add_argument("--since", type=_since, metavar="AGO", help="e.g. 90s, 15m, 1h, 2d, or 2027-01-15T08:00")
    command.add_argument("--grep", metavar="TEXT", help="only entries that contain the text")
    command.add_argument("--lines", type=count, default=LINES, metavar="N", help=f"the newest N ({LINES})")
    command.add_argument("--json", action="store_true", help="print JSON, one entry per line")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entries somebody wants to see."""

    thread: str | None = None
    run: str | None = None
    level: str = LEVELS[0]
    since: str = ""
    """A beginning of a time as entries have it; they sort."""
    grep: str = ""

    def has(self, entry: dict[str, Any]) -> bool:
        """Whether an entry is one of them."""
        level = str(entry.get("level"))
        return (
            self.thread in (None, entry.get("thread_id"))
            and self.run in (None, entry.get("run_id"))
            and (level not in LEVELS or LEVELS.index(level) >= LEVELS.index(self.level))
            and str(entry.get("at", "")) >= self.since
            and (not self.grep or self.grep in as_text(entry) or self.grep in _shown(entry))
        )


def run(given: argparse.Namespace) -> Exit:
    """Print what there is, and follow it if that is asked for."""
    home = home_of(given)
    path = home / "logs" / FILE
    tell_time_in(_zone(home, given))
    since = _moment(given.since, SystemClock())
    wanted = Wanted(given.thread, given.run, given.level, since, given.grep or "")
    try:
        with LogFiles(path) as files:
            if not files.is_there and not given.follow:
                raise NotFound(
                    f"there is no log at {path}: a daemon writes it while it runs; start one with `sulla up`"
                )
            reader = _Reader(files, wanted, given.json, paper())
            reader.show_last(given.lines)
            if given.follow:
                asyncio.run(reader.follow(SystemClock()))
    except OSError as error:
        if error.filename is None:  # it is about what is printed
            raise
        why = f"cannot read the log {error.filename}: {error.strerror}"
        raise Refused(f"{why}; run this as the user that the daemon runs as, or see what is there") from None
    return Exit.OK


class _Reader:
    def __init__(self, files: LogFiles, wanted: Wanted, as_json: bool, sheet: Paper) -> None:
        self._files = files
        self._wanted = wanted
        self._as_json = as_json
        self._sheet = sheet
        self._damaged = 0

    def show_last(self, most: int) -> None:
        """The newest entries that are there."""
        for entry in deque(self._entries(), most):
            self._print(entry)
        if self._damaged:
            tell(f"{self._damaged} damaged lines are left out")

    async def follow(self, clock: Clock) -> None:
        """What comes, until Ctrl-C."""
        while True:
            for entry in self._entries():
                self._print(entry)
            await clock.sleep(LOOK_S)

    def _entries(self) -> Iterator[dict[str, Any]]:
        for raw in self._files.lines():
            try:
                entry = json.loads(raw)
            except (ValueError, RecursionError):
                self._damaged += bool(raw.strip())
                continue
            if isinstance(entry, dict) and self._wanted.has(entry):
                yield entry

    def _print(self, entry: dict[str, Any]) -> None:
        if self._as_json:
            print(json.dumps(entry), flush=True)
            return
        first, *below = _shown(entry).split("\n")
        grave = entry.get("level") in LEVELS[2:]
        say("\n".join([self._sheet.bold(first) if grave else first, *below]))


def _zone(home: Path, given: argparse.Namespace) -> str:
    """The time zone that the home's settings name, also while no daemon runs on it; empty for the machine's."""
    where = Home(home).whereabouts()
    if where is not None:
        return where.zone
    from sulla.cli.settings import settings_of  # all of them: slow, and seldom needed

    try:
        return settings_of(given).daemon.zone
    except SettingsError:
        return ""  # whoever looks for what is wrong is shown it by other clocks, which each time names


def _shown(entry: dict[str, Any]) -> str:
    """An entry for people, by their clocks."""
    try:
        at = millisecond(str(entry.get("at")))
    except ValueError:  # no daemon wrote that
        return as_text(entry)
    return as_text(entry | {"at": at})


def _since(word: str) -> str:
    if _TIME.fullmatch(word) or (word[:-1].isascii() and word[:-1].isdecimal() and word[-1:] in _UNITS):
        return word
    raise argparse.ArgumentTypeError(f"expected 90s, 15m, 1h, 2d or a time like 2027-01-15T08:00, found {word!r}")


def _moment(since: str | None, clock: Clock) -> str:
    if not since:
        return ""
    if since.endswith("Z"):
        return since.removesuffix("Z")
    if _TIME.fullmatch(since):
        return stamp(round(datetime.fromisoformat(since).timestamp() * 1000))
    ago_s = int(since[:-1]) * _UNITS[since[-1]]
    return stamp(max(0, round((clock.now() - ago_s) * 1000)))
