"""Playbooks tried out by clients: their tests, and what they would do. Nothing is done, and no time passes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from pydantic import Field, JsonValue

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import Json
from sulla.playbooks.rehearsal.rows import CaseRow, WayRow
from sulla.playbooks.rpc_forms import PlaybookSource
from sulla.rpc.caller import Context
from sulla.rpc.form import Name, Params
from sulla.rpc.method import Example, Method, Methods, Rest


class WorkflowTest(Params):
    """`workflow.test`."""

    playbook: Name
    text: PlaybookSource | None = None
    """What is tested in the place of its file; null for the file as it is."""


class WorkflowDryRun(Params):
    """`workflow.dry_run`."""

    playbook: Name
    inputs: dict[str, JsonValue] = Field(default={})
    """Placeholders stand for what is missing."""
    text: PlaybookSource | None = None
    """What is tried out in the place of its file; null for the file as it is."""


@dataclass(frozen=True, slots=True)
class PlaybookTested:
    """The answer to `workflow.test`."""

    cases: tuple[CaseRow, ...]
    """In the order of the file; none where there are faults."""
    faults: tuple[str, ...]
    """Why nothing can be tested: what is wrong with the playbook or with the file of its tests, each with its place."""
    cut: bool
    """Whether there are more tests than one answer holds: `sulla flow test` tells all."""


@dataclass(frozen=True, slots=True)
class PlaybookWays:
    """The answer to `workflow.dry_run`."""

    ways: tuple[WayRow, ...]
    cut: bool
    """Whether there are more ways than are told."""


class RehearsalService(Protocol):
    """Tries them out."""

    async def test(self, name: str, text: str | None, most_bytes: int) -> PlaybookTested:
        """Run the tests of a playbook.

        Args:
            name: the playbook's.
            text: what is tested in the place of its file; None for the file as it is.
            most_bytes: of the answer; as many tests as fit are told.

        Raises:
            NotFound: there is none of that name, or it has no tests.
            TooLarge: it takes too long, or the first test is longer than an answer.
        """

    async def dry_run(self, name: str, inputs: Mapping[str, Json], text: str | None, most_bytes: int) -> PlaybookWays:
        """Show the ways that it can go.

        Args:
            name: the playbook's.
            inputs: what it is begun with.
            text: as for `test`.
            most_bytes: of the answer; as many ways as fit are told.

        Raises:
            NotFound: there is none of that name.
            InvalidInput: it has faults, or an input is none that it takes.
            TooLarge: it takes too long, or the first way is longer than an answer.
        """


async def _test(service: RehearsalService, params: WorkflowTest, context: Context) -> PlaybookTested:
    return await service.test(params.playbook, params.text, context.page_bytes)


async def _dry_run(service: RehearsalService, params: WorkflowDryRun, context: Context) -> PlaybookWays:
    return await service.dry_run(params.playbook, params.inputs, params.text, context.page_bytes)


_CASE: Final[dict[str, JsonValue]] = {
    "playbook": "lead-triage",
    "test": "a lead from a friend",
    "ok": False,
    "file": "workflows/lead-triage.test.yaml",
    "line": 1,
    "misses": [{"line": 6, "column": 12, "message": "expected it to be completed, and it is failed"}],
    "took_ms": 0,
}
_CALL: Final[dict[str, JsonValue]] = {
    "at": "send",
    "tool": "send_email",
    "effect": "once",
    "args": {"to": "Ann"},
    "refused": "",
}
_WAY: Final[dict[str, JsonValue]] = {
    "chosen": {"kind": "sales"},
    "assumed": [],
    "status": "completed",
    "failure": None,
    "outputs": {},
    "steps": [{"at": "send", "kind": "tool", "status": "completed", "route": "", "why": ""}],
    "calls": [_CALL],
    "told": ["Sent to Ann"],
    "model_calls": 1,
    "tokens": 60,
    "cost": 0.0002,
}

METHODS: Final[Methods[RehearsalService]] = Methods(
    "rehearsals",
    (
        Method(
            "workflow.test",
            WorkflowTest,
            PlaybookTested,
            "read",
            _test,
            Rest("POST", "/workflows/{playbook}/test", "Run its tests: nothing is done, and no time passes."),
            Example({"cases": [_CASE], "faults": [], "cut": False}),
            heavy=True,
        ),
        Method(
            "workflow.dry_run",
            WorkflowDryRun,
            PlaybookWays,
            "read",
            _dry_run,
            Rest("POST", "/workflows/{playbook}/dry-run", "Show each way that it can go; nothing is done."),
            Example({"ways": [_WAY], "cut": False}, {"inputs": {"lead": "Ann"}}),
            heavy=True,
        ),
    ),
)
