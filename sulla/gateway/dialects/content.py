"""The text of a turn, for clients that are shown nothing else. Pure."""

from __future__ import annotations

from sulla.gateway.dialects.questions import closed, question_words
from sulla.gateway.dialects.steps import (
    SAID_NOTHING,
    Dropped,
    Step,
    StepAsked,
    StepBegun,
    StepEnded,
    StepQuestion,
    StepText,
)

AGAIN = "(The answer broke off here, and begins again.)"
"""What stands behind words that are void: nobody can take them back from this client."""
_BETWEEN = "\n\n"


class ShownText:
    """Puts the text of a turn together, as the client is shown it.

    Args:
        may_answer: whether the client's token allows it to answer questions.
        agent: who is expected to speak.
        whole: whether the client is shown nothing before the end: what is void by then is left out.
    """

    def __init__(self, *, may_answer: bool, agent: str = "", whole: bool = False) -> None:
        self._whole = whole
        self._began = 0
        """How many pieces came before the message that is being shown."""
        self._may_answer = may_answer
        self.agent = agent
        """Who speaks."""
        self._pieces: list[str] = []
        self._message = ""
        self._void = False
        """Whether the last words that were shown are void."""
        self.asked: tuple[StepQuestion, int] | None = None
        """The question that it ends with, and its number in the log."""
        self.ended: StepEnded | None = None
        """How the turn ended."""

    @property
    def text(self) -> str:
        """All that was shown."""
        return "".join(self._pieces)

    def take(self, step: Step) -> str:
        """What a step adds."""
        match step:
            case StepBegun(_, agent):
                self.agent = agent
                return ""
            case StepText(message_id, _, delta):
                fresh, again = message_id != self._message, self._void
                self._message, self._void = message_id, False
                self._began = len(self._pieces) if fresh else self._began
                return self._add(f"{AGAIN}{_BETWEEN}{delta}" if again else delta, apart=fresh)
            case Dropped(message_id, shown) if shown:
                if self._whole and message_id == self._message:
                    del self._pieces[self._began :]
                self._message, self._void = "", not self._whole
                return ""
            case StepAsked(asks, seq):
                self.asked = asks[0], seq
                words = question_words(asks[0], may_answer=self._may_answer)
                return self._add(closed(self.text) + words, apart=True)
            case StepEnded():
                self.ended = step
                return self._last_words(step)
            case _:
                return ""

    def _last_words(self, ended: StepEnded) -> str:
        """What was said nowhere else: nobody is left with an empty answer."""
        if ended.problem is not None:
            return ""
        if ended.status == "joined":
            return self._add("(This message was taken up by the turn that was going on.)", apart=True)
        unsaid = ended.unsaid(self.text) or ("" if self._pieces else SAID_NOTHING)
        return self._add(unsaid, apart=True) if unsaid else ""

    def _add(self, text: str, *, apart: bool) -> str:
        piece = _BETWEEN + text if apart and self._pieces else text
        self._pieces.append(piece)
        return piece
