"""What one turn comes to, step by step: the one reading of a thread's events that all dialects share. Pure.

A dialect makes frames of steps and never sees an event, so that all of them tell of the same text and the same calls.
"""

from __future__ import annotations

from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.core.waiting import waiting_words
from sulla.gateway.problems import Problem

SAID_NOTHING: Final = "(The agent has said nothing.)"
"""What stands in the place of an answer that has no words; in brackets, since they are not the model's."""


@dataclass(frozen=True, slots=True)
class StepBegun:
    """Somebody works on the message."""

    run_id: str
    agent: str
    handed: str = ""
    """Where another agent did before, what people are told of that."""


@dataclass(frozen=True, slots=True)
class Called:
    """A model begins to write a reply that people are to see."""

    message_id: str
    agent: str
    attempt: int
    """From 1; more if the one before came to nothing."""


@dataclass(frozen=True, slots=True)
class StepText:
    """A piece of a reply. The pieces of one message follow each other without holes, and make up its whole text."""

    message_id: str
    offset: int
    """How many code points come before it."""
    delta: str


@dataclass(frozen=True, slots=True)
class Thought:
    """A piece of the model's reasoning; there may be holes."""

    message_id: str
    offset: int
    delta: str


@dataclass(frozen=True, slots=True)
class StepSaid:
    """A reply is whole; all of its pieces came before."""

    message_id: str
    agent: str
    text: str
    cut: bool
    """Whether it was ended from outside."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A reply came to nothing; what was shown of it is void."""

    message_id: str
    shown: int
    """How many code points that were."""


@dataclass(frozen=True, slots=True)
class ToolBegun:
    """A tool is called."""

    call_id: str
    message_id: str
    """The reply that asked for it."""
    name: str
    args: JsonObject


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """What a call came to."""

    call_id: str
    name: str
    """Empty if the call began before what is told."""
    text: str
    is_error: bool
    failure: str
    """``human_rejected`` or ``denied`` if it was not made; else empty."""


@dataclass(frozen=True, slots=True)
class StepQuestion:
    """One question to people; see `gateway.commands.Question`."""

    id: str
    prompt: str
    call_id: str
    tool: str
    target: str
    choices: tuple[str, ...]
    expires_ms: int | None

    @property
    def kind(self) -> str:
        """The word that says how it can be answered: ``approval``, ``review``, ``human``, ``answer``."""
        return self.id.partition(":")[0]


@dataclass(frozen=True, slots=True)
class StepAsked:
    """The turn rests until people have answered."""

    asks: tuple[StepQuestion, ...]
    seq: int
    """Its number in the log."""


@dataclass(frozen=True, slots=True)
class StepWaits:
    """The turn waits before another attempt."""

    reason: str
    """A stable word (`core.waiting`)."""
    wait_s: float
    said: str = ""
    """What failed."""

    @property
    def words(self) -> str:
        """For what, and until when."""
        return waiting_words(self.reason, self.wait_s, self.said)


@dataclass(frozen=True, slots=True)
class ChildAsks:
    """A sub-agent of the turn waits for people. The answer is not given here, but where questions are answered."""

    words: str
    """Who asks what, and how it is answered."""


@dataclass(frozen=True, slots=True)
class StepSuggests:
    """What might be asked next."""

    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WentOn:
    """It goes on."""

    reason: str


@dataclass(frozen=True, slots=True)
class StepUsage:
    """The tokens that a turn took."""

    input_tokens: int = 0
    """All that was read, from a cache too."""
    cached_tokens: int = 0
    """Of these, read from a cache."""
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class StepEnded:
    """The turn is over: always the last step, and there is exactly one."""

    status: str
    """``done``, ``blocked``, ``failed``, ``cancelled``, or what else an outcome can say; ``joined`` if another turn
    took the message along."""
    reason: str
    seq: int
    """Its number in the log."""
    spent: StepUsage = StepUsage()
    problem: Problem | None = None
    """What went wrong, where something did: for dialects whose clients tell success from failure alone."""
    blocker: str = ""
    """What stands in the way, and what is needed, where it is ``blocked``."""
    response: str = ""
    """What the agent says for a result, if it does; it may never have been shown as text."""
    joined: str = ""
    """The turn that took the message along."""

    def unsaid(self, shown: str) -> str:
        """What of its outcome people have not read yet: a blocker's own words may be all that was said.

        Args:
            shown: what the turn has said.

        Returns:
            Empty if they have read all of it.
        """
        if self.blocker and " ".join(self.blocker.split()) not in " ".join(shown.split()):
            return self.blocker
        return "" if shown.strip() else self.response


Step = (
    StepBegun
    | Called
    | StepText
    | Thought
    | StepSaid
    | Dropped
    | ToolBegun
    | ToolEnded
    | StepAsked
    | StepWaits
    | ChildAsks
    | StepSuggests
    | WentOn
    | StepEnded
)
