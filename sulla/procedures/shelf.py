"""The procedures of a home: the files beside its skills, read again where a skill has changed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from sulla.core.dataclass import dataclass
from sulla.core.errors import SullaError
from sulla.procedures.definition import FILE, Procedure
from sulla.skills.catalog import SkillCatalog

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ShelvedProcedure:
    """A skill's file, read."""

    digest: str
    """Of the skill's files when it was read."""
    found: Procedure | tuple[str, ...]
    """The procedure, or all that is wrong with it, a line each."""


class ProcedureShelf:
    """Knows the procedures of the skills that a person has allowed, by their names. It lives as long as the daemon.

    Args:
        catalog: the skills; whoever has it look sees to that.
    """

    def __init__(self, catalog: SkillCatalog) -> None:
        self._catalog = catalog
        self._shelved: Mapping[str, ShelvedProcedure] = {}

    @property
    def known(self) -> Mapping[str, Procedure]:
        """Those that can be begun; of two with one name that of the skill that comes first."""
        every = [one.found for one in self._shelved.values() if isinstance(one.found, Procedure)]
        return {one.name: one for one in reversed(every)}

    @property
    def faults(self) -> tuple[str, ...]:
        """All that is wrong with the others, a line each."""
        return tuple(line for one in self._shelved.values() if isinstance(one.found, tuple) for line in one.found)

    async def look(self) -> None:
        """Take up what has changed; beside the event loop where anything has."""
        if self._wanted() != {name: one.digest for name, one in self._shelved.items()}:
            before = self.faults
            await asyncio.to_thread(self.read)
            for line in set(self.faults) - set(before):
                log.warning("a procedure cannot be begun: %s", line)

    def read(self) -> None:
        """The same at once. It blocks."""
        wanted, before = self._wanted(), self._shelved
        self._shelved = {
            name: before[name] if name in before and before[name].digest == digest else self._read(name, digest)
            for name, digest in wanted.items()
        }

    def _wanted(self) -> dict[str, str]:
        """The skills that have such a file, with their digests."""
        known = self._catalog.known
        return {name: one.digest for name, one in known.items() if one.trusted and FILE in one.files}

    def _read(self, name: str, digest: str) -> ShelvedProcedure:
        from sulla.procedures.reading import read_procedure  # noqa: PLC0415  # with the first file

        try:
            known, bundle = self._catalog.open(name)
            found = read_procedure(bundle.text(FILE))
        except (SullaError, OSError) as error:
            return ShelvedProcedure(digest, (f"{name}/{FILE}: {error}",))
        if isinstance(found, tuple):
            return ShelvedProcedure(digest, tuple(one.told(f"{known.folder}/{FILE}") for one in found))
        return ShelvedProcedure(digest, found)
