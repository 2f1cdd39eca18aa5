"""What a playbook's thread begins with, what playbooks ask of conversations, and under which ids they wait. Pure."""

from __future__ import annotations

from typing import ClassVar, Final

from sulla.core.dataclass import dataclass
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import FrozenJson
from sulla.threads.log.forms import Fielded
from sulla.threads.log.provenance import Provenance

PLAYBOOK: Final = "playbook"
"""What works on a playbook's thread."""
ASK: Final = "ask:"
"""How the wait ids begin under which a conversation's agent answers."""
TIME: Final = "time:"
"""How that of a wait begins which only time ends."""
HUMAN: Final = "human:"
"""How those begin under which a person says yes or no to a step."""
ANSWER: Final = "answer:"
"""How those begin under which a person chooses, or writes."""


@dataclass(frozen=True, slots=True)
class Play(Fielded):
    """What a thread walks: its beginning says so, and it never changes."""

    name: str
    digest: str
    source: str
    """The playbook's text, word for word: what the file says later is for later runs."""
    steps: int = 0
    trigger: str = "manual"
    thread: ThreadId = ThreadId("")
    """The conversation that hears of it, and is asked; empty for none."""
    tokens: int = 0
    """The most that it may use; 0 for what any playbook may."""
    cost_micro: int | None = None
    chain: int = 0
    """How deep in a chain of events: 1 if an event of somebody's turn began it, one more for each that led on to the
    next; 0 where no event is behind it."""


@dataclass(frozen=True, slots=True)
class Question(Fielded):
    """What a playbook asks a conversation's agent: answered by a forced tool call."""

    thread_id: ThreadId
    """The playbook's."""
    wait_id: str
    tool: str
    about: str
    """What the model is told of the tool."""
    schema: FrozenJson
    """JSON Schema of the answer, an object."""


@dataclass(frozen=True, slots=True)
class AnswerGiven(Fielded):
    """The playbook that asked has been told what this conversation's agent answered."""

    kind: ClassVar[str] = "ANSWER_GIVEN"
    provenance: ClassVar[Provenance] = "daemon"
    wait_id: str
    known: bool = True
    """False if there is nobody any more who could be told."""


@dataclass(frozen=True, slots=True)
class OwedAnswer(Fielded):
    """An answer that its playbook has not been told yet."""

    thread_id: ThreadId
    wait_id: str
    text: str
    """JSON, or why there is no answer."""
    is_error: bool = False
    tokens: int = 0
    cost_micro: int = 0
    tainted: bool = False


def is_own_wait(wait_id: str) -> bool:
    """Whether nobody who could be asked answers it: time does, or a conversation's agent."""
    return wait_id.startswith((ASK, TIME))


def is_step_question(wait_id: str) -> bool:
    """Whether a step of a playbook asks people, and nothing else does."""
    return wait_id.startswith((HUMAN, ANSWER))
