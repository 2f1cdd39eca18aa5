"""What clients can do with changes of commands that wait for a person's yes."""

from __future__ import annotations

from typing import Final, Protocol

from sulla.core.dataclass import dataclass
from sulla.rpc.caller import Context
from sulla.rpc.form import Id, Params
from sulla.rpc.method import Example, Method, Methods, Rest


class ChangesList(Params):
    """`changes.list`."""


class ChangesShow(Params):
    """`changes.show`."""

    changes: Id


class ChangesKeep(Params):
    """`changes.keep`."""

    changes: Id


class ChangesDrop(Params):
    """`changes.drop`."""

    changes: Id


@dataclass(frozen=True, slots=True)
class ChangesRow:
    """What one command has changed, held back."""

    changes: str
    """By what it is asked for."""
    thread_id: str
    """Whose command it was."""
    held_at: str
    """When the command ended."""
    told: str
    """Which files wait, and why."""


@dataclass(frozen=True, slots=True)
class ChangesRows:
    """The answer to `changes.list`."""

    waiting: tuple[ChangesRow, ...]
    """The oldest first."""


@dataclass(frozen=True, slots=True)
class ChangesShown:
    """The answer to `changes.show`."""

    changes: str
    thread_id: str
    text: str
    """What a person is asked: each file, and how it changes, in lines; what is no printable character is spelled out in
    them, and a backslash is two."""


@dataclass(frozen=True, slots=True)
class ChangesDecided:
    """The answer to `changes.keep` and `changes.drop`."""

    changes: str
    thread_id: str
    text: str
    """What came of it, in a sentence."""


class ChangesService(Protocol):
    """Has what commands of mistrusted conversations have changed, as long as it waits for a person."""

    async def list(self) -> ChangesRows:
        """All that waits."""

    async def show(self, changes: str) -> ChangesShown:
        """What a person is asked about the changes of one command.

        Raises:
            NotFound: nothing of that id waits.
        """

    async def keep(self, changes: str) -> ChangesDecided:
        """Put them into the workspace, marked as from outside.

        Raises:
            NotFound: nothing of that id waits.
            Conflict: all work is paused, or somebody has changed one of the files since.
            Refused: they cannot be put there now, and wait still.
            Unavailable: that took too long.
            CorruptRecord: the marks of files cannot be read.
        """

    async def drop(self, changes: str) -> ChangesDecided:
        """Give them up.

        Raises:
            NotFound: nothing of that id waits.
        """


async def _list(service: ChangesService, params: ChangesList, context: Context) -> ChangesRows:
    return await service.list()


async def _show(service: ChangesService, params: ChangesShow, context: Context) -> ChangesShown:
    return await service.show(params.changes)


async def _keep(service: ChangesService, params: ChangesKeep, context: Context) -> ChangesDecided:
    return await service.keep(params.changes)


async def _drop(service: ChangesService, params: ChangesDrop, context: Context) -> ChangesDecided:
    return await service.drop(params.changes)


METHODS: Final[Methods[ChangesService]] = Methods(
    "changes",
    (
        Method(
            "changes.list",
            ChangesList,
            ChangesRows,
            "read",
            _list,
            Rest("GET", "/changes", "Changes of commands that wait for a person."),
            Example(
                {
                    "waiting": [
                        {
                            "changes": "changes_u99nuwy7",
                            "thread_id": "thr_9b2d",
                            "held_at": "2027-01-15T08:00:01.000Z",
                            "told": "programs may run or obey Makefile",
                        }
                    ]
                }
            ),
        ),
        Method(
            "changes.show",
            ChangesShow,
            ChangesShown,
            "read",
            _show,
            Rest("GET", "/changes/{changes}", "What a person is asked about them, line by line."),
            Example(
                {
                    "changes": "changes_u99nuwy7",
                    "thread_id": "thr_9b2d",
                    "text": "Put into the workspace what a command has changed?\nnew Makefile: make runs it",
                }
            ),
        ),
        Method(
            "changes.keep",
            ChangesKeep,
            ChangesDecided,
            "approve",
            _keep,
            Rest("POST", "/changes/{changes}/keep", "Put them into the workspace."),
            Example(
                {
                    "changes": "changes_u99nuwy7",
                    "thread_id": "thr_9b2d",
                    "text": "What the command changed is in the workspace now.",
                }
            ),
            needs="open",
        ),
        Method(
            "changes.drop",
            ChangesDrop,
            ChangesDecided,
            "approve",
            _drop,
            Rest("DELETE", "/changes/{changes}", "Give them up."),
            Example({"changes": "changes_u99nuwy7", "thread_id": "thr_9b2d", "text": "Given up."}),
        ),
    ),
)
