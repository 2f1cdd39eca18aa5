"""`load_skill`: a skill's text and files, on demand."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final

from sulla.core.errors import Refused
from sulla.core.jsontypes import FrozenJson
from sulla.core.words import Author, Words, joined, made_of, ours
from sulla.definitions.agent_file import allows
from sulla.skills.bundle import Bundle
from sulla.skills.catalog import SkillCatalog
from sulla.skills.found import KnownSkill, about, question
from sulla.skills.skill import SKILL_FILE
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define
from sulla.tools.nearest import did_you_mean

MAX_SHOWN: Final = 20_000
"""Characters of a text that are given at once (agentskills.io: a skill's text has less than 5,000 tokens)."""


def skill_tools(catalog: SkillCatalog, names: tuple[str, ...] | None = None) -> tuple[Tool, ...]:
    """The tools by which an agent uses skills.

    Args:
        catalog: the skills.
        names: those that the agent may use, or beginnings with a ``*``; None for all.
    """

    async def load_skill(context: ToolContext, *, name: str = "", file: str = "", offset: int = 0) -> Result:
        """Read a skill: instructions for a kind of work, and the files that belong to it.

        Args:
            name: The skill, as it is called in the list of skills; leave it out to list all.
            file: A file of the skill, such as references/style.md; leave it out to read its instructions.
            offset: The character to begin at, to read on in a long text.
        """
        if not name:
            found = _allowed(catalog, names).values()
            return Done(joined(map(_row, found), "\n") if found else ours("There are no skills."))
        if name not in (allowed := _allowed(catalog, names)):
            said = f"There is no skill {name[:100]!r}.{did_you_mean(name, allowed)}"
            return Done(made_of(said, *map(_row, allowed.values())), is_error=True)
        return await asyncio.to_thread(_load, catalog, name, file, max(0, offset), context.approved)

    def asks(args: FrozenJson, context: ToolContext) -> str:
        known = _allowed(catalog, names).get(str(args.get("name", "")))
        return question(known) if known is not None and not known.trusted else ""

    tool = define(load_skill, effect="idempotent", reach="inward", category="skills", timeout_s=10.0)
    return (replace(tool, asks=asks),)


def _allowed(catalog: SkillCatalog, names: tuple[str, ...] | None) -> dict[str, KnownSkill]:
    return {name: known for name, known in catalog.known.items() if allows(names, name)}


def _load(catalog: SkillCatalog, name: str, file: str, offset: int, approved: str) -> Done:
    known, bundle = catalog.open(name)
    if not known.trusted:
        # What was read just now has to be what the person was asked about: files may change while they think.
        if approved != question(known):
            raise Refused(
                f"nobody has allowed the skill {name!r} as it is now. A person does so when they are asked, or with "
                f"`sulla skills trust {name}`"
            )
        catalog.trust(known)
    if file and file != SKILL_FILE:
        return _piece(f"{file} of the skill {name}", bundle.text(file), offset)
    text = f"{known.skill.body}\n\n{_about_files(known, bundle)}".strip()
    return _piece(f"The skill {name} ({known.digest})", text, offset)


def _piece(what: str, text: str, offset: int) -> Done:
    end = offset + MAX_SHOWN
    cut = f"… {len(text) - end} more characters: go on with offset={end}" if end < len(text) else ""
    told = "\n".join(filter(None, (text[offset:end], cut)))
    return Done(ours(f"{what}:\n\n{told}"), origin="file", data={"text": text[offset:end]}, cut=cut)


def _about_files(known: KnownSkill, bundle: Bundle) -> str:
    if not known.files:
        return ""
    listed = "\n".join(f"- {path} ({len(bundle.files[path])} bytes)" for path in known.files)
    return f"Files of this skill, read with load_skill and file=…; they lie in {known.folder}:\n{listed}"


def _row(known: KnownSkill) -> Words:
    return Words(f"- {known.skill.name}: {about(known)}", Author.OPERATOR if known.trusted else Author.OUTSIDE)
