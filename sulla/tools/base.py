"""What a tool is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import field
from pathlib import Path
from typing import Literal, Protocol

from sulla.core.clock import Clock
from sulla.core.control import Control
from sulla.core.dataclass import dataclass
from sulla.core.ids import CallId, RunId, ThreadId
from sulla.core.jsontypes import FrozenJson, Json
from sulla.core.message import Origin
from sulla.core.words import Author, Words
from sulla.tools.origins import AllTrusted, FileOrigins

Effect = Literal["pure", "idempotent", "once"]
"""What a repeat would do: nothing at all; nothing more (same key); harm. Undeclared means `once` (design §2)."""


Reach = Literal["inward", "outward"]
"""Where a call can take effect: on the workspace and the conversation alone; or beyond, by network writes, messages to
others, paths outside the workspace, a shell without a sandbox (design §9). Undeclared means `outward`."""


async def nobody_waits() -> str:
    """Nobody has to know when the work ends that goes on beside a call."""
    return ""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool's function is handed besides its arguments: the call, its run, and how to report progress."""

    thread_id: ThreadId
    run_id: RunId
    call_id: CallId
    idempotency_key: str
    """The same for every attempt at this call."""
    workspace: Path
    clock: Clock
    control: Control
    progress: Callable[[Json], None]
    by: Author
    """Whose words the arguments are: what the call writes down or passes on is trusted as little."""
    agent: str = ""
    """Who calls."""
    project: str = ""
    """What the thread is about; empty for nothing in particular."""
    unattended: bool = False
    """Whether nobody is there who asked for this work: a beat does it, or a schedule."""
    approved: str = ""
    """The question (`Tool.asks`) to which a person said yes before this call, word for word; empty if nobody did."""
    redact: Callable[[str], str] = str
    """Takes the daemon's secrets out of what is put away beside the result; the result is looked through later."""
    over: Callable[[], Awaitable[str]] = nobody_waits
    """To be called by what goes on beside the conversation (`Done.goes_on`) once it has ended, however it did. Gives
    what is to be told of the files that it has made, in a sentence; empty for nothing."""
    origins: FileOrigins = AllTrusted()
    """Says which files are from outside, to a tool that tells by itself what it has shown of them (`FileUse`)."""
    whole_bytes: int = 0
    """How many bytes of text a result may have for a caller that wants all of it: a playbook, which loses what is left
    out. 0 for a model, which is shown as much as is good for it and asks for more."""

    @property
    def tainted(self) -> bool:
        """Whether the caller has read what nobody trusts."""
        return self.by.tainted


@dataclass(frozen=True, slots=True)
class Done:
    """A call's result, as text for the model."""

    words: Words
    """Web, mail, MCP and other agents are `OUTSIDE` (design §9). What does not say is taken for the caller's own if the
    tool reaches inward, and else for somebody's outside (`call.run_call`)."""
    is_error: bool = False
    origin: Origin = "tool"
    passing: bool = False
    """For an error: what was in the way may be gone in a while, so the same call may succeed then."""
    retry_after_s: float | None = None
    """When, in seconds, where that is known."""
    refused: bool = False
    """For an error: the call cannot be made as it is, and time does not change that: a setting or a file is missing, an
    argument is wrong, an address is not allowed."""
    nothing_read: bool = False
    """Whether the tool has not looked at anything, e.g. because its arguments were wrong: then no mark of a file says
    anything of the text."""
    goes_on: bool = False
    """Whether something of the call goes on behind it, and calls `ToolContext.over` at its end."""
    data: FrozenJson | None = None
    """The same as values by name, which `Tool.gives` describes, for whoever reckons with it. `text` in it is the text
    without any remark on it. None where there is nothing but the text, and where no `ToolContext.whole_bytes` is set.
    """
    held: str = ""
    """By what a person is asked for what the call has changed, as long as nothing of that is in the workspace; empty
    where nothing waits."""
    cut: str = ""
    """What of the result was left out and what to do about that, as a sentence; empty for nothing. What a caller asked
    to be left out is not told."""

    @property
    def text(self) -> str:
        """The text alone."""
        return self.words.text

    @property
    def tainted(self) -> bool:
        """Whether the text is, or may repeat, what nobody trusts."""
        return self.words.tainted


@dataclass(frozen=True, slots=True)
class Waiting:
    """The call has no result yet: its run is suspended until an answer is offered under `wait_id`."""

    wait_id: str
    """``approval:<id>``, ``child:<id>``, ``answer:<run>:<step>:<n>``, ``review:<call>``; the same at every attempt."""
    prompt: str
    """What is waited for, for people."""
    also: tuple[str, ...] = ()
    """Other ids, any of which will do. A call that waits for children is made again when one of them has reported."""


Result = Done | Waiting


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """What becomes of a call that takes too long."""

    seconds: float
    said: str
    """What its result says then."""
    passing: bool = False
    """Whether it is one that may succeed in a while: see `Done.passing`."""


class ToolFunction(Protocol):
    """The work itself: arguments that have been checked against the schema in, a result out."""

    def __call__(self, args: FrozenJson, context: ToolContext) -> Awaitable[Result]:
        """Do it."""


ReachOf = Callable[[FrozenJson, ToolContext], Reach]
"""The reach of a call, where it depends on its arguments."""


AsksOf = Callable[[FrozenJson, ToolContext], str]
"""What a person has to be asked before a call, whatever else the policy says; empty for nothing. The question names all
that the answer is about (a digest where something may change), because a yes is good for this very question alone.
"""


HidesOf = Callable[[FrozenJson, ToolContext], Collection[str]]
"""Which arguments of a call no question about it shows, by name, such as what is typed into a password field."""


FileUse = Literal["none", "path", "told", "all"]
"""Which files of the workspace a call touches: none; what the argument `path` names, with what is in it, all of which a
result may show; the same, but the tool says by itself (`Done.words`, from `ToolContext.origins`) whether it has shown
anything that is from outside; or any."""

FilesOf = Callable[[FrozenJson, ToolContext], Path]
"""The file or folder that a call touches, where it is not in the workspace; a whole path."""


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that an agent can do. Holds no state."""

    name: str
    description: str
    schema: FrozenJson
    """JSON Schema of the arguments, an object."""
    run: ToolFunction
    effect: Effect = "once"
    category: str = "general"
    timeout_s: float = 60.0
    parallel: bool = True
    """Whether it may run beside other calls of the same reply."""
    rest: str = ""
    """How to get at the rest of a result that had to be cut; empty for a general remark."""
    reach: Reach | ReachOf = "outward"
    return_direct: bool = False
    """Whether a result ends the reply and is shown to the person as it stands."""
    takes_over: bool = False
    """Whether a result ends the turn so, whatever was called beside it: from then on something else is at work."""
    hands_over: bool = False
    """Whether a call gives the conversation to somebody else. Of several in a reply the first one alone is made, behind
    all other calls of the reply: it is judged by what those bring."""
    asks: AsksOf | None = None
    """What its calls have to be allowed for; None for nothing beside the policy."""
    hides: HidesOf | None = None
    """What of a call people are not shown where they are asked about it; a yes is good for the very arguments still."""
    addressed: bool = False
    """Whether a call goes to the server of its argument `url` and takes effect nowhere else."""
    quotes: bool = False
    """Whether a result holds nothing of the arguments, but only what lay elsewhere before it: a page, not an echo.
    An address in it may be read without a question, because nothing can be carried away in it."""
    missing: str = ""
    """What a home has to set before it can be used, for people; empty for nothing. No model is told of one that lacks
    something, and a call of it is refused with these words."""
    told: bool = True
    """Whether models are told of it; no for what is called in their place, or told in one part of a turn alone."""
    files: FileUse | FilesOf = "none"
    """What it reads and, unless it is `pure`, writes: what a tainted run wrote is tainted when it is read."""
    effect_of: Callable[[FrozenJson], Effect] | None = None
    """What a repeat of a call would do, where that depends on its arguments; `effect` is the worst that it can be."""
    gives: FrozenJson = field(default_factory=dict)
    """JSON Schema of each of the values in `Done.data`, by name, beside `text`."""
    remarks: bool = False
    """Whether its text for models says more than the `text` among its values: which lines these are, which status."""
    refuses: Callable[[FrozenJson], str] | None = None
    """Why a call would be refused in this home, as far as that can be said without making it; empty where it cannot."""
    sorts_failures: bool = False
    """Whether each of its failures is one that may pass (`Done.passing`) or one that time does not mend."""
    late: Callable[[FrozenJson], TimeLimit] | None = None
    """What ends a call by itself before its `timeout_s` does, by the arguments; None for nothing."""

    @property
    def limit(self) -> TimeLimit:
        """What becomes of a call that takes longer than `timeout_s`."""
        said = f"{self.name} was stopped after {self.timeout_s:g} s, its time limit."
        return TimeLimit(self.timeout_s, f"{said} What it had done by then stays done.")

    def limit_with(self, args: FrozenJson) -> TimeLimit:
        """The first of the limits that a call meets.

        Args:
            args: its arguments.
        """
        return self.late(args) if self.late is not None else self.limit


ToolSource = Callable[[], tuple[Tool, ...]]
"""Tools that come and go: those that there are at this moment, the same object as long as nothing has changed."""
