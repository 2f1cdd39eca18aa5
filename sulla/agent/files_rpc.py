"""What clients with the scope `admin` can do with the folders of agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Protocol

from pydantic import Field, JsonValue, StringConstraints

from sulla.core.dataclass import dataclass
from sulla.rpc.caller import Context
from sulla.rpc.form import Id, Label, Params
from sulla.rpc.method import Example, Method, Methods, Rest

MOST_FILES: Final = 32
FILE_CHARS: Final = 64 * 1024

FileText = Annotated[str, StringConstraints(max_length=FILE_CHARS)]


class AgentGet(Params):
    """`agent.get`."""

    agent: Id


class AgentCreate(Params):
    """`agent.create`."""

    agent: Id
    files: Annotated[dict[str, FileText], Field(max_length=MOST_FILES)]
    """What its files hold, by name: `agent.toml`, `soul.md`, and every other `*.md`."""


class AgentUpdate(Params):
    """`agent.update`."""

    agent: Id
    files: Annotated[dict[str, FileText | None], Field(max_length=MOST_FILES)]
    """The files that change, by name; null for one that goes. The others stay."""
    digest: Label
    """What `agent.get` gave: whoever saved something meanwhile keeps it."""


class AgentDelete(Params):
    """`agent.delete`."""

    agent: Id
    digest: Label
    """As for `agent.update`."""


@dataclass(frozen=True, slots=True)
class AgentText:
    """An agent's folder."""

    agent: str
    files: dict[str, str]
    """What its settings and its Markdown hold, by name."""
    digest: str
    """Of all of them."""
    warnings: tuple[str, ...] = ()
    """What may be a slip of the pen in it."""


@dataclass(frozen=True, slots=True)
class AgentDeleted:
    """The answer to `agent.delete`."""

    agent: str


class AgentFiles(Protocol):
    """Reads and writes the folders of agents."""

    async def get(self, agent: str) -> AgentText:
        """An agent's files as they are.

        Raises:
            NotFound: there is no such folder.
        """

    async def create(self, agent: str, files: Mapping[str, str]) -> AgentText:
        """Make an agent; it can be talked to when this returns.

        Raises:
            Conflict: there is such a folder.
            InvalidInput: something in the files is wrong: nothing is written.
        """

    async def update(self, agent: str, files: Mapping[str, str | None], digest: str) -> AgentText:
        """Change an agent, all at once; it holds from the next turn on.

        Raises:
            NotFound: there is no such folder.
            Conflict: the folder is not the one of that digest any more.
            InvalidInput: something would be wrong: nothing is written.
        """

    async def delete(self, agent: str, digest: str) -> None:
        """Remove an agent's folder.

        Raises:
            NotFound, Conflict: as for `update`.
        """


async def _get(service: AgentFiles, params: AgentGet, context: Context) -> AgentText:
    return await service.get(params.agent)


async def _create(service: AgentFiles, params: AgentCreate, context: Context) -> AgentText:
    return await service.create(params.agent, params.files)


async def _update(service: AgentFiles, params: AgentUpdate, context: Context) -> AgentText:
    return await service.update(params.agent, params.files, params.digest)


async def _delete(service: AgentFiles, params: AgentDelete, context: Context) -> AgentDeleted:
    await service.delete(params.agent, params.digest)
    return AgentDeleted(params.agent)


_FILES: Final[dict[str, JsonValue]] = {
    "agent.toml": 'description = "reads"\n',
    "soul.md": "You read.\n",
}
_AGENT: Final[dict[str, JsonValue]] = {
    "agent": "reader",
    "files": _FILES,
    "digest": "sha256:9f2c",
    "warnings": [],
}

METHODS: Final[Methods[AgentFiles]] = Methods(
    "agent_files",
    (
        Method(
            "agent.get",
            AgentGet,
            AgentText,
            "admin",
            _get,
            Rest("GET", "/agents/{agent}", "An agent's files."),
            Example(_AGENT),
        ),
        Method(
            "agent.create",
            AgentCreate,
            AgentText,
            "admin",
            _create,
            Rest("POST", "/agents", "Make an agent.", 201),
            Example(_AGENT, {"agent": "reader", "files": _FILES}),
        ),
        Method(
            "agent.update",
            AgentUpdate,
            AgentText,
            "admin",
            _update,
            Rest("POST", "/agents/{agent}", "Change files of an agent."),
            Example(_AGENT, {"files": {"soul.md": "You read.\n"}, "digest": "sha256:01ab"}),
        ),
        Method(
            "agent.delete",
            AgentDelete,
            AgentDeleted,
            "admin",
            _delete,
            Rest("POST", "/agents/{agent}/delete", "Remove an agent."),
            Example({"agent": "reader"}, {"digest": "sha256:9f2c"}),
        ),
    ),
)
