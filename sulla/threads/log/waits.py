"""What a run waits for: suspended, for an answer and a person's yes; or for the time of its next attempt. Pure."""

from __future__ import annotations

from typing import ClassVar

from sulla.core.dataclass import dataclass
from sulla.core.ids import CallId
from sulla.core.jsontypes import FrozenJson
from sulla.threads.log.family import is_child_wait
from sulla.threads.log.forms import Fielded
from sulla.threads.log.plays import is_own_wait
from sulla.threads.log.provenance import Provenance


@dataclass(frozen=True, slots=True)
class Wait(Fielded):
    """One thing that a suspended run waits for."""

    wait_id: str
    call_id: CallId
    prompt: str = ""
    digest: str = ""
    """For an approval: of the exact call that is asked about. A yes is good for this one alone."""
    expires_ms: int = 0
    """When no answer means no, UTC milliseconds; 0 for never."""
    tool: str = ""
    target: str = ""
    """What `always` would allow: calls of `tool` that take effect here."""
    choices: tuple[str, ...] = ()
    """What the answer has to be one of; empty for free text, and for yes or no."""
    form: FrozenJson | None = None
    """JSON Schema of the answer; None where any text will do."""
    whole: str = ""
    """The prompt with all of its call's arguments, where it leaves some out; empty too where nothing shows so much."""

    @property
    def is_for_people(self) -> bool:
        """See `is_for_people`."""
        return is_for_people(self.wait_id)


@dataclass(frozen=True, slots=True)
class Permit(Fielded):
    """A person's yes to one call, until the call is begun."""

    call_id: CallId
    digest: str
    wait_id: str
    tool: str = ""
    target: str = ""
    always: bool = False
    """Whether its like is to be allowed from now on too."""
    for_s: int = 0
    """For how long, in seconds; 0 for as long as usual."""
    by: str = ""
    """See `Answer.by`."""
    at_ms: int = 0
    """When it was said, UTC milliseconds; 0 in records of before."""


@dataclass(frozen=True, slots=True)
class RunWaiting(Fielded):
    """The run waits before another attempt. It holds its place meanwhile, and nobody has to answer anything."""

    kind: ClassVar[str] = "RUN_WAITING"
    provenance: ClassVar[Provenance] = "daemon"
    reason: str
    """A stable word (`core.waiting`)."""
    wait_s: float
    """For how long from when this was kept, in seconds; less if the daemon stops meanwhile."""
    call_id: CallId = CallId("")
    """The tool call that is tried again; empty for a model's."""
    said: str = ""
    """What failed, in the words of a person's error message; empty where only the reason is known."""


def is_for_people(wait_id: str) -> bool:
    """Whether people answer what is waited for under this id: no child reports under it, and neither time nor a
    conversation's agent ends it.

    Args:
        wait_id: the wait's id.
    """
    return not is_child_wait(wait_id) and not is_own_wait(wait_id)
