"""What the assistant is doing while somebody speaks, as its thread tells. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.ids import MessageId
from sulla.speech.interruptions.barge import asks
from sulla.speech.service import Playing
from sulla.threads.log.codec import Entry
from sulla.threads.log.records import InputsJoined, RunStarted, TextMessageEnd
from sulla.threads.log.spoken import Heard
from sulla.threads.log.state import ThreadState

BARGED_IN: Final = "barged_in"
"""Why a run ended that somebody spoke over."""
GO_ON: Final = "go-on:"
"""What the ids of messages begin with that have the agent go on where it was cut off."""


@dataclass(frozen=True, slots=True)
class OngoingReply:
    """A moment of a thread."""

    busy: bool = False
    """Whether a run is open: it may begin to speak at any time."""
    making: MessageId | None = None
    """The reply that is being made."""
    cut: MessageId | None = None
    """The reply that was spoken over as it was made; nothing came after it."""
    playing: Playing | None = None
    """What the client plays, or played; None if that is not the newest word."""
    text: str | None = None
    """All of that; None as long as it is being made."""

    @property
    def speaking(self) -> bool:
        """Whether the person listens to something: it is made, or played."""
        return self.making is not None or self._unfinished

    @property
    def asking(self) -> bool:
        """Whether what the person hears puts a question to them."""
        playing, text = self.playing, self.text
        return playing is not None and text is not None and asks(text, playing.played_chars)

    @property
    def interrupted(self) -> MessageId | None:
        """The reply that words of just now are spoken over."""
        if self._unfinished and self.playing is not None:
            return self.playing.message_id
        return self.making or self.cut

    def heard(self, told: Playing | None) -> Heard | None:
        """How much of the assistant's words had been heard, for who says something now.

        Args:
            told: what the client said last of what it plays.

        Returns:
            None if nothing is interrupted, or nobody knows: clients that play say what they play.
        """
        reply = self.making or self.cut
        if told is None or (reply is None and not self._unfinished):
            return None
        if self.playing is not None:
            return Heard(self.playing.message_id, self.playing.played_chars)
        # It has not come to this one: it still plays, or has played, what came long before.
        return Heard(reply, 0) if reply is not None else None

    @property
    def _unfinished(self) -> bool:
        playing, text = self.playing, self.text
        return playing is not None and (text is None or playing.played_chars < len(text))


def ongoing_reply_of(state: ThreadState, newest: Iterable[Entry], told: Playing | None) -> OngoingReply:
    """What a thread is doing.

    Args:
        state: as its head says.
        newest: its last records, the newest first; not asked for where nothing is played.
        told: what the client said last of what it plays.
    """
    call = state.run.model.open_call if state.run is not None else None
    # What somebody else waits for is not ended by a sound.
    talks = state.identity.birth is None and not state.identity.graph
    making = call.message_id if talks and call is not None and call.purpose == "reply" else None
    barged, cut = state.inbox.barged, None
    if (
        barged is not None
        and state.run is None
        and state.newest.outcome.reason == BARGED_IN
        and not state.inbox.waiting
    ):
        cut = barged.message_id
    if told is None:
        return OngoingReply(state.run is not None, making, cut)
    if told.message_id == making:
        return OngoingReply(state.run is not None, making, cut, told)
    text = _text_of(told.message_id, newest)
    return OngoingReply(state.run is not None, making, cut, told if text is not None else None, text)


def _text_of(message_id: MessageId, newest: Iterable[Entry]) -> str | None:
    """The text of a message, if nobody has said anything since."""
    for entry in newest:
        match entry.fact:
            case TextMessageEnd(text=text, message_id=found) if found == message_id:
                return text
            case RunStarted(message_id=began) if not began.startswith(GO_ON):
                return None
            case InputsJoined():
                return None
            case _:
                pass
    return None
