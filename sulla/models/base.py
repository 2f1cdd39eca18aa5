"""The promise that every language model's service keeps. Pure."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import field
from typing import Final, Literal, Protocol, runtime_checkable

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import FrozenJson
from sulla.core.message import Message
from sulla.core.words import Words

Stop = Literal["end", "tool_calls", "max_tokens", "refused"]
"""Why a reply ended: by itself, to use tools, at the token limit, or because the service declined."""


@dataclass(frozen=True, slots=True)
class PromptSection:
    """A piece of the system prompt. Stable ones come first, so that a provider's cache can hit."""

    name: str
    words: Words
    """Of the daemon or its owner: what others say stands in no system prompt (`daemon.runtimes.sections_of`)."""
    stable: bool = True

    @property
    def text(self) -> str:
        """The text alone."""
        return self.words.text


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What a model is told of a tool."""

    name: str
    description: str
    schema: FrozenJson
    """JSON Schema of the arguments, an object."""
    native: FrozenJson | None = None
    """The service's own form of a tool that it runs itself, sent as it is; None for a tool of ours."""


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of one call, as the provider counts them."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    @property
    def total(self) -> int:
        """Every token that was read or written, cached or not."""
        return self.input_tokens + self.output_tokens + self.cache_read_tokens + self.cache_write_tokens


@dataclass(frozen=True, slots=True)
class Tuning:
    """How a model is to reply; None for what it does by itself."""

    temperature: float | None = None
    """How freely it chooses its words: from 0, for the likeliest ones, to 2."""
    thinking: bool | None = None
    """Whether it thinks before it answers."""


UNTUNED: Final = Tuning()


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """All that one model call depends on."""

    model: str
    system: tuple[PromptSection, ...]
    messages: Sequence[Message]
    tools: tuple[ToolSpec, ...] = ()
    max_tokens: int = 8192
    timeout_s: float = 600.0
    """How long the whole reply may take."""
    force: str = ""
    """The tool that the reply has to call; empty for the model's own choice. Not every service holds its model to it:
    whoever asks looks at what was called."""
    tuning: Tuning = UNTUNED
    certain: bool = False
    """Whether no other model may answer in this one's place."""

    @property
    def native(self) -> bool:
        """Whether the service may use tools of its own meanwhile, so that the reply may repeat what they found."""
        return any(tool.native is not None for tool in self.tools)

    @property
    def forced(self) -> ToolSpec | None:
        """The tool that `force` names; None for the model's own choice.

        Raises:
            InvalidInput: no tool of that name is offered.
        """
        if not self.force:
            return None
        for tool in self.tools:
            if tool.name == self.force:
                return tool
        names = ", ".join(tool.name for tool in self.tools) or "none"
        raise InvalidInput(
            f"the model {self.model!r} cannot be made to call {self.force!r}: the tools that it is offered are {names}"
        )


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More of the reply's text; what arrives together is one delta."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """More of the reply's reasoning; what arrives together is one delta."""

    text: str


@dataclass(frozen=True, slots=True)
class StandIn:
    """Another provider answered instead of the one that was asked: which, and why."""

    provider: str
    model: str
    instead_of: str
    """The provider that was asked."""
    reason: str
    """Why it did not answer, in one word: `fallback.Reason`."""
    detail: str
    """The same in its own words, for a person."""


@dataclass(frozen=True, slots=True)
class Completed:
    """The whole reply: always the last thing of a stream, exactly once."""

    message: Message
    """Role assistant; its text is as the model wrote it, wrappers included."""
    usage: TokenUsage = field(default_factory=TokenUsage)
    stop: Stop = "end"
    stand_in: StandIn | None = None
    """Set where another provider than the chosen one answered."""


Delta = TextDelta | ReasoningDelta | Completed


class Provider(Protocol):
    """One service that replies to conversations. `tests/kits/provider_kit.py` says what the promise means."""

    @property
    def name(self) -> str:
        """The service's short name, e.g. ``anthropic``."""

    def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """Ask for a reply and pass it on as it comes.

        The generator ends after exactly one `Completed`, or raises; it never ends without either. A reply that breaks
        off is never `Completed`, and a tool call with incomplete arguments is never passed on. It does not retry.
        Closing it (``aclose``) ends the request at once.

        Raises:
            ProviderError: a subclass says what went wrong.
            InvalidInput: the history cannot be sent as it is, or the tool to be called is not offered; nothing was
                asked.
        """

    async def close(self) -> None:
        """Let go of connections."""


@runtime_checkable
class Warmable(Protocol):
    """A provider that can load what its first request needs before there is one."""

    async def warm(self) -> None:
        """Load it, beside the event loop; nothing if it is loaded.

        Raises:
            SettingsError: the library that it needs is not installed, or the settings cannot be used with it.
        """


@runtime_checkable
class TokenCounter(Protocol):
    """What a provider offers beside replies where its service counts tokens."""

    async def count_tokens(self, request: ChatRequest) -> int | None:
        """Ask how many tokens a request takes up, reply not included; None where the service cannot say.

        It costs a round trip: for a request near a limit only.

        Raises:
            ProviderError: there is no answer.
            InvalidInput: the history cannot be sent as it is.
        """


@runtime_checkable
class Embedder(Protocol):
    """What a provider offers beside replies where its service has embedding models."""

    async def embed(self, model: str, texts: Sequence[str], timeout_s: float = ...) -> list[list[float]]:
        """Places in the model's space, one for each text.

        Args:
            model: an embedding model.
            texts: a text that is longer than the model's window is an error, never cut.
            timeout_s: how long it may take.

        Raises:
            ProviderError: there is no answer, or not one for each text.
            InvalidInput: a text cannot be written as JSON.
        """


@runtime_checkable
class ModelLister(Protocol):
    """What a provider offers beside replies where its service knows its models."""

    async def models(self) -> tuple[str, ...]:
        """The names of the models that there are, as the service lists them.

        Raises:
            ProviderError: there is no answer, or it is no such list.
        """
