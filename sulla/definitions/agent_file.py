"""What an agent's folder says of it: a small file of settings, and who it is in Markdown. Pure.

The settings are TOML (``agent.toml``), or the YAML of the original (``config.yaml``, before that ``agent.yaml``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final, Literal

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.definitions.flow_options import NO_FLOW, FlowOptions, read_flow_options
from sulla.definitions.intents import Intent, read_intents
from sulla.definitions.toml_place import SettingsFile
from sulla.definitions.yaml_text import read_map
from sulla.models.base import UNTUNED, Tuning
from sulla.tools.nearest import did_you_mean

AGENT_FILES: Final = ("agent.toml", "agent.yaml", "config.yaml")
"""The settings; of several the first one counts."""

SOUL: Final = "soul.md"
ENVIRONMENT: Final = "environment.md"
DIRECTIVES: Final = "directives.md"

MAX_TURNS: Final = 1_000
MAX_TOKENS: Final = 1_000_000
MAX_TEMPERATURE: Final = 2
"""What OpenAI's and Ollama's services take; Anthropic's takes up to 1."""
_ID = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_KEYS: Final = (
    *("name", "description", "model", "completion", "tools", "skills", "spawns", "hands_to", "intents", "max_turns"),
    *("reply_tokens", "temperature", "thinking", "flow", "memory"),
)
_PROVIDER: Final = "provider"
"""The original writes it apart from the model."""

_ORIGINALS: Final = ("type", "integrations", "excludeSoul", "injectObservations")
"""Keys that the original's agents have, and ours do without."""


@dataclass(frozen=True, slots=True)
class AgentFile:
    """An agent as its folder describes it."""

    id: str
    name: str
    description: str = ""
    prompt: str = ""
    """Who it is: ``soul.md``, then every other Markdown file by name."""
    directives: str = ""
    environment: str = ""
    model: str = ""
    """``provider:model``; empty for the daemon's own."""
    completion: Literal["wrapper", "plain"] | None = None
    tools: tuple[str, ...] | None = None
    """Names, or beginnings with a ``*``; None for all."""
    skills: tuple[str, ...] | None = None
    spawns: tuple[str, ...] = ()
    """The agents that it may set to work."""
    max_turns: int | None = None
    """Model calls per run; None for what the settings say."""
    hands_to: tuple[str, ...] = ()
    """The agents that it may hand a conversation to."""
    intents: tuple[Intent, ...] = ()
    reply_tokens: int | None = None
    """The most tokens that one reply may have; None for what the settings say."""
    tuning: Tuning = UNTUNED
    flow: FlowOptions = NO_FLOW
    """By which flow people's messages to it are walked."""
    warnings: tuple[str, ...] = ()
    memory: bool = True
    """Whether it is told of earlier conversations, and its turns are remembered."""


def check_id(name: str, what: str) -> None:
    """Do nothing if an agent can be called so.

    Args:
        name: its id.
        what: where that is written, for the error.

    Raises:
        InvalidInput: it cannot.
    """
    if len(name) > 64 or not _ID.fullmatch(name):
        raise InvalidInput(
            f"an agent cannot be called {name[:100]!r}: {what} has 1 to 64 small letters and digits, with single "
            "hyphens or underscores between them"
        )


def read_agent(folder: str, texts: Mapping[str, str]) -> AgentFile:
    """Read an agent.

    Args:
        folder: the name of its folder, which is its id.
        texts: what its files hold, by name.

    Raises:
        InvalidInput: something is wrong; the message says in which file and what was expected.
    """
    check_id(folder, "its folder's name")
    name = next((name for name in AGENT_FILES if name in texts), "")
    file = SettingsFile(name, texts.get(name, ""))
    fields, warnings = _fields(file) if name else ({}, [f"there is no {AGENT_FILES[0]}: all is default"])
    intents, odd = read_intents(file, fields.get("intents"))
    turns, reply_tokens = _whole(file, fields, "max_turns", MAX_TURNS), _whole(file, fields, "reply_tokens", MAX_TOKENS)
    return AgentFile(
        folder,
        _text(file, fields, "name") or folder,
        _text(file, fields, "description"),
        _soul(texts),
        texts.get(DIRECTIVES, "").strip(),
        texts.get(ENVIRONMENT, "").strip(),
        _model(file, fields),
        _completion(file, fields),
        _names(file, fields, "tools"),
        _names(file, fields, "skills"),
        _names(file, fields, "spawns") or (),
        turns,
        _names(file, fields, "hands_to") or (),
        intents,
        reply_tokens,
        _tuning(file, fields),
        _flow(file, fields),
        (*warnings, *odd),
        _memory(file, fields),
    )


def _flow(file: SettingsFile, fields: FrozenJson) -> FlowOptions:
    try:
        return read_flow_options(fields.get("flow"), turn=False)
    except InvalidInput as error:
        # The message begins with the key, unless it is about the table.
        raise file.fault(f"flow: {error.message}", "flow", error.message.split(" ")[0]) from None


def _memory(file: SettingsFile, fields: FrozenJson) -> bool:
    value = fields.get("memory", True)
    if not isinstance(value, bool):
        raise _wrong(file, "memory", "true or false", value)
    return value


def allows(patterns: Sequence[str] | None, name: str) -> bool:
    """Whether an allow-list has room for a name; None is the list of all."""
    return patterns is None or any(fnmatchcase(name, pattern) for pattern in patterns)


def unknown(key: str, patterns: Sequence[str] | None, names: Sequence[str]) -> tuple[str, ...]:
    """What an allow-list names that there is not, each as a sentence.

    Args:
        key: the list's name, e.g. ``tools``.
        patterns: what it names.
        names: what there is.
    """
    missing = (one for one in patterns or () if not any(fnmatchcase(name, one) for name in names))
    return tuple(
        f"{key} names {one!r}, and there is nothing of that name.{did_you_mean(one, names)}" for one in missing
    )


def _fields(file: SettingsFile) -> tuple[FrozenJson, list[str]]:
    fields = file.fields() if file.name.endswith(".toml") else _yaml(file)
    strange = next((key for key in fields if key not in (*_KEYS, _PROVIDER, *_ORIGINALS)), None)
    if strange is not None:
        said = f"there is no setting {strange!r}.{did_you_mean(strange, _KEYS)} Known: {', '.join(_KEYS)}"
        raise file.fault(said, strange)
    olds = [key for key in _ORIGINALS if key in fields]
    return fields, [f"{file.at(olds[0])}: {', '.join(olds)} of the original mean nothing here"] if olds else []


def _yaml(file: SettingsFile) -> JsonObject:
    try:
        return read_map(file.text)
    except InvalidInput as error:
        raise InvalidInput(f"{file.name}: {error.message}") from error


def _soul(texts: Mapping[str, str]) -> str:
    others = sorted(name for name in texts if name.endswith(".md") and name not in (SOUL, ENVIRONMENT, DIRECTIVES))
    return "\n\n".join(text for name in (SOUL, *others) if (text := texts.get(name, "").strip()))


def _text(file: SettingsFile, fields: FrozenJson, key: str) -> str:
    value = fields.get(key)
    if value is None or isinstance(value, str):
        return " ".join((value or "").split())
    raise _wrong(file, key, "a text", value)


def _model(file: SettingsFile, fields: FrozenJson) -> str:
    model, provider = _text(file, fields, "model"), _text(file, fields, _PROVIDER)
    return f"{provider}:{model}" if model and provider and ":" not in model else model


def _completion(file: SettingsFile, fields: FrozenJson) -> Literal["wrapper", "plain"] | None:
    match fields.get("completion"):
        case None:
            return None
        case "wrapper":
            return "wrapper"
        case "plain":
            return "plain"
        case other:
            raise _wrong(file, "completion", "'wrapper' or 'plain'", other)


def _names(file: SettingsFile, fields: FrozenJson, key: str) -> tuple[str, ...] | None:
    value = fields.get(key)
    if value is None:
        return None
    names = [one for one in value if isinstance(one, str) and one] if isinstance(value, list) else []
    if not isinstance(value, list) or len(names) != len(value):
        raise _wrong(file, key, "a list of names", value)
    return tuple(names)


def _whole(file: SettingsFile, fields: FrozenJson, key: str, most: int) -> int | None:
    value = fields.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most):
        return value
    raise _wrong(file, key, f"a whole number from 1 to {most}", value)


def _tuning(file: SettingsFile, fields: FrozenJson) -> Tuning:
    heat, thinking = fields.get("temperature"), fields.get("thinking")
    is_number = isinstance(heat, int | float) and not isinstance(heat, bool) and 0 <= heat <= MAX_TEMPERATURE
    if heat is not None and not is_number:
        raise _wrong(file, "temperature", f"a number from 0 to {MAX_TEMPERATURE}", heat)
    if thinking is not None and not isinstance(thinking, bool):
        raise _wrong(file, "thinking", "true or false", thinking)
    return Tuning(float(heat) if isinstance(heat, int | float) else None, thinking)


def _wrong(file: SettingsFile, key: str, expected: str, value: Json) -> InvalidInput:
    return file.fault(f"{key} is {repr(value)[:100]}; expected {expected}", key)
