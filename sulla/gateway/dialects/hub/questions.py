"""What waits for people in a conversation of the original desktop client. Pure."""

from __future__ import annotations

from sulla.core.dataclass import dataclass
from sulla.gateway.dialects.steps import StepAsked, StepQuestion


@dataclass(frozen=True, slots=True)
class HubQuestion:
    """A question that the client was shown."""

    thread_id: str
    """Where it is answered: the conversation's, or that of a playbook which was begun from it."""
    ask: StepQuestion
    seq: int
    """The number of the log where it is asked."""


class WaitingQuestions:
    """What waits for people in a conversation, and in the playbooks that were begun there."""

    def __init__(self) -> None:
        self.all: list[HubQuestion] = []
        """The one first that the client should answer next."""
        self.told = ""
        """The question that was put out last."""
        self.shown = ""
        """The question that the client acknowledged last: what it says is the answer to that, and to none that may have
        crossed it on the way."""
        self.looked = False
        """Whether it is known what waited for people when the client came."""

    def learn(self, thread_id: str, asked: StepAsked) -> None:
        """This waits for people."""
        fresh = [HubQuestion(thread_id, ask, asked.seq) for ask in asked.asks]
        ids = {question.ask.id for question in fresh}
        self.all = [*(question for question in self.all if question.ask.id not in ids), *fresh]
        self.all.sort(key=lambda question: question.ask.id != self.told)

    @property
    def answerable(self) -> HubQuestion | None:
        """The question that the client's next message is the answer to."""
        first = self.all[0] if self.all else None
        return first if first is not None and first.ask.id == self.shown else None

    def answered(self, question: HubQuestion) -> None:
        """It waits no more."""
        self.all = [other for other in self.all if other != question]

    def settle(self, thread_id: str) -> None:
        """Nothing waits for people there any more."""
        self.all = [other for other in self.all if other.thread_id != thread_id]
