"""Skills on a disk, for tests."""

from __future__ import annotations

from pathlib import Path

from sulla.skills.catalog import SkillCatalog, SkillRoot
from sulla.skills.trust import TrustedSkills
from sulla.testing.clock import ManualClock


def put(root: Path, name: str, description: str = "Does it.", body: str = "Do it.", **files: str) -> Path:
    """Write a skill; the keywords are files beside its ``SKILL.md``, a dot in a name written as ``__``."""
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {description}\n---\n{body}\n")
    for file, text in files.items():
        (folder / file.replace("__", ".")).write_text(text)
    return folder


def shelf_in(place: Path, clock: ManualClock | None = None) -> SkillCatalog:
    """A shelf over ``home``, ``shipped`` and ``workspace`` in `place`, not looked at yet."""
    roots = (
        SkillRoot(place / "home", "home"),
        SkillRoot(place / "shipped", "shipped"),
        SkillRoot(place / "workspace", "workspace"),
    )
    return SkillCatalog(roots, TrustedSkills(place / "trusted.json"), clock or ManualClock())
