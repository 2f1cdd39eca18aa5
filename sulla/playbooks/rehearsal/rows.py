"""What is told of playbooks that are tried out: tests and ways, row by row. Pure."""

from __future__ import annotations

from pydantic import JsonValue

from sulla.core.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class MissRow:
    """Something that is not as it was expected."""

    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class CaseRow:
    """How a test of a playbook went."""

    playbook: str
    test: str
    """Its name."""
    ok: bool
    file: str
    """The one with the tests."""
    line: int
    """Where the test begins in it."""
    misses: tuple[MissRow, ...]
    """What is not as it was expected, with its place in the file; empty if all is."""
    took_ms: int | None = None
    """How long the run would have taken; null if it could not be tried to its end."""


@dataclass(frozen=True, slots=True)
class WayStepRow:
    """How a step would go."""

    at: str
    kind: str
    status: str
    route: str
    """Which way it would go; empty where there is none."""
    why: str
    """Why it would be skipped, or fail."""


@dataclass(frozen=True, slots=True)
class WayCallRow:
    """A call that would be made."""

    at: str
    tool: str
    effect: str
    """`pure`, `idempotent` or `once`; `not known here` of a tool that this home does not know."""
    args: dict[str, JsonValue]
    """Secrets as what stands for them, and placeholders for what nobody can know."""
    refused: str = ""
    """Why this home would refuse it; empty if it would not."""


@dataclass(frozen=True, slots=True)
class WayRow:
    """One way that a playbook can go."""

    chosen: dict[str, str]
    """Which way was taken where there are several, by step."""
    assumed: tuple[str, ...]
    """What else was."""
    status: str
    failure: str | None
    outputs: dict[str, JsonValue]
    steps: tuple[WayStepRow, ...]
    calls: tuple[WayCallRow, ...]
    told: tuple[str, ...]
    """What the conversation would be told, step by step."""
    model_calls: int
    """At the least: how often an agent asks nobody knows."""
    tokens: int
    """That the models would read, by estimate."""
    cost: float | None
    """Of reading them, in the unit of `[prices]`; null where the model is unpriced."""
    asked: tuple[str, ...] = ()
    """Before which files a person is asked that programs run or obey, and why."""
