"""The playbooks of a home: found in its folder, read again when they change, each whole or with its faults.

What reads and checks a file is loaded with the first one.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, NotFound
from sulla.core.pattern import late_pattern
from sulla.definitions.yaml_text import YamlMap, plain, read_nodes
from sulla.playbooks.definition import Definition
from sulla.playbooks.file.check_fault import DEFECT, PlaybookFault
from sulla.playbooks.file.check_known import KnownNames
from sulla.playbooks.file.form import MAX_PLAYBOOK_BYTES
from sulla.tools.nearest import did_you_mean

if TYPE_CHECKING:
    from sulla.playbooks.file.check import Checked

log = logging.getLogger(__name__)

PLAYBOOKS: Final = "workflows"
"""The folder of a home that its playbooks are in."""
MAX_PLAYBOOKS: Final = 200
"""In one folder."""
ENDINGS: Final = (".yaml", ".yml")
TEST_ENDINGS: Final = (".test.yaml", ".test.yml")
"""Of the files with a playbook's tests, beside it."""

FIRST_LOOK_S: Final = 0.5
"""How long after the start the files are read, unless somebody needs them sooner: that takes a tenth of a start."""
_MAX_ENTRIES: Final = 5_000
"""Of a folder: what holds more is no folder of playbooks."""
_MAX_TOLD: Final = 5
"""Faults that an error names; `sulla flow check` has them all."""

_NAMES_A_TRIGGER = late_pattern(r"^(?![ \t]*#).*(?:schedule|event|\\[xuU]|\\$)|[\r\x85\u2028\u2029]", re.MULTILINE)
"""What each file with such a trigger has in it: the word outside of a comment, or what YAML can hide it behind."""
_Signature = tuple[int, int, int]
"""When a file was changed, its size and its place on the disk."""


@dataclass(frozen=True, slots=True)
class StoredPlaybook:
    """A playbook that can be run."""

    source: str
    file: Path
    definition: Definition


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """A playbook as it was found."""

    name: str
    """What it calls itself; the file's name where it does not say so."""
    file: Path
    source: str
    sketched: Definition | None
    """As far as it could be read, for people; None where that is nothing."""
    definition: Definition | None = None
    """None if it cannot be run."""
    faults: tuple[PlaybookFault, ...] = ()
    trouble: str = ""
    """Why it cannot be used, where that is no fault at a place of the file."""

    @property
    def told(self) -> tuple[str, ...]:
        """What is wrong, each with its place: ``file:line:column: error: …``; warnings too."""
        said = tuple(fault.told(self.file.name) for fault in self.faults)
        return (*said, f"{self.file.name}: {self.trouble}") if self.trouble else said


@dataclass(frozen=True, slots=True)
class _Seen:
    """A file as it was read the last time."""

    signature: _Signature
    shelved: CatalogEntry


class PlaybookCatalog:
    """The playbooks of a home. Nothing is watched: who wants to know looks.

    Args:
        folders: where they are; links are not followed.
        known: what their names are held against; its playbooks are put in here. Asked at every look: what equals the
            last answer has nothing checked again.
    """

    def __init__(self, folders: Sequence[Path], known: Callable[[], KnownNames]) -> None:
        self._folders = tuple(folders)
        self._ask = known
        self._lock = asyncio.Lock()
        self._looked = asyncio.Event()
        self._seen: dict[Path, _Seen] = {}
        self._logged: dict[Path, _Signature] = {}
        self._known = KnownNames()
        self._asked: tuple[KnownNames, Mapping[str, Definition | None]] | None = None
        """What that was made of: what there is beside the playbooks, and all of them as far as they could be read."""
        self._playbooks: dict[str, CatalogEntry] = {}
        self._troubles: tuple[str, ...] = ()

    @property
    def playbooks(self) -> Mapping[str, CatalogEntry]:
        """What was found at the last look, by name; those with faults too."""
        return self._playbooks

    @property
    def troubles(self) -> tuple[str, ...]:
        """What was wrong then with files that could not be read, and with folders."""
        return self._troubles

    @property
    def known(self) -> KnownNames:
        """What names were held against, with the playbooks of this catalog."""
        return self._known

    async def look(self) -> None:
        """See what has changed, beside the event loop: a long playbook takes a tenth of a second to check."""
        async with self._lock:
            await asyncio.to_thread(self._look, self._ask())  # who is asked does not expect another thread
            self._looked.set()

    async def look_for_triggers(self) -> None:
        """See what has changed, if anybody has needed a playbook or one may begin by itself. Else none is read: for
        expressions Jinja is loaded, which is the heaviest part of a daemon that nobody has asked for anything.
        """
        if self._looked.is_set() or await asyncio.to_thread(self._any_begins_by_itself):
            await self.look()

    def _any_begins_by_itself(self) -> bool:
        files = [file for folder in self._folders for file in _files(folder, [])]
        return any(_may_begin_by_itself(file, _signature(file)) for file in files)

    async def known_at_all(self) -> None:
        """Look, if nobody has looked yet: what changes later is seen by whoever follows the files."""
        if not self._looked.is_set():
            await self.look()

    async def known_in_time(self, clock: Clock) -> None:
        """Wait for whoever needs the playbooks first; if nobody does for a while, look for triggers."""
        with suppress(TimeoutError):
            async with clock.timeout(FIRST_LOOK_S):
                await self._looked.wait()
        await self.look_for_triggers()

    def look_now(self) -> None:
        """See what has changed. Only files that did are read; all are checked again where what they name has."""
        self._look(self._ask())

    def _look(self, known: KnownNames) -> None:
        from sulla.playbooks.file.check_within import known_with  # it brings all that reads expressions along

        troubles: list[str] = []
        seen: dict[Path, _Seen] = {}
        for folder in self._folders:
            for file in _files(folder, troubles):
                found = self._at(file)
                if isinstance(found, str):
                    troubles.append(f"{file}: {found}")
                else:
                    seen[file] = found
        asked = (known, {one.shelved.name: one.shelved.sketched for one in seen.values()})
        if asked == self._asked:  # what playbooks call is followed through all of them: not before each turn
            if seen == self._seen:
                self._troubles = _shown(troubles)
                return
            known = self._known
        elif (known := known_with(*asked)) != self._known:
            seen = {file: replace(one, shelved=_unchecked(one.shelved)) for file, one in seen.items()}
        seen = {file: replace(one, shelved=_checked(one.shelved, known)) for file, one in seen.items()}
        self._log_defects(seen)
        playbooks = _by_name([one.shelved for one in seen.values()])
        # Assigned together at the end: who looks meanwhile sees the catalog as it was.
        self._seen, self._known, self._playbooks, self._asked = seen, known, playbooks, asked
        self._troubles = _shown(troubles)

    def _log_defects(self, seen: Mapping[Path, _Seen]) -> None:
        """Say of each file that the check could not deal with that it is so, once until it is changed."""
        found: dict[Path, _Signature] = {}
        for file, one in seen.items():
            for fault in one.shelved.faults:
                if fault.rule == DEFECT:
                    found[file] = one.signature
                    if self._logged.get(file) != one.signature:
                        log.error("a playbook cannot be used: %s", fault.told(str(file)))
        self._logged = found

    def get(self, name: str) -> StoredPlaybook:
        """A playbook that can be run, as it was at the last look.

        Raises:
            NotFound: there is none of that name.
            InvalidInput: it has faults; they are named with their places.
        """
        found = self.find(name)
        if found.definition is None:
            errors = [said for said in found.told if ": warning: " not in said]
            more = f"; and {len(errors) - _MAX_TOLD} more" if len(errors) > _MAX_TOLD else ""
            raise InvalidInput(f"the playbook {name!r} cannot be run: {'; '.join(errors[:_MAX_TOLD])}{more}")
        return StoredPlaybook(found.source, found.file, found.definition)

    def find(self, name: str) -> CatalogEntry:
        """A playbook, whatever is wrong with it.

        Raises:
            NotFound: there is none of that name.
        """
        found = self._playbooks.get(name)
        if found is None:
            raise NotFound(f"there is no playbook {name[:100]!r}.{did_you_mean(name, self._playbooks)}")
        return found

    def check(self, text: str) -> Checked:
        """Find what is wrong with a text, held against what was known at the last look."""
        return _check(text, self._known)

    def _at(self, file: Path) -> _Seen | str:
        """A file as it is, from memory if nobody wrote to it; why it cannot be read."""
        try:
            signature = _signature(file)
            seen = self._seen.get(file)
            if seen is not None and seen.signature == signature:
                return seen
            source = read_text(file)
        except InvalidInput as error:
            return error.message
        except OSError as error:
            return f"it cannot be read: {error.strerror}"
        from sulla.playbooks.file.read import read

        sketch = read(source)
        sketched = None if isinstance(sketch, list) else sketch.definition
        name = sketched.name if sketched is not None and sketched.name else file.stem
        return _Seen(signature, CatalogEntry(name, file, source, sketched))


def read_text(file: Path) -> str:
    """A file as text.

    Raises:
        InvalidInput: it is a link or no file, is too long, or is not UTF-8.
        OSError: it cannot be read.
    """
    of = file.stat(follow_symlinks=False)
    if not stat.S_ISREG(of.st_mode):
        raise InvalidInput("it is a link or no file at all: put the file itself there")
    # Between the look and the opening it may have become something that leads away, or that never answers.
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise InvalidInput("it is no file any more")
        data = opened.read(MAX_PLAYBOOK_BYTES + 1)
    if len(data) > MAX_PLAYBOOK_BYTES:
        raise InvalidInput(f"it is longer than {MAX_PLAYBOOK_BYTES} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"it is not UTF-8 text: byte {error.start} cannot be read") from None


def _files(folder: Path, troubles: list[str]) -> Iterator[Path]:
    """The files that mean to be playbooks, by name."""
    found: list[Path] = []
    try:
        with os.scandir(folder) as entries:
            for number, entry in enumerate(entries):
                if number >= _MAX_ENTRIES:
                    troubles.append(f"{folder}: more than {_MAX_ENTRIES} entries; the others are not looked at")
                    break
                if _is_playbook(entry.name) and not entry.name.isprintable():
                    troubles.append(f"{folder}: {entry.name!r} is a name that cannot be shown: call it otherwise")
                elif _is_playbook(entry.name):
                    found.append(folder / entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        troubles.append(f"{folder}: it cannot be read: {error.strerror}")
        return
    if len(found) > MAX_PLAYBOOKS:
        troubles.append(f"{folder}: {len(found)} playbooks; only the first {MAX_PLAYBOOKS} are looked at")
    yield from sorted(found)[:MAX_PLAYBOOKS]


def _is_playbook(name: str) -> bool:
    return not name.startswith(".") and name.endswith(ENDINGS) and not name.endswith(TEST_ENDINGS)


def _shown(troubles: Sequence[str]) -> tuple[str, ...]:
    """What was wrong, as it can be printed: a file's name need not be text."""
    return tuple(said.encode(errors="backslashreplace").decode() for said in troubles)


def _unchecked(shelved: CatalogEntry) -> CatalogEntry:
    return replace(shelved, definition=None, faults=(), trouble="")


def _checked(shelved: CatalogEntry, known: KnownNames) -> CatalogEntry:
    """With what is wrong with it; what was found before is kept."""
    if shelved.definition is not None or shelved.faults:
        return shelved
    checked = _check(shelved.source, known)
    return replace(shelved, definition=checked.definition, faults=checked.faults)


def _check(text: str, known: KnownNames) -> Checked:
    from sulla.playbooks.file.check import check_playbook

    return check_playbook(text, known)


def _signature(file: Path) -> _Signature:
    try:
        of = file.stat(follow_symlinks=False)
    except FileNotFoundError:  # it was there just now
        return (0, 0, 0)
    return (of.st_mtime_ns, of.st_size, of.st_ino)


@lru_cache(maxsize=MAX_PLAYBOOKS)
def _may_begin_by_itself(file: Path, signature: _Signature) -> bool:
    """Whether time or an event begins a playbook, as far as can be told without what reads expressions."""
    try:
        text = read_text(file)
        if not _NAMES_A_TRIGGER.search(text):
            return False  # YAML itself is worth half a MiB
        top = read_nodes(text, most_bytes=MAX_PLAYBOOK_BYTES)
        if not isinstance(top, YamlMap):
            return True  # a look says what is wrong
        triggers = str([plain(value) for key, value in top.items if key.text == "on"])
    except (InvalidInput, OSError):
        return True
    return any(f"{kind!r}: " in triggers for kind in ("schedule", "event"))


def _by_name(found: Sequence[CatalogEntry]) -> dict[str, CatalogEntry]:
    """By name; where two have the same one nobody can say which is meant, so neither is run."""
    playbooks: dict[str, CatalogEntry] = {}
    for shelved in found:
        first = playbooks.get(shelved.name)
        if first is None:
            playbooks[shelved.name] = shelved
        elif not first.trouble:
            said = f"{shelved.file} is called {shelved.name!r} too: give one of them another name"
            playbooks[shelved.name] = replace(first, definition=None, trouble=said)
    return dict(sorted(playbooks.items()))
