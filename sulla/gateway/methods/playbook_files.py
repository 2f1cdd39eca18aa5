"""The files of playbooks, written and removed by clients."""

from __future__ import annotations

from typing import Annotated, Final, Protocol

from pydantic import StringConstraints

from sulla.core.dataclass import dataclass
from sulla.rpc.caller import Context
from sulla.rpc.form import Label, Name, Params
from sulla.rpc.limits import WORKFLOW_CHARS
from sulla.rpc.method import Example, Method, Methods, Rest


class WorkflowSave(Params):
    """`workflow.save`."""

    playbook: Name
    text: Annotated[str, StringConstraints(min_length=1, max_length=WORKFLOW_CHARS)]
    """The whole file."""
    digest: Label | None = None
    """What `workflow.get` gave as `saved`; null for one that is not there yet."""


class WorkflowDelete(Params):
    """`workflow.delete`."""

    playbook: Name
    digest: Label
    """As for `workflow.save`."""


@dataclass(frozen=True, slots=True)
class PlaybookSaved:
    """The answer to `workflow.save`: it can be run from now on."""

    playbook: str
    file: str
    """In the home, e.g. ``workflows/lead-triage.yaml``."""
    saved: str
    """The digest of the file, for the next change."""
    warnings: tuple[str, ...]
    """What may be a slip of the pen, each with its place."""


@dataclass(frozen=True, slots=True)
class PlaybookDeleted:
    """The answer to `workflow.delete`."""

    playbook: str


class PlaybookFileService(Protocol):
    """Writes them."""

    async def save(self, name: str, text: str, digest: str | None) -> PlaybookSaved:
        """Write a playbook's file.

        Args:
            name: what the playbook calls itself.
            text: the file.
            digest: of what it holds now; None for one that is not there yet.

        Raises:
            InvalidInput: it could not be run, each fault with its place, or is called otherwise; nothing is written.
            Conflict: it holds something else by now, or is there already.
            NotFound: there is none of that name any more.
            Refused: it cannot be written.
        """

    async def delete(self, name: str, digest: str) -> None:
        """Remove one. Its runs go on: each has what it began with.

        Args:
            name: the playbook's.
            digest: of what its file holds now.

        Raises:
            Conflict, NotFound, Refused: as `save`.
        """


async def _save(service: PlaybookFileService, params: WorkflowSave, context: Context) -> PlaybookSaved:
    return await service.save(params.playbook, params.text, params.digest)


async def _delete(service: PlaybookFileService, params: WorkflowDelete, context: Context) -> PlaybookDeleted:
    await service.delete(params.playbook, params.digest)
    return PlaybookDeleted(params.playbook)


METHODS: Final[Methods[PlaybookFileService]] = Methods(
    "playbook_files",
    (
        Method(
            "workflow.save",
            WorkflowSave,
            PlaybookSaved,
            "admin",
            _save,
            Rest("POST", "/playbooks/{playbook}/file", "Write a playbook's file."),
            Example(
                {
                    "playbook": "lead-triage",
                    "file": "workflows/lead-triage.yaml",
                    "saved": "sha256:77d0",
                    "warnings": [],
                },
                {"text": "name: lead-triage\nsteps:\n  - {id: wait, wait: 3s}\n", "digest": "sha256:01ab"},
            ),
        ),
        Method(
            "workflow.delete",
            WorkflowDelete,
            PlaybookDeleted,
            "admin",
            _delete,
            Rest("POST", "/playbooks/{playbook}/delete", "Remove a playbook's file."),
            Example({"playbook": "lead-triage"}, {"digest": "sha256:01ab"}),
        ),
    ),
)
