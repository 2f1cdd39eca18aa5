"""A tutorial, followed as it stands there: each command typed, and what it shows held against what the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.cli.terminal import terminal
from tests.daemon.running import PATIENCE_S, Place

PAGES = Path(__file__).resolve().parents[3] / "docs" / "tutorials"

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_EXPORT = re.compile(r"^export (\w+)=(\S+)$", re.MULTILINE)
_ID = "thr_9b2d"
"""The thread of the pages: the first one that a command has shown there."""
_ADDRESS = "http://127.0.0.1:8137"


@dataclass(slots=True)
class Block:
    """Commands of a page, and what they show."""

    typed: str
    shown: str = ""


def blocks(name: str) -> list[Block]:
    """What a page has people type, in order. What is fenced as `shell` needs another machine, and is left out."""
    found: list[Block] = []
    for language, text in _BLOCK.findall((PAGES / name).read_text()):
        if language == "sh":
            found.append(Block(text.rstrip("\n")))
        elif language == "text" and found:
            found[-1].shown += text
    return found


@dataclass(slots=True)
class Person:
    """Somebody who follows a page, in a folder of their own.

    It lives as long as one page; whatever runs at its end is stopped.
    """

    place: Place
    running: ExitStack
    instead: dict[str, str] = field(default_factory=dict)
    """What stands on the page, and what is typed here in its place."""
    said: str = ""
    """All that was shown."""

    def follows(self, block: Block) -> None:
        """Type what stands there, and look whether that is shown which the page shows."""
        typed = block.typed
        for there, here in self.instead.items():
            typed = typed.replace(there, here)
        self.place.environ.update(_EXPORT.findall(typed))
        if typed == "sulla up":
            daemon = self.running.enter_context(self.place.up())
            self.instead[_ADDRESS] = daemon.url
            shown = daemon.said
        elif answer := re.search(r"> (\w+)$", block.shown, re.MULTILINE):
            shown = self._answers(typed, answer[1])
        else:
            shown = self._types(typed)
        shown = shown.replace(self.place.environ["HOME"], "~")
        self.said += shown
        found = re.search(self._expected(block.shown), shown, re.DOTALL)
        assert found is not None, f"{typed}\nshows\n{shown}\nand not\n{block.shown}"
        if "thread" in found.groupdict():
            self.instead[_ID] = found["thread"]

    def _types(self, typed: str) -> str:
        done = subprocess.run(
            ("bash", "-euc", typed),
            env=self.place.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE_S * 2,
            check=False,
        )
        assert done.returncode == 0, f"{typed}\nends with {done.returncode}:\n{done.stdout}"
        return done.stdout

    def _answers(self, typed: str, answer: str) -> str:
        with terminal(("bash", "-euc", typed), self.place.environ) as at:
            at.prompted("give up>")
            at.type(f"{answer}\r")
            at.until("completed")
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", at.shown)

    def _expected(self, shown: str) -> str:
        """The page's words as a pattern: `…` is anything, and times are whatever they were."""
        for there, here in self.instead.items():
            shown = shown.replace(there, here)
        first, *others = re.split(_ID, shown)
        pattern = re.escape(first)
        for number, other in enumerate(others):
            pattern += (r"(?P<thread>thr_\w+)" if number == 0 else r"thr_\w+") + re.escape(other)
        return pattern.replace("…\\\n", ".*\\\n").replace("…", ".*").removesuffix("\\\n")


@contextmanager
def person(folder: Path, **settings: str) -> Iterator[Person]:
    """Somebody new, without a home.

    Args:
        folder: theirs; it becomes HOME.
        settings: variables of their environment.
    """
    own = str(Path(sys.executable).parent)
    path = os.pathsep.join((str(folder / "bin"), own, os.environ["PATH"]))
    place = Place(folder / ".sulla", PATH=path, SULLA_GATEWAY__PORT="0", **settings)
    del place.environ["SULLA_HOME"]
    with ExitStack() as running:
        yield Person(place, running)
