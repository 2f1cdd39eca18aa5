"""What the gateway asks of the daemon, and the values that go with it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Literal, NamedTuple, Protocol

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.gateway.bookmarks import Bookmarks
from sulla.gateway.wire import QuestionRow, ThreadRow, TurnSend, TurnSent
from sulla.rpc.method import Needs

Mode = Literal["queue", "steer", "interrupt"]
"""What a message does to a running turn (design §4.2)."""


class Event(NamedTuple):
    """Something that happened to a thread: durable if it has a number, else only shown live. A tuple, because one is
    made for every token.
    """

    thread_id: str
    seq: int | None
    """Its number in the thread's log; None for what is shown live and not kept."""
    run_id: str | None
    parent_run_id: str | None
    agent: str
    depth: int
    type: str
    at_ms: int
    """UTC, milliseconds since 1970."""
    data: JsonObject


Verdict = Literal["result", "run_again", "give_up", "approve", "reject", "always"]
"""An answer: `result` says what it came to; the next two are for a call of which nobody knows whether it took effect;
the others for one that was not made yet, where `always` allows its like from now on too."""


@dataclass(frozen=True, slots=True)
class WaitingThread:
    """A thread with a suspended run."""

    thread_id: str
    questions: tuple[QuestionRow, ...]


@dataclass(frozen=True, slots=True)
class Advanced:
    """The log has reached this number."""

    seq: int
    events: Sequence[Event] = ()
    """Its last ones up to that number, in order and without a hole, if they are at hand."""


@dataclass(frozen=True, slots=True)
class Live:
    """Something that is shown and not kept.

    The text types (``feed.TEXT``, ``feed.REASONING``) carry in their data ``message_id``, ``offset`` (how many code
    points of visible text come before) and ``delta``.
    """

    event: Event


@dataclass(frozen=True, slots=True)
class Over:
    """Nothing more will be heard: listen again."""


Signal = Advanced | Live | Over
"""What is heard of a thread while one listens. Anything may be lost, doubled or late."""

Hear = Callable[[Signal], None]
"""Takes a signal in the step of whoever brings it, once for each token: must return at once, and never raises."""


class Commands(Protocol):
    """What clients can have done. Kept by the daemon.

    Every method may raise any ``SullaError``; the gateway hands it to the client as it is.
    """

    @property
    def services(self) -> Mapping[str, object]:
        """Who does the methods of each capability, by its name."""

    def check_ready(self, needs: Needs) -> None:
        """Do nothing if what a method needs is so.

        Raises:
            ShuttingDown: the daemon is stopping, and new work is needed.
            StoreUnavailable: the store does not answer.
            StoreReplaced: it is not what it was.
        """

    @property
    def bookmarks(self) -> Bookmarks:
        """Where clients that remember nothing were."""

    async def create_thread(
        self, agent: str | None, title: str, project: str | None, request_id: str | None, channel: str = ""
    ) -> str:
        """Make a thread.

        Args:
            agent: who answers in it; None for the default agent.
            title: shown in lists; may be empty.
            project: what it belongs to, or None.
            request_id: the same one gives the same thread.
            channel: the client's that it is begun on; empty for none.

        Returns:
            The thread's id.
        """

    async def list_threads(self, after: str | None, limit: int) -> Sequence[ThreadRow]:
        """Threads ordered by id, at most `limit`, those behind `after` only."""

    async def get_thread(self, thread_id: str) -> ThreadRow:
        """One row of `list_threads`.

        Raises:
            NotFound: there is no such thread.
        """

    async def last_seq(self, thread_id: str) -> int:
        """The number of the log's last event.

        Raises:
            NotFound: there is no such thread.
        """

    async def history(self, thread_id: str, after: int, before: int | None, limit: int) -> Sequence[Event]:
        """Durable events with ``after < seq < before``, lowest first, at most `limit`.

        Raises:
            NotFound: there is no such thread.
        """

    async def delete_thread(self, thread_id: str) -> None:
        """Remove a thread with all it holds.

        Raises:
            NotFound: there is no such thread.
            Busy: a turn is running in it.
        """

    async def send(self, message: TurnSend, caller: str) -> TurnSent:
        """Keep a message; when this returns, it will be answered or visibly fail.

        The same `message_id` with the same content gives the same answer, also after a restart and however fast it
        comes.

        Args:
            message: what is said, and where.
            caller: the name of the token that it came with, never the token itself.

        Raises:
            NotFound: there is no such thread, or no such agent.
            RateLimited: messages come too fast; the error says when this one would be taken.
            MessageIdReused: `message_id` came before with other content.
            QueueFull: too many messages wait.
        """

    async def stop(self, thread_id: str, request_id: str | None, *, drop: bool = False) -> int:
        """End the running turn and hold what waits, or drop it; returns the request's number in the log.

        Raises:
            NotFound: there is no such thread.
        """

    async def resume_turns(self, thread_id: str, request_id: str | None) -> int:
        """Let held messages go on; returns the request's number in the log.

        Raises:
            NotFound: there is no such thread.
        """

    async def list_questions(self, after: str | None, limit: int) -> Sequence[WaitingThread]:
        """Threads whose run waits for an answer, by id, at most `limit`, those behind `after` only."""

    async def questions_of(self, thread_id: str) -> Sequence[QuestionRow]:
        """What the thread's run waits to be told by people, if it does.

        Raises:
            NotFound: there is no such thread.
        """

    async def must_not_wait(self, thread_id: str, text: str) -> bool:
        """Whether a person's message would be taken up at once, also while the thread's run waits for an answer: its
        question is then withdrawn.

        Args:
            thread_id: where it would be said.
            text: the person's own words.

        Raises:
            NotFound: there is no such thread.
        """

    async def answer(
        self, thread_id: str, question: str, verdict: Verdict, text: str, by: str = "", for_s: int = 0
    ) -> int:
        """Answer a question, under the name of a token; the first answer wins. Returns its number in the log. `for_s`
        is for how long `always` is good, in seconds; 0 for as long as usual.

        Raises:
            NotFound: there is no such thread.
            AlreadyAnswered: another answer came first.
        """

    async def open_children(self, thread_id: str) -> Sequence[str]:
        """The threads of the sub-agents that the thread has set to work and that have not reported.

        Raises:
            NotFound: there is no such thread.
        """

    async def works_for(self, thread_id: str) -> str:
        """The thread that has set this one to work; empty for one that nobody has.

        Raises:
            NotFound: there is no such thread.
        """

    def listen(self, thread_id: str, hear: Hear) -> AbstractAsyncContextManager[None]:
        """Hear of a thread for as long as the block lasts; listening has begun when the block is entered."""

    async def ask_text(self, thread_id: str) -> None:
        """Ask whoever runs the thread's turn to say the text so far of the open message again, as `Live` from offset 0.

        Returns at once; with nobody running, nothing comes.
        """
