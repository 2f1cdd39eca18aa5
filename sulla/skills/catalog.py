"""The skills that there are: found in folders, read again when they change, trusted by a person or not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, NotFound, Refused
from sulla.skills.bundle import Bundle, Signature, read_bundle, signature
from sulla.skills.found import KnownSkill, Whose
from sulla.skills.skill import SKILL_FILE, Skill, read_skill
from sulla.skills.trust import TrustedSkills
from sulla.tools.nearest import did_you_mean

log = logging.getLogger(__name__)

LOOK_S: Final = 1.0
"""Folders are looked at no more often than this, in seconds."""

MAX_SKILLS: Final = 200
"""In one folder of skills."""


@dataclass(frozen=True, slots=True)
class SkillRoot:
    """A folder with skills in it, one folder each."""

    path: Path
    whose: Whose
    """Who put them there: the home's owner, Sulla itself, or anybody who writes to the workspace."""


@dataclass(frozen=True, slots=True)
class _SeenSkill:
    """A skill's folder as it was read last, to see whether it has changed."""

    signature: Signature
    found: KnownSkill | str
    """The skill, or what is wrong with it."""


class SkillCatalog:
    """The skills of a home, read again when `look` is called; nothing watches the folders.

    It lives as long as the daemon.

    Args:
        roots: where they are; of two with one name the one that comes first here counts.
        trust: which of them a person has allowed.
        clock: all time.
    """

    def __init__(self, roots: Sequence[SkillRoot], trust: TrustedSkills, clock: Clock) -> None:
        self._roots = tuple(roots)
        self._trust = trust
        self._clock = clock
        self._lock = asyncio.Lock()
        self._looked_s: float | None = None
        self._seen: dict[Path, _SeenSkill] = {}
        self._known: dict[str, KnownSkill] = {}
        self._troubles: tuple[str, ...] = ()

    @property
    def known(self) -> dict[str, KnownSkill]:
        """What was found at the last look, by name."""
        return self._known

    @property
    def troubles(self) -> tuple[str, ...]:
        """What was wrong then, each with its place."""
        return self._troubles

    async def look(self) -> None:
        """See what has changed; beside the event loop, and not more often than every `LOOK_S`."""
        async with self._lock:
            now_s = self._clock.elapsed()
            if self._looked_s is None or now_s - self._looked_s >= LOOK_S:
                await asyncio.to_thread(self.look_now)
                self._looked_s = now_s

    def look_now(self) -> None:
        """See what has changed. Only what did is read."""
        troubles: list[str] = []
        trusted = self._trusted(troubles)
        seen: dict[Path, _SeenSkill] = {}
        known: dict[str, KnownSkill] = {}
        for root in self._roots:
            for folder in _folders(root.path, troubles):
                seen[folder] = found = self._at(folder, root.whose)
                if isinstance(found.found, str):
                    troubles.append(f"{folder}: {found.found}")
                elif (name := found.found.skill.name) in known:
                    troubles.append(f"{folder}: hidden by the skill of the same name in {known[name].folder}")
                else:
                    known[name] = _judged(found.found, trusted)
        told = tuple(said.encode(errors="backslashreplace").decode() for said in troubles)  # whatever is in a name
        self._seen, self._known, self._troubles = seen, dict(sorted(known.items())), told

    def open(self, name: str) -> tuple[KnownSkill, Bundle]:
        """A skill as it is at this moment, with its files.

        Raises:
            NotFound: there is none of that name.
            Refused: it cannot be read any more.
        """
        known = self._known.get(name)
        if known is None:
            raise NotFound(f"there is no skill {name[:100]!r}.{did_you_mean(name, self._known)}")
        try:
            bundle = read_bundle(known.folder)
            skill = read_skill(known.folder.name, bundle.text(SKILL_FILE))
        except OSError as error:
            raise Refused(f"the skill {name!r} cannot be read: {error.strerror}") from error
        trusted = {} if known.whose == "shipped" else self._trust.read()
        return _judged(_known(skill, known.folder, known.whose, bundle), trusted), bundle

    def trust(self, known: KnownSkill) -> None:
        """Remember that a person allowed a skill as it is there.

        Raises:
            Refused: it cannot be written down.
        """
        name = known.skill.name
        self._trust.trust(name, known.digest)
        if (seen := self._known.get(name)) is not None:  # else others would ask the same until the next look
            self._known = self._known | {name: _judged(seen, {name: known.digest})}

    def forget(self, name: str) -> bool:
        """Take the trust back; whether there was any.

        Raises:
            Refused: it cannot be written down.
        """
        return self._trust.forget(name)

    def _trusted(self, troubles: list[str]) -> dict[str, str]:
        try:
            return self._trust.read()
        except Refused as error:
            troubles.append(error.message)
            return {}

    def _at(self, folder: Path, whose: Whose) -> _SeenSkill:
        """A folder as it is, from memory if nobody wrote to it."""
        now: Signature = ()
        try:
            now = signature(folder)
            seen = self._seen.get(folder)
            if seen is not None and seen.signature == now:
                return seen
            bundle = read_bundle(folder)
            return _SeenSkill(now, _known(read_skill(folder.name, bundle.text(SKILL_FILE)), folder, whose, bundle))
        except (InvalidInput, NotFound) as error:
            return _SeenSkill(now, error.message)
        except OSError as error:
            return _SeenSkill((), f"it cannot be read: {error.strerror}")
        except Exception as error:
            log.exception("the skill in %s cannot be used", folder)  # once: it is kept with what the folder was like
            return _SeenSkill(now, f"{type(error).__name__}: {str(error)[:200]}: a defect of Sulla; please report it")


def _judged(known: KnownSkill, trusted: dict[str, str]) -> KnownSkill:
    kept = trusted.get(known.skill.name)
    is_trusted = known.whose == "shipped" or kept == known.digest
    return replace(known, trusted=is_trusted, before=kept not in (None, known.digest))


def _known(skill: Skill, folder: Path, whose: Whose, bundle: Bundle) -> KnownSkill:
    beside = tuple(path for path in bundle.files if path != SKILL_FILE)
    return KnownSkill(skill, folder, whose, bundle.digest, beside, trusted=False)


def _folders(root: Path, troubles: list[str]) -> Iterator[Path]:
    """The folders that mean to be skills: they have a ``SKILL.md``. A link leads anywhere, so none is followed."""
    try:
        found = sorted(path for path in root.iterdir() if not path.name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        troubles.append(f"{root}: it cannot be read: {error.strerror}")
        return
    found = [path for path in found if (path / SKILL_FILE).is_file()]
    if len(found) > MAX_SKILLS:
        troubles.append(f"{root}: {len(found)} skills; only the first {MAX_SKILLS} are looked at")
    for path in found[:MAX_SKILLS]:
        if path.is_symlink():
            troubles.append(f"{path}: a link; put the skill's folder itself there")
        else:
            yield path
