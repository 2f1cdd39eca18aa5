"""Playbooks as the commands find them without a daemon: those of the home by name, any other by its file."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Protocol

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, NotFound, SullaError
from sulla.host.host import Host
from sulla.playbooks.catalog import TEST_ENDINGS, PlaybookCatalog, read_text
from sulla.playbooks.cli.inputs import is_file
from sulla.playbooks.definition import Definition
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.file.check_fault import PlaybookFault
from sulla.playbooks.file.check_known import KnownNames
from sulla.playbooks.file.check_within import known_with
from sulla.playbooks.file.read import mentioned
from sulla.playbooks.files import tests_beside

_MOST_BESIDE = 100
"""Playbooks beside a file that are read because it names them."""


class PlaybookHome(Protocol):
    """A home on which no daemon has to run, as the program hands it out (`given.offline`)."""

    @property
    def host(self) -> Host:
        """What its capabilities are built with, and provide."""

    @property
    def prompt_tokens(self) -> int:
        """How much its own agent is told before anything else, its tools included; an estimate."""

    def reading_cost(self, tokens: int) -> float | None:
        """What it costs that its model reads so many tokens, in the unit of `[prices]`; None if unpriced."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A playbook and what is wrong with it."""

    name: str
    file: Path
    """As people named it, so that an error's place can be clicked on."""
    definition: Definition | None
    faults: tuple[PlaybookFault, ...] = ()
    trouble: str = ""
    """What is wrong with no place."""
    beside: Mapping[str, Definition] = field(default_factory=dict)
    """Playbooks that lie beside the file, and that it names."""

    @property
    def told(self) -> list[str]:
        """What is wrong, a line each."""
        said = [fault.told(str(self.file)) for fault in self.faults]
        return [*said, f"{self.file}: error: {self.trouble}"] if self.trouble else said

    def whole(self) -> Definition:
        """The playbook, if it can be run.

        Raises:
            InvalidInput: it has faults.
        """
        if self.definition is None:
            lines = "\n".join(line for line in self.told if ": warning: " not in line)
            raise InvalidInput(f"the playbook {self.name!r} has faults:\n{lines}")
        return self.definition

    def tests(self) -> Path | None:
        """The file with its tests, if there is one."""
        return tests_beside(self.file)


class HomePlaybooks:
    """The playbooks of a home, looked at once.

    Args:
        given: the command line.
    """

    def __init__(self, given: argparse.Namespace) -> None:
        self.home: PlaybookHome = given.offline(given)
        self.settings = self.home.host.settings
        self.catalog: PlaybookCatalog = self.home.host.needed(PlaybookCatalog)
        self.catalog.look_now()

    @property
    def known(self) -> KnownNames:
        """What names are held against."""
        return self.catalog.known

    def all(self) -> list[Opened]:
        """Those of the home."""
        return [self._of_home(name) for name in self.catalog.playbooks]

    def some(self, names: Sequence[str]) -> list[Opened]:
        """Those that somebody named; all of the home's for nobody, or for ``all``."""
        if not names or list(names) == ["all"]:
            return self.all()
        found: dict[str, Opened] = {}
        for name in names:
            for each in _in_folder(Path(name)) if self._is_folder(name) else [name]:
                found.setdefault(each, self.open(each))
        return list(found.values())

    def _is_folder(self, name: str) -> bool:
        return Path(name).is_dir() and ("/" in name or name not in self.catalog.playbooks)

    def open(self, name: str) -> Opened:
        """One of the home's, or one in a file.

        Raises:
            NotFound: there is none of that name.
        """
        for end in TEST_ENDINGS:  # who names the tests means what they test
            name = f"{name.removesuffix(end)}.yaml" if name.endswith(end) else name
        return self._of_file(Path(name)) if is_file(name) else self._of_home(name)

    def find(self, opened: Opened, name: str) -> Definition:
        """A playbook that another one names.

        Raises:
            NotFound: there is none of that name.
            InvalidInput: it has faults.
        """
        beside = opened.beside.get(name)
        if beside is not None:
            return beside
        if opened.definition is not None and name == opened.definition.name:
            return opened.definition
        return self.catalog.get(name).definition

    def _of_home(self, name: str) -> Opened:
        shelved = self.catalog.find(name)
        return Opened(shelved.name, shelved.file, shelved.definition, shelved.faults, shelved.trouble)

    def _of_file(self, file: Path) -> Opened:
        try:
            text = text_of(file)
        except InvalidInput as error:
            return Opened(
                file.stem, file, None, (PlaybookFault(1, 1, "unreadable", error.message.removeprefix(f"{file} ")),)
            )
        return self.opened(file, text)

    def opened(self, file: Path, text: str) -> Opened:
        """A playbook that is written to a file, or about to be."""
        beside = self._beside(file, text)
        checked = check_playbook(text, self._known_at(file, beside, text))
        own = checked.definition
        return Opened(own.name if own is not None else file.stem, file, own, checked.faults, beside=beside)

    def known_at(self, file: Path, text: str) -> KnownNames:
        """What the names in a file are held against."""
        return self._known_at(file, self._beside(file, text), text)

    def _known_at(self, file: Path, beside: Mapping[str, Definition], text: str) -> KnownNames:
        known = known_with(self.known, beside)
        faulty = {name for name in mentioned(text) if name not in beside and file.with_name(f"{name}.yaml").is_file()}
        return replace(known, faulty=frozenset(faulty))

    def _beside(self, file: Path, text: str) -> dict[str, Definition]:
        """The playbooks that a file names, and those that they name, where they lie beside it under their names."""
        found: dict[str, Definition] = {}
        texts: dict[str, str] = {}
        ahead = list(mentioned(text))
        while ahead and len(texts) < _MOST_BESIDE:
            name = ahead.pop()
            other = file.with_name(f"{name}.yaml")
            if name not in texts and other.is_file():
                texts[name] = text_of(other)
                ahead += mentioned(texts[name])
        # Each may name the others, in any order: what is not known yet is known in the next round.
        for _ in texts:
            before = len(found)
            for name, source in texts.items():
                definition = check_playbook(source, known_with(self.known, found)).definition
                if definition is not None and definition.name == name:
                    found[name] = definition
            if len(found) == before:
                break
        return found


def _in_folder(folder: Path) -> list[str]:
    return [str(file) for file in sorted(folder.glob("*.yaml")) if not file.name.endswith(TEST_ENDINGS)]


def text_of(file: Path) -> str:
    """What a file says.

    Raises:
        InvalidInput: it cannot be read.
        NotFound: it is not there.
    """
    try:
        return read_text(file.resolve() if file.is_symlink() else file)
    except FileNotFoundError:
        raise NotFound(f"there is no file {str(file)!r}") from None
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}") from None
    except SullaError as error:
        raise InvalidInput(f"{file} cannot be read: {error.message}") from None
