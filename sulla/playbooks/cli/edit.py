"""`sulla flow lsp`: tells an editor what `sulla flow check` knows, while a playbook is written."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from sulla.core.distribution import install_hint
from sulla.core.errors import NotAvailable
from sulla.playbooks.catalog import TEST_ENDINGS
from sulla.playbooks.cli.home_playbooks import HomePlaybooks, text_of
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.file.check_fault import PlaybookFault
from sulla.playbooks.file.check_known import KnownNames
from sulla.playbooks.files import playbook_folder
from sulla.playbooks.rehearsal.cases_read import read_cases
from sulla.terminal.exits import Exit

_STEPS: Final = re.compile(r"^steps\s*:", re.MULTILINE)


class EditedPlaybooks:
    """Keeps `editor.server.PlaybookShelf`: the playbooks of a home, and those beside a file.

    Args:
        playbooks: the home's.
    """

    def __init__(self, playbooks: HomePlaybooks) -> None:
        self._playbooks = playbooks

    def look(self) -> None:
        """See what has changed in the home."""
        self._playbooks.catalog.look_now()

    def check(self, file: Path, text: str) -> Iterable[PlaybookFault]:
        """What is wrong with a playbook, or with tests."""
        end = next((end for end in TEST_ENDINGS if file.name.endswith(end)), None)
        if end is None:
            return self._playbooks.opened(file, text).faults if self._is_playbook(file, text) else ()
        of = file.with_name(f"{file.name.removesuffix(end)}.yaml")
        if not of.is_file():
            return [PlaybookFault(1, 1, "unreadable", f"there is no playbook {of.name!r} that these tests are of")]
        opened = self._playbooks.opened(of, text_of(of))
        if opened.definition is None:
            return [PlaybookFault(1, 1, "unreadable", f"the playbook {of.name!r} has faults: mend it first")]
        return read_cases(text, opened.definition, lambda name: self._playbooks.find(opened, name))[1]

    def _is_playbook(self, file: Path, text: str) -> bool:
        """Whether it is one, or is to be: editors show every file of YAML."""
        home = playbook_folder(self._playbooks.settings).resolve()
        return file.resolve().is_relative_to(home) or _STEPS.search(text) is not None

    def known(self, file: Path, text: str) -> KnownNames:
        """What the names in a file are held against."""
        return self._playbooks.known_at(file, text)

    def file_of(self, playbook: str, beside: Path) -> Path | None:
        """The file of a playbook that one names: beside it, or of the home."""
        near = beside.with_name(f"{playbook}.yaml")
        if near.is_file() and check_playbook(text_of(near)).definition is not None:
            return near
        found = self._playbooks.catalog.playbooks.get(playbook)
        return found.file if found is not None else None


def serve(given: argparse.Namespace) -> Exit:
    """Serve one editor over standard input and output.

    Raises:
        NotAvailable: the library that speaks with editors is not installed.
    """
    try:
        from sulla.playbooks.editor.server import PlaybookServer
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise NotAvailable(
            f"speaking with editors needs a library that is not installed: {install_hint('lsp')}"
        ) from None
    PlaybookServer(EditedPlaybooks(HomePlaybooks(given))).serve()
    return Exit.OK
