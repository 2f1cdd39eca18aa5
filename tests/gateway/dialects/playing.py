"""An agent that answers by a script, for tests of dialects."""

from __future__ import annotations

from collections.abc import Callable

from sulla.gateway.commands import Verdict, WaitingThread
from sulla.gateway.wire import QuestionRow, TurnSend, TurnSent
from tests.doubles.commands import MemoryCommands

SPENT = {"input_tokens": 10, "cache_read_tokens": 5, "output_tokens": 3}


class Run:
    """One turn, played into its thread's log."""

    def __init__(self, commands: MemoryCommands, thread_id: str, run_id: str) -> None:
        self.commands = commands
        self.thread_id = thread_id
        self.run_id = run_id
        self._messages = 0

    def add(self, type_: str, **data: object) -> int:
        """Something is kept; its number."""
        return self.commands.add(self.thread_id, type_, self.run_id, **data).seq or 0

    def show(self, type_: str, **data: object) -> None:
        """Something is shown live."""
        self.commands.show(self.thread_id, type_, self.run_id, **data)

    def begin(self) -> str:
        """The model begins to write; the message's id."""
        self._messages += 1
        message_id = f"msg_{self.run_id}_{self._messages}"
        self.add("MODEL_STARTED", message_id=message_id)
        return message_id

    def say(self, *pieces: str) -> None:
        """A whole reply, piece by piece."""
        message_id, offset = self.begin(), 0
        for piece in pieces:
            self.show("TEXT_MESSAGE_CONTENT", message_id=message_id, offset=offset, delta=piece)
            offset += len(piece)
        self.add("TEXT_MESSAGE_END", message_id=message_id, text="".join(pieces))

    def call(self, name: str, result: str, call_id: str = "call_1") -> None:
        """A tool's call, and what it came to."""
        self.add("TOOL_CALL_START", call_id=call_id, name=name, args={"at": "home"}, message_id="msg")
        self.add("TOOL_CALL_RESULT", call_id=call_id, text=result)

    def ask(self, wait_id: str = "approval:call_1", prompt: str = "May I post this?", **more: object) -> None:
        """It waits for people."""
        wait = {"wait_id": wait_id, "call_id": "call_1", "prompt": prompt, "tool": "post", **more}
        self.add("SUSPENDED", waits=[wait])
        question = QuestionRow(self.thread_id, self.run_id, wait_id, prompt, tool="post")
        self.commands.questions.append(WaitingThread(self.thread_id, (question,)))

    def go_on(self, wait_id: str) -> None:
        """Somebody has answered."""
        self.commands.questions.clear()
        self.add("RESUMED", reason="answered", wait_id=wait_id)

    def finish(self, status: str = "done", **outcome: object) -> None:
        """Its end."""
        self.add("RUN_FINISHED", outcome={"status": status, **outcome}, usage=SPENT)

    def fail(self, code: str, message: str, *, retryable: bool = False) -> None:
        """Its end in failure."""
        self.add("RUN_ERROR", code=code, message=message, retryable=retryable, outcome={"status": "failed"})


Turn = Callable[[Run], None]


def says(*pieces: str) -> Turn:
    """A turn that says something and is done."""

    def play(run: Run) -> None:
        run.say(*pieces)
        run.finish()

    return play


class Played(MemoryCommands):
    """A daemon whose agent answers each new message by the next turn, and each answer with the next one too.

    Attributes:
        turns: those that are still to be played; a message for which there is none waits.
        runs: those that were begun.
    """

    def __init__(self, *turns: Turn) -> None:
        super().__init__()
        self.turns = [*turns]
        self.runs: list[Run] = []

    @property
    def sent(self) -> list[TurnSend]:
        """What was said to agents, in order; nothing twice."""
        found = [call[1] for call in self.calls if call[0] == "send" and isinstance(call[1], TurnSend)]
        return [*{(sent.thread_id, sent.message_id): sent for sent in found}.values()]

    @property
    def texts(self) -> list[str]:
        """The words of each of that."""
        return [sent.text for sent in self.sent]

    @property
    def quoted(self) -> list[str]:
        """What was passed on with each of that."""
        return [sent.quoted for sent in self.sent]

    @property
    def threads(self) -> list[str]:
        """Where each of that was said."""
        return [sent.thread_id for sent in self.sent]

    async def send(self, message: TurnSend, caller: str) -> TurnSent:
        """Keep a message, and answer it."""
        sent = await super().send(message, caller)
        if all(run.run_id != sent.run_id for run in self.runs):
            self.runs.append(Run(self, message.thread_id, sent.run_id))
            self.runs[-1].add("RUN_STARTED")
            self._play(self.runs[-1])
        return sent

    async def answer(
        self, thread_id: str, question: str, verdict: Verdict, text: str, by: str = "", for_s: int = 0
    ) -> int:
        """Keep an answer, and go on."""
        seq = await super().answer(thread_id, question, verdict, text, by)
        run = next(run for run in reversed(self.runs) if run.thread_id == thread_id)
        run.go_on(question)
        self._play(run)
        return seq

    def _play(self, run: Run) -> None:
        if self.turns:
            self.turns.pop(0)(run)
