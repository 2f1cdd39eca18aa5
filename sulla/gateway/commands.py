"""What the gateway asks of the daemon, and the values that go with it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from sulla.core.jsontypes import JsonObject
from sulla.gateway.bookmarks import Bookmarks
from sulla.gateway.infos import AgentInfo, ProjectInfo, ProjectText, SeenInfo, SkillInfos, ToolInfo
from sulla.heartbeat import BeatOffice
from sulla.people import Notices, People
from sulla.schedule import ScheduleOffice
from sulla.speech import SpeechOffice
from sulla.work import SwitchOffice
from sulla.workflow import PlaybookOffice

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


@dataclass(frozen=True, slots=True)
class ThreadInfo:
    """One row of a list of threads."""

    thread_id: str
    title: str
    agent: str
    status: str
    last_seq: int
    created_ms: int
    waiting: int
    """How many messages wait for their turn."""
    channel: str = ""
    """The client's channel that it was begun on; empty for none (seed 004 `wsChannel`)."""
    model: str = ""
    """Which model the newest turn is for, or was; empty before the first (seed 004 `llmModel`)."""
    noticed: tuple[str, ...] = ()
    """What the newest message was found to have, e.g. ``injection``, ``sanitized`` (seed 004 `inputHandler`)."""
    loops: int = 0
    """How often the agent went on by itself in the newest turn, after it had said that it was not done."""


Verdict = Literal["result", "run_again", "give_up", "approve", "reject", "always"]
"""An answer: `result` says what it came to; the next two are for a call of which nobody knows whether it took effect;
the others for one that was not made yet, where `always` allows its like from now on too."""


@dataclass(frozen=True, slots=True)
class Question:
    """Something that a suspended run waits to be told."""

    thread_id: str
    run_id: str
    id: str
    prompt: str
    expires_ms: int | None = None
    """When no answer means no, UTC milliseconds; None for never."""
    tool: str = ""
    target: str = ""
    """What `always` would allow; empty where it allows no more than the call."""
    choices: tuple[str, ...] = ()
    """What the answer has to be one of; empty where it does not."""


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """Calls that need no question for a while."""

    id: str
    agent: str
    tool: str
    target: str
    created_ms: int
    expires_ms: int


@dataclass(frozen=True, slots=True)
class WaitingThread:
    """A thread with a suspended run."""

    thread_id: str
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Sent:
    """A message that is kept: from here on its run survives anything."""

    run_id: str
    seq: int


@dataclass(frozen=True, slots=True)
class Advanced:
    """The log has reached this number."""

    seq: int


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
    """What clients can have done. Kept by the daemon; ``sulla.testing.commands.MemoryCommands`` is the double.

    Every method may raise any ``SullaError``; the gateway hands it to the client as it is.
    """

    @property
    def schedules(self) -> ScheduleOffice:
        """Who does what is about schedules."""
        ...

    @property
    def beats(self) -> BeatOffice:
        """Who does what is about heartbeats."""
        ...

    @property
    def playbooks(self) -> PlaybookOffice:
        """Who does what is about playbooks and their runs."""
        ...

    @property
    def speech(self) -> SpeechOffice:
        """Who does what is about speech."""
        ...

    @property
    def bookmarks(self) -> Bookmarks:
        """Where clients that remember nothing were."""
        ...

    @property
    def people(self) -> People:
        """Who is told how people are."""
        ...

    @property
    def notices(self) -> Notices:
        """What people are told."""
        ...

    @property
    def switch(self) -> SwitchOffice:
        """Who has all work stand still, or go on."""
        ...

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
        ...

    async def list_threads(self, after: str | None, limit: int) -> Sequence[ThreadInfo]:
        """Threads ordered by id, at most `limit`, those behind `after` only."""
        ...

    async def get_thread(self, thread_id: str) -> ThreadInfo:
        """One row of `list_threads`.

        Raises:
            NotFound: there is no such thread.
        """
        ...

    async def last_seq(self, thread_id: str) -> int:
        """The number of the log's last event.

        Raises:
            NotFound: there is no such thread.
        """
        ...

    async def history(self, thread_id: str, after: int, before: int | None, limit: int) -> Sequence[Event]:
        """Durable events with ``after < seq < before``, lowest first, at most `limit`.

        Raises:
            NotFound: there is no such thread.
        """
        ...

    async def delete_thread(self, thread_id: str) -> None:
        """Remove a thread with all it holds.

        Raises:
            NotFound: there is no such thread.
            Busy: a turn is running in it.
        """
        ...

    async def send(
        self, thread_id: str, message_id: str, text: str, mode: Mode, agent: str | None, caller: str
    ) -> Sent:
        """Keep a person's message; when this returns, it will be answered or visibly fail.

        The same `message_id` with the same content gives the same answer, also after a restart and however fast it
        comes.

        Args:
            thread_id: where it goes.
            message_id: the client's own.
            text: what the person says.
            mode: what it does to a running turn.
            agent: who should answer; None for the thread's agent.
            caller: the name of the token that it came with, never the token itself.

        Raises:
            NotFound: there is no such thread, or no such agent.
            RateLimited: messages come too fast; the error says when this one would be taken.
            MessageIdReused: `message_id` came before with other content.
            QueueFull: too many messages wait.
        """
        ...

    async def stop(self, thread_id: str, request_id: str | None) -> int:
        """End the running turn and hold what waits; returns the request's number in the log.

        Raises:
            NotFound: there is no such thread.
        """
        ...

    async def resume_turns(self, thread_id: str, request_id: str | None) -> int:
        """Let held messages go on; returns the request's number in the log.

        Raises:
            NotFound: there is no such thread.
        """
        ...

    async def list_questions(self, after: str | None, limit: int) -> Sequence[WaitingThread]:
        """Threads whose run waits for an answer, by id, at most `limit`, those behind `after` only."""
        ...

    async def questions_of(self, thread_id: str) -> Sequence[Question]:
        """What the thread's run waits to be told by people, if it does.

        Raises:
            NotFound: there is no such thread.
        """
        ...

    async def answer(self, thread_id: str, question: str, verdict: Verdict, text: str) -> int:
        """Answer a question; the first answer wins. Returns the answer's number in the log.

        Raises:
            NotFound: there is no such thread.
            AlreadyAnswered: another answer came first.
        """
        ...

    async def list_projects(self) -> Sequence[ProjectInfo]:
        """All projects, by name."""
        ...

    async def get_project(self, name: str) -> ProjectText:
        """One project.

        Raises:
            NotFound: there is none of that name.
        """
        ...

    async def list_rules(self) -> Sequence[RuleInfo]:
        """What is allowed until further notice, the oldest first."""
        ...

    async def forget_rule(self, rule: str) -> None:
        """Have people asked again.

        Raises:
            NotFound: there is no such rule.
        """
        ...

    async def list_agents(self) -> Sequence[AgentInfo]:
        """Everybody who can answer, the default agent first."""
        ...

    async def list_tools(self) -> Sequence[ToolInfo]:
        """Everything that some agent can use, by name."""
        ...

    async def list_skills(self) -> SkillInfos:
        """The skills that there are now, by name."""
        ...

    async def report_environment(self, thread_id: str, seen: Sequence[SeenInfo], caller: str) -> int:
        """Take what a person looks at, for the turns of a thread within the next minutes. It may get lost.

        Args:
            thread_id: where they talk.
            seen: what they look at.
            caller: the name of the token that it came with, never the token itself.

        Returns:
            How much of it is known now.

        Raises:
            NotFound: there is no such thread.
            RateLimited: reports come too fast; the error says when this one would be taken.
        """
        ...

    async def status(self) -> JsonObject:
        """How the daemon is, for people."""
        ...

    async def check(self) -> JsonObject:
        """Look at everything that is kept, and say what cannot be read.

        Raises:
            Busy: somebody else's look is going on.
        """
        ...

    def listen(self, thread_id: str, hear: Hear) -> AbstractAsyncContextManager[None]:
        """Hear of a thread for as long as the block lasts; listening has begun when the block is entered."""
        ...

    async def ask_text(self, thread_id: str) -> None:
        """Ask whoever runs the thread's turn to say the text so far of the open message again, as `Live` from offset 0.

        Returns at once; with nobody running, nothing comes.
        """
        ...
