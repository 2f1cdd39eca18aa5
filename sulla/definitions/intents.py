"""What an agent's file says of phrases and where they lead: its `intents`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import FrozenJson, Json
from sulla.definitions.toml_place import SettingsFile
from sulla.tools.nearest import did_you_mean

MOST_INTENTS: Final = 100
"""Of one agent."""
MOST_PHRASES: Final = 50
"""Of one intent."""
PHRASE_CHARS: Final = 200
TEXT_CHARS: Final = 4_000

_KEYS: Final = ("phrase", "phrases", "to", "args", "text")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")
_KINDS: Final = ("agent", "tool", "playbook")


@dataclass(frozen=True, slots=True)
class Intent:
    """Where messages go that have one of its phrases."""

    phrases: tuple[str, ...]
    kind: str
    """``agent``, ``tool``, ``playbook`` or ``text``."""
    to: str
    """The name of the agent, tool or playbook, or the text."""
    args: FrozenJson = field(default_factory=dict, hash=False)
    """What the tool is called with, or the playbook begins with."""

    @property
    def leads_to(self) -> str:
        """Where it leads, for models and for people."""
        return "a fixed text" if self.kind == "text" else f"the {self.kind} {self.to}"


def read_intents(file: SettingsFile, value: Json) -> tuple[tuple[Intent, ...], list[str]]:
    """Read the intents of an agent.

    Args:
        file: where they stand.
        value: what stands there under `intents`; None for nothing.

    Returns:
        The intents, and what is odd about them: of two with the same phrase the first one has it.

    Raises:
        InvalidInput: something is wrong; the message says at which place and what was expected.
    """
    if value is None:
        return (), []
    if not isinstance(value, list) or len(value) > MOST_INTENTS:
        said = f"intents is {repr(value)[:100]}; expected at most {MOST_INTENTS} tables [[intents]]"
        raise file.fault(said, "intents")
    found = tuple(_intent(_Place(file, number), one) for number, one in enumerate(value, 1))
    seen: dict[str, int] = {}
    kept: list[Intent] = []
    odd: list[str] = []
    for number, intent in enumerate(found, 1):
        own = [phrase for phrase in intent.phrases if seen.setdefault(phrase.casefold(), number) == number]
        kept += [replace(intent, phrases=tuple(own))] if own else []
        odd += [
            f"{file.at('intents', number - 1)}: intents[{number}] has the phrase {phrase!r} of "
            f"intents[{seen[phrase.casefold()]}], which has it alone"
            for phrase in intent.phrases
            if phrase not in own
        ]
    return tuple(kept), odd


@dataclass(frozen=True, slots=True)
class _Place:
    """An intent in its file."""

    file: SettingsFile
    number: int
    """Counted from 1."""

    def fault(self, said: str, *key: str) -> InvalidInput:
        """What is wrong with it, at its key if it is about one; what is said follows the intent's name at once."""
        return self.file.fault(f"intents[{self.number}]{said}", "intents", self.number - 1, *key)


def _intent(place: _Place, value: Json) -> Intent:
    if not isinstance(value, dict):
        raise place.fault(f" is {repr(value)[:100]}; expected a table")
    if strange := next((key for key in value if key not in _KEYS), ""):
        said = f": there is no setting {strange!r}.{did_you_mean(strange, _KEYS)} Known: {', '.join(_KEYS)}"
        raise place.fault(said, strange)
    phrases = tuple(dict.fromkeys(_phrases(place, value)))
    if not 1 <= len(phrases) <= MOST_PHRASES:
        raise place.fault(f" has {len(phrases)} phrases; expected 1 to {MOST_PHRASES}, in `phrase` or `phrases`")
    if ("to" in value) == ("text" in value):
        raise place.fault(": expected either `to`, which leads to something, or `text`, which is the reply")
    kind, to = ("text", _text(place, value["text"])) if "text" in value else _target(place, value["to"])
    args = value.get("args", {})
    if not isinstance(args, dict) or (args and kind not in ("tool", "playbook")):
        said = f".args is {repr(args)[:100]}; expected a table, and a tool or a playbook that takes it"
        raise place.fault(said, "args")
    return Intent(phrases, kind, to, args)


def _phrases(place: _Place, value: dict[str, Json]) -> Iterator[str]:
    for key in ("phrase", "phrases"):
        several = value.get(key, [])
        for one in several if key == "phrases" and isinstance(several, list) else [several] if several != [] else []:
            if not isinstance(one, str) or not re.search(r"\w", one) or len(one) > PHRASE_CHARS:
                expected = f"words of at most {PHRASE_CHARS} characters"
                raise place.fault(f".{key} has {repr(one)[:100]}; expected {expected}", key)
            yield " ".join(one.split())


def _text(place: _Place, value: Json) -> str:
    if isinstance(value, str) and value.strip() and len(value) <= TEXT_CHARS:
        return value.strip()
    raise place.fault(f".text is {repr(value)[:100]}; expected a text of at most {TEXT_CHARS} characters", "text")


def _target(place: _Place, value: Json) -> tuple[str, str]:
    kind, _, name = value.partition(":") if isinstance(value, str) else ("", "", "")
    if kind.strip() in _KINDS and _NAME.fullmatch(name.strip()):
        return kind.strip(), name.strip()
    near = did_you_mean(kind.strip(), _KINDS)
    said = f".to is {repr(value)[:100]}; expected 'agent:ID', 'tool:NAME' or 'playbook:NAME'.{near}"
    raise place.fault(said, "to")
