"""Writes the files of the home's playbooks for clients."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from sulla.core.errors import InvalidInput
from sulla.definitions.text_file import remove_text, save_text, text_digest
from sulla.gateway.methods.playbook_files import PlaybookSaved
from sulla.playbooks.catalog import TEST_ENDINGS, PlaybookCatalog

MOST_TOLD: Final = 20
"""Faults that a refusal names; `workflow.check` has more of them."""


class PlaybookFiles:
    """Does `gateway.methods.playbook_files`. It lives as long as the daemon.

    Args:
        folder: where the home's playbooks lie.
        catalog: knows them.
    """

    def __init__(self, folder: Path, catalog: PlaybookCatalog) -> None:
        self._folder = folder
        self._catalog = catalog
        self._one_at_a_time = asyncio.Lock()

    async def save(self, name: str, text: str, digest: str | None) -> PlaybookSaved:
        """See `PlaybookFileService`."""
        async with self._one_at_a_time:
            await self._catalog.look()
            file = self._file_of(name) if digest is not None else self._new(name)
            checked = await asyncio.to_thread(self._catalog.check, text)
            told = [fault.told(file.name) for fault in checked.faults]
            errors = [one for one in told if ": warning: " not in one]
            if checked.definition is None:
                more = f"; and {len(errors) - MOST_TOLD} more" if len(errors) > MOST_TOLD else ""
                raise InvalidInput(f"it could not be run: {'; '.join(errors[:MOST_TOLD])}{more}")
            if checked.definition.name != name:
                raise InvalidInput(f"it calls itself {checked.definition.name!r}, expected {name!r}: `name` says so")
            await asyncio.to_thread(save_text, file, text, digest)
            await self._catalog.look()
            return PlaybookSaved(name, f"{file.parent.name}/{file.name}", text_digest(text), tuple(told[:MOST_TOLD]))

    async def delete(self, name: str, digest: str) -> None:
        """See `PlaybookFileService`."""
        async with self._one_at_a_time:
            await self._catalog.look()
            await asyncio.to_thread(remove_text, self._file_of(name), digest)
            await self._catalog.look()

    def _file_of(self, name: str) -> Path:
        return self._catalog.find(name).file

    def _new(self, name: str) -> Path:
        file = self._folder / f"{name}.yaml"
        if file.name.endswith(TEST_ENDINGS):
            raise InvalidInput(f"playbook: {name!r} would be a file of tests: expected a name without '.test'")
        known = self._catalog.playbooks.get(name)
        return known.file if known is not None else file  # what is there already is a conflict
