"""Writes folders of agents: each change whole or not at all, and never over what a person has saved meanwhile."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

from sulla.core.errors import Conflict, InvalidInput, NotFound, Refused
from sulla.definitions.agent_file import AGENT_FILES, AgentFile, read_agent
from sulla.definitions.agents import MAX_AGENTS, MAX_TEXT_BYTES, MAX_TEXTS, texts_of
from sulla.definitions.replace import exchange, turn

_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}\.md")

Unusable = Callable[[AgentFile], str]
"""Says why an agent that could be read cannot work; empty if it can."""


def digest_of(texts: Mapping[str, str]) -> str:
    """What tells one state of an agent's files from another."""
    return f"sha256:{sha256(json.dumps(dict(texts), sort_keys=True).encode()).hexdigest()}"


def read_texts(root: Path, agent: str) -> dict[str, str]:
    """An agent's files.

    Args:
        root: has a folder for each agent.
        agent: its id.

    Raises:
        NotFound: there is no such folder.
        InvalidInput, Refused: the files are no texts, or cannot be read.
    """
    if not (root / agent).is_dir():
        raise NotFound(f"there is no folder {root / agent}")
    with _told(root / agent, "read"):
        return texts_of(root / agent)


def create(root: Path, agent: str, texts: Mapping[str, str], unusable: Unusable) -> None:
    """Make a folder.

    Args:
        root: has a folder for each agent; made if it is not there.
        agent: the new one's id.
        texts: what its files hold, by name.
        unusable: says why it cannot work.

    Raises:
        Conflict: there is such a folder.
        InvalidInput: an agent cannot be like that, or there is no room for one more; nothing is written.
        Refused: it cannot be written.
    """
    _check(agent, texts, unusable)
    with _alone(root, agent) as (folder_fd, draft):
        if os.path.lexists(root / agent):
            raise Conflict(f"there is an agent {agent!r} already: change it with agent.update")
        if sum(path.is_dir() and not path.name.startswith((".", "_")) for path in root.iterdir()) >= MAX_AGENTS:
            raise InvalidInput(f"there are {MAX_AGENTS} agents, which is as many as are read: remove one first")
        draft.mkdir(mode=0o700)
        _write(draft, texts)
        draft.rename(root / agent)
        os.fsync(folder_fd)


def update(root: Path, agent: str, changes: Mapping[str, str | None], digest: str, unusable: Unusable) -> None:
    """Change files of a folder, all in one step; what else is in it stays.

    Args:
        root: has a folder for each agent.
        agent: its id.
        changes: what files are to hold, by name; None for those that go.
        digest: of the files that the change was thought up for.
        unusable: says why it cannot work.

    Raises:
        NotFound: there is no such folder.
        Conflict: the files are other ones now.
        InvalidInput: an agent cannot be like that; nothing is written.
        Refused: it cannot be written.
    """
    with _alone(root, agent) as (folder_fd, draft):
        before = _expected(root, agent, digest)
        texts = {name: text for name, text in {**before, **changes}.items() if text is not None}
        _check(agent, texts, unusable, before)
        shutil.copytree(root / agent, draft, symlinks=True)
        for name in before.keys() - texts.keys():
            (draft / name).unlink()
        _write(draft, {name: text for name, text in texts.items() if before.get(name) != text})
        exchange(folder_fd, draft.name, agent)
        _unchanged(root, draft, agent, digest, folder_fd)


def delete(root: Path, agent: str, digest: str) -> None:
    """Remove a folder.

    Args:
        root: has a folder for each agent.
        agent: its id.
        digest: of its files.

    Raises:
        NotFound, Conflict, Refused: as `update`.
    """
    with _alone(root, agent) as (folder_fd, draft):
        _expected(root, agent, digest)
        draft.mkdir()
        exchange(folder_fd, draft.name, agent)
        _unchanged(root, draft, agent, digest, folder_fd)
        (root / agent).rmdir()


def _expected(root: Path, agent: str, digest: str) -> dict[str, str]:
    if (root / agent).is_symlink():
        raise Refused(f"{root / agent} is a link: change what it leads to")
    texts = read_texts(root, agent)
    if digest_of(texts) != digest:
        raise Conflict(f"the files of the agent {agent!r} are other ones now: ask for them again with agent.get")
    return texts


def _unchanged(root: Path, draft: Path, agent: str, digest: str, folder_fd: int) -> None:
    """See that what was taken out is what was looked at; else put it back."""
    if digest_of(texts_of(draft)) != digest:
        exchange(folder_fd, draft.name, agent)
        raise Conflict(f"somebody has saved files of the agent {agent!r} in this moment: ask for them again")
    os.fsync(folder_fd)


def _check(agent: str, texts: Mapping[str, str], unusable: Unusable, before: Collection[str] = ()) -> None:
    """See that an agent can be like that.

    Raises:
        InvalidInput: it cannot; the message names the file.
    """
    for name, text in texts.items():
        if name not in AGENT_FILES and name not in before and not _NAME.fullmatch(name):
            raise InvalidInput(f"{name[:100]!r} is no file of an agent: expected {AGENT_FILES[0]}, or a name with .md")
        if len(text.encode(errors="surrogatepass")) > MAX_TEXT_BYTES:
            raise InvalidInput(f"{name} is longer than {MAX_TEXT_BYTES} bytes")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InvalidInput(f"{name} has half a character: a surrogate without its other half") from None
    if not texts:
        raise InvalidInput(f"an agent needs a file: {AGENT_FILES[0]}, or soul.md to say who it is")
    if len(texts) > MAX_TEXTS:
        raise InvalidInput(f"it would have {len(texts)} files; an agent has at most {MAX_TEXTS}")
    if said := unusable(read_agent(agent, texts)):
        raise InvalidInput(said)


@contextmanager
def _alone(root: Path, agent: str) -> Iterator[tuple[int, Path]]:
    """Have the folder of all agents for us alone; where a draft of one can be made, which is gone behind it."""
    draft = root / f".{agent}.sulla"
    with _told(root / agent, "written"):
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder_fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with turn(folder_fd):
                shutil.rmtree(draft, ignore_errors=True)  # a kill may have left one
                try:
                    yield folder_fd, draft
                finally:
                    shutil.rmtree(draft, ignore_errors=True)
        finally:
            os.close(folder_fd)


@contextmanager
def _told(folder: Path, what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Refused(f"{error.filename or folder} cannot be {what}: {error.strerror}") from error


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
