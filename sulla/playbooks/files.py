"""The playbooks of a home: where they lie, what they are held against, and those that Sulla brings along."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from sulla.agent.spec import SULLA
from sulla.host.settings import HomeSettings
from sulla.host.shipped import shipped
from sulla.host.tools import MCP
from sulla.playbooks.catalog import PLAYBOOKS, TEST_ENDINGS
from sulla.playbooks.durations import read_duration
from sulla.playbooks.file.check_known import KnownNames, KnownTool
from sulla.schedules.spec import BeatAction, Cron, Every, Spec, check_spec
from sulla.tools.base import Tool


def known_of(tools: Iterable[Tool], agents: Iterable[str], *, all_tools: bool = True) -> KnownNames:
    """What the names in playbooks are held against.

    Args:
        tools: those that there are.
        agents: their ids.
        all_tools: whether those of MCP servers are among them; if not, nothing is said of names that begin like theirs.
    """
    return KnownNames(
        tools={tool.name: _known(tool) for tool in tools},
        agents=frozenset(agents),
        schedule=check_schedule,
        elsewhere="" if all_tools else MCP,
    )


def _known(tool: Tool) -> KnownTool:
    foreign = tool.category == "web" or tool.name.startswith(MCP)
    reach = "" if callable(tool.reach) else tool.reach
    known = KnownTool(tool.schema, tool.effect, tool.missing, tool.gives, tool.effect_of, reach, foreign)
    known = replace(known, remarks=tool.remarks, refuses=tool.refuses, limit=tool.limit_with)
    return replace(known, sorts_failures=tool.sorts_failures)


def playbook_folder(settings: HomeSettings) -> Path:
    """Where the home's playbooks lie."""
    return settings.home / PLAYBOOKS


def starters() -> Path:
    """The folder of the playbooks that Sulla brings along."""
    return shipped(PLAYBOOKS)


def check_schedule(text: str, zone: str) -> None:
    """Refuse what no schedule can be made of.

    Args:
        text: a period such as ``30m``, or a cron expression.
        zone: a time zone; empty for the home's.

    Raises:
        InvalidInput: it is none.
    """
    period_s = read_duration(text)
    check_spec(Spec(Cron(text) if period_s is None else Every(period_s), BeatAction(SULLA.id), zone or "UTC"))


def bring_playbooks(folder: Path, samples: Path) -> Path | None:
    """Give a home that has no folder of playbooks yet those that Sulla brings along, with their tests.

    Args:
        folder: the home's.
        samples: the folder that they are brought along in.

    Returns:
        The folder, if it was made.

    Raises:
        OSError: it cannot be made.
    """
    if folder.exists() or not samples.is_dir():
        return None
    draft = folder.with_name(f".{folder.name}.{os.getpid()}.new")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(mode=0o700)
    try:
        for sample in sorted(samples.glob("*.yaml")):
            copy = draft / sample.name
            copy.write_bytes(sample.read_bytes())
            copy.chmod(0o600)
        draft.rename(folder)  # as a whole, so that who is cut off begins anew
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return folder


def tests_beside(file: Path) -> Path | None:
    """The file with a playbook's tests, if there is one.

    Args:
        file: the playbook.
    """
    stem = file.with_suffix("")
    return next((tests for end in TEST_ENDINGS if (tests := Path(f"{stem}{end}")).is_file()), None)
