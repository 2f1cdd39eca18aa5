"""The messages of a thread as a model sees them, with running sums of their sizes. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence

from sulla.core.ids import CallId, MessageId
from sulla.core.message import Message, Text, ToolCall, ToolResult

Measure = Callable[[Message], int]
"""How many tokens a message takes up, roughly; always the same for the same message."""


class Transcript:
    """The newest messages, oldest first. Adding one costs the same however many there are; it is measured once, when
    somebody asks for sizes.

    Args:
        measure: the size of a message in tokens.
    """

    __slots__ = ("_base", "_corrected", "_measure", "_messages", "_sums", "shortened", "unanswered")

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._messages: list[Message] = []
        self._sums: list[int] = []
        self.unanswered: dict[CallId, ToolCall] = {}
        """Tool calls that have no result yet, in the model's order."""
        self.shortened = False
        """Whether messages were left out that no summary covers."""
        self._base = 0  # what was trimmed from the front; keeps the sums monotonic without rewriting them
        self._corrected = 0  # how many of the oldest have their size from `correct`

    def __len__(self) -> int:
        return len(self._messages)

    def __iter__(self) -> Iterator[Message]:
        return iter(self._messages)

    def __getitem__(self, index: int) -> Message:
        return self._messages[index]

    def __reversed__(self) -> Iterator[Message]:
        return reversed(self._messages)

    def empty(self) -> Transcript:
        """A new one that measures the same way."""
        return Transcript(self._measure)

    @property
    def tokens(self) -> int:
        """The size of all messages."""
        return self._total() - self._base

    def push(self, message: Message) -> None:
        """Add a message at the end; one without parts says nothing and is left out."""
        if not message.parts:
            return
        for call in message.calls if message.role == "assistant" else ():
            self.unanswered[call.id] = call
        self._messages.append(message)

    def replace_last(self, message: Message) -> None:
        """Put `message` in the place of the newest one."""
        self._messages.pop()
        self._unmeasure(len(self._messages))
        self.push(message)

    def replace(self, index: int, message: Message) -> None:
        """Put `message`, which says the same in fewer words, in the place of another one; without parts, nothing."""
        self._messages[index : index + 1] = [message] if message.parts else []
        self._unmeasure(index)

    def size(self, index: int) -> int:
        """The size of one message."""
        self._total()
        return self._sums[index] - (self._sums[index - 1] if index else self._base)

    def measure_text(self, text: str) -> int:
        """The size of a text, measured like messages."""
        return self._measure(Message(MessageId(""), "tool", (Text(text),)))

    def add_result(self, message_id: MessageId, result: ToolResult, calls: tuple[ToolCall, ...]) -> None:
        """Add a tool's result, whenever it arrives, at its place in the model's order.

        Args:
            message_id: the id of the message that collects the results of one reply.
            result: the result.
            calls: the calls of that reply, in the model's order.
        """
        self.unanswered.pop(result.call_id, None)
        order = {call.id: place for place, call in enumerate(calls)}
        last = self._messages[-1] if self._messages else None
        if last is None or last.id != message_id:
            self.push(Message(message_id, "tool", (result,)))
            return
        parts = (*last.parts, result)
        placed = sorted(
            parts, key=lambda part: order.get(part.call_id, len(order)) if isinstance(part, ToolResult) else -1
        )
        self.replace_last(Message(message_id, "tool", tuple(placed)))

    def window(self, ceiling_tokens: int) -> int:
        """Where the newest contiguous messages that fit begin.

        A tool's result never stands at the beginning, because the call it belongs to would be missing.

        Args:
            ceiling_tokens: how much may be kept.

        Returns:
            An index into the transcript; its length if not even the newest message fits.
        """
        total = self._total()
        start = bisect_left(self._sums, total - ceiling_tokens)
        # sums[i] is the size up to and including i, so what begins behind i weighs total - sums[i].
        start = 0 if total - self._base <= ceiling_tokens else start + 1
        while start < len(self._messages) and self._messages[start].role == "tool":
            start += 1
        return start

    def fit(self, ceiling_tokens: int, question: MessageId | None = None) -> int:
        """Forget what a model will not be shown any more, the oldest first.

        It is done in steps: once over the ceiling, a tenth below it. So the conversation keeps its beginning over many
        turns, and a provider's prompt cache with it.

        Args:
            ceiling_tokens: how much may be kept.
            question: a message that is not forgotten, nor what follows it.

        Returns:
            How many messages were forgotten.
        """
        if self.tokens <= ceiling_tokens:
            return 0
        start = self.window(ceiling_tokens - ceiling_tokens // 10)
        # The newest message stays, whatever it weighs: whoever asks has to be answered, or refused by name. A tool's
        # results keep the reply that asked for them.
        start = min(start, self._newest_reply(), self._place(question, len(self._messages)))
        self.shortened |= start > 0
        self.trim(start)
        return start

    def thin(self, ceiling_tokens: int, note: Message, question: MessageId | None = None) -> int:
        """Forget steps behind a question, the oldest first, but no person's message and not the newest reply.

        Args:
            ceiling_tokens: how much may be kept; as with `fit` it goes a tenth below.
            note: takes the place of what was forgotten.
            question: the message that the steps follow; the first one if it is not here.

        Returns:
            How many messages were forgotten.
        """
        first, last = self._place(question, -1) + 1, self._newest_reply()
        excess = self.tokens - (ceiling_tokens - ceiling_tokens // 10)
        gone: set[int] = set()
        for index in range(first, last):
            message = self._messages[index]
            if excess <= 0 and message.role != "tool":  # a reply goes with all its results
                break
            if message.role != "user" or message.hidden:
                gone.add(index)
                excess -= self.size(index)
        if gone:
            start = min(gone)
            kept = [message for index, message in enumerate(self._messages) if index not in gone]
            self._messages = [*kept[:start], note, *kept[start:]]
            self.shortened = True
            self._unmeasure(start)
        return len(gone)

    @property
    def asked(self) -> Message:
        """The newest message but for notes of the daemon and of packages; there is one."""
        return next(message for message in reversed(self._messages) if message.role != "user" or not message.hidden)

    def words_of(self, message_id: str) -> str:
        """What is said in a message of somebody's, without what the daemon put beside it; empty where it is not there.

        Args:
            message_id: the message.
        """
        found = next((message for message in reversed(self._messages) if message.id == message_id), None)
        said = found.parts[0] if found is not None and found.parts else None
        return said.text if isinstance(said, Text) else ""

    def since(self, start: int) -> list[Message]:
        """The messages from an index on."""
        return self._messages[start:]

    def trim(self, start: int) -> None:
        """Forget the messages before an index."""
        if start <= 0:
            return
        self._total()
        self._base = self._sums[start - 1]
        del self._messages[:start]
        del self._sums[:start]
        self._corrected = max(0, self._corrected - start)

    def forget_before(self, message_id: MessageId, question: MessageId | None = None) -> None:
        """Forget the messages before one, except the one that is being worked on; all stay if it is not here."""
        if self._messages and self._messages[0].id == message_id:
            return  # as a rule they have been forgotten already
        start, asked = self._place(message_id, 0), self._place(question, -1)
        kept = self._messages[asked] if 0 <= asked < start else None
        self.trim(start)
        if kept is not None:
            self._messages.insert(0, kept)
            self._unmeasure(0)

    @property
    def corrected(self) -> bool:
        """Whether the size of any message is from `correct`."""
        return self._corrected > 0

    @property
    def uncorrected(self) -> Sequence[Message]:
        """The messages whose size is only measured, oldest first."""
        return self._messages[self._corrected :]

    def correct(self, sizes: Sequence[int]) -> None:
        """Put better sizes in the place of the measured ones.

        Args:
            sizes: in tokens, for the first so many of `uncorrected`.
        """
        # What follows is measured anew when somebody asks: it is what came while the sizes were counted, if anything.
        del self._sums[self._corrected :]
        total = self._sums[-1] if self._sums else self._base
        for size in sizes:
            total += size
            self._sums.append(total)
        self._corrected += len(sizes)

    def _total(self) -> int:
        """The sum of all sizes and of what was trimmed, with what has not been measured yet."""
        total = self._sums[-1] if self._sums else self._base
        for message in self._messages[len(self._sums) :]:
            total += self._measure(message)
            self._sums.append(total)
        return total

    def _unmeasure(self, start: int) -> None:
        """The sizes from an index on are not known any more."""
        del self._sums[start:]
        self._corrected = min(self._corrected, start)

    def _newest_reply(self) -> int:
        """Where the newest message stands, with the reply that it belongs to if it holds results."""
        index = len(self._messages) - 1
        while index > 0 and self._messages[index].role == "tool":
            index -= 1
        return index

    def _place(self, message_id: MessageId | None, default: int) -> int:
        if not message_id:
            return default
        for index in range(len(self._messages) - 1, -1, -1):
            if self._messages[index].id == message_id:
                return index
        return default
