"""The agents that a home describes: ``agents/<id>/``, read when the daemon starts, and when they have changed."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, SullaError
from sulla.definitions.agent_file import AGENT_FILES, AgentFile, read_agent

log = logging.getLogger(__name__)

AGENTS: Final = "agents"
"""The folder of the home that they are in."""

ALL: Final = ""
"""Stands for every agent's folder."""

MAX_AGENTS: Final = 64
MAX_ENTRIES: Final = 1_000
"""What is looked at in the folder, files included."""

MOST_NAMED: Final = 10
"""Agents beyond `MAX_AGENTS` that are named."""

MAX_TEXTS: Final = 32
"""Files of one agent that are read."""

MAX_TEXT_BYTES: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class FoundAgents:
    """The agents whose folders could be read, and what was wrong with the others."""

    good: tuple[AgentFile, ...] = ()
    faults: Mapping[str, str] = field(default_factory=dict)
    """Why others cannot be used, each with its place, by the name of the folder; under `ALL` why none was read."""
    warnings: tuple[str, ...] = ()
    """What is odd about good ones, each with its place."""


FolderState = tuple[tuple[str, int, int, int, int], ...]
"""Each file's path, size, place on the disk and times of change: the same as long as nobody wrote to any of them."""


def state_of(folder: Path) -> FolderState:
    """What tells whether any agent may have changed, without reading a file.

    Args:
        folder: has a folder for each. It need not exist.
    """
    found: list[tuple[str, int, int, int, int]] = []
    for path in _entries(folder):
        # What cannot be looked at is told by whoever reads it.
        for one in (path, *_entries(path)[: MAX_TEXTS + 1]):
            try:
                of = one.stat()
            except OSError as error:
                found.append((str(one), -(error.errno or 1), 0, 0, 0))
            else:
                found.append((str(one), of.st_size, of.st_ino, of.st_mtime_ns, of.st_ctime_ns))
    return tuple(found)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith((".", "_")))[:MAX_ENTRIES]
    except OSError:
        return []


def read_agents(folder: Path, first: Collection[str] = ()) -> FoundAgents:
    """Read every agent; one that is wrong does not keep the others from work.

    Args:
        folder: has a folder for each; what begins with ``.`` or ``_`` is left alone. It need not exist.
        first: those that are read before the others, which follow by name: where there are too many, they stay.
    """
    try:
        found = sorted(path for path in folder.iterdir() if not path.name.startswith((".", "_")))
    except FileNotFoundError:
        return FoundAgents()
    except OSError as error:
        return FoundAgents(faults={ALL: f"{folder}: it cannot be read: {error.strerror}"})
    good: list[AgentFile] = []
    faults: dict[str, str] = {}
    warnings: list[str] = []
    beyond: list[str] = []
    for path in sorted(found, key=lambda path: path.name not in first)[:MAX_ENTRIES]:
        try:
            if not path.is_dir():
                continue
            if len(good) + len(faults) == MAX_AGENTS:
                beyond.append(path.name)
                continue
            agent = read_agent(path.name, texts_of(path))
        except SullaError as error:
            faults[path.name] = f"{_shown(path)}: {error.message}"
        except OSError as error:
            faults[path.name] = f"{_shown(error.filename or path)}: it cannot be read: {error.strerror}"
        except Exception as error:
            log.exception("the agent in %s cannot be used", _shown(path))
            said = f"{type(error).__name__}: {str(error)[:200]}"
            faults[path.name] = f"{_shown(path)}: {said}: a defect of Sulla; please report it"
        else:
            good.append(agent)
            warnings += [f"{path}: {said}" for said in agent.warnings]
    return FoundAgents(tuple(good), faults | _not_read(folder, beyond), tuple(warnings))


def _not_read(folder: Path, beyond: Sequence[str]) -> dict[str, str]:
    """What is wrong with the agents beyond `MAX_AGENTS`, under the name of the first."""
    more = f" and {len(beyond) - MOST_NAMED} more" if len(beyond) > MOST_NAMED else ""
    named = f"{', '.join(map(repr, map(_shown, beyond[:MOST_NAMED])))}{more}"
    said = f"{folder}: there are more than {MAX_AGENTS} agents; not read: {named}. Remove others first"
    return dict.fromkeys(beyond[:1], said)


def _shown(path: object) -> str:
    """A path as text that can be sent, whatever bytes are in a name."""
    return str(path).encode(errors="backslashreplace").decode()


def texts_of(folder: Path) -> dict[str, str]:
    """An agent's settings and its Markdown, by the names of the files.

    Args:
        folder: the agent's.

    Raises:
        InvalidInput: there is nothing, too much, or what is no text.
        OSError: something cannot be read.
    """
    files = sorted(
        path
        for path in folder.iterdir()
        if path.is_file() and not path.name.startswith(".") and (path.name in AGENT_FILES or path.suffix == ".md")
    )
    if not files:
        raise InvalidInput(f"it is empty: it needs {AGENT_FILES[0]}, and soul.md to say who the agent is")
    if len(files) > MAX_TEXTS:
        raise InvalidInput(f"it has {len(files)} files; an agent has at most {MAX_TEXTS}")
    return {path.name: _text(path) for path in files}


def _text(path: Path) -> str:
    with path.open("rb") as file:
        data = file.read(MAX_TEXT_BYTES + 1)
    if len(data) > MAX_TEXT_BYTES:
        raise InvalidInput(f"{path.name} is longer than {MAX_TEXT_BYTES} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(f"{path.name} is not UTF-8 text") from None
