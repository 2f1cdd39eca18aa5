"""Which playbooks a person's message is about, by the words of their chat triggers. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import FrozenJson
from sulla.playbooks.definition import Definition
from sulla.playbooks.machine.scope_inputs import complete_inputs

MOST_CHARS: Final = 10_000
"""Of a message that are looked at: what it is about stands at its beginning."""

_WORD: Final = re.compile(r"\w+")
_PLURAL: Final = re.compile(r"(?<=\w\w\w)(?<!s)s$")
_SMALL: Final = frozenset(
    "a an and any are about as at be by for from has have i if in into is it its me my of on or our please some that "
    "the their there this to us was we what when with you your".split()
)
"""English words that say nothing about what a message is about."""

_SENTENCE: Final = re.compile(r"[.!?;\n]+")
_NEGATION: Final = re.compile(
    r"\b(?:\w+n['\u2019]t|not|no|never|nor|neither|without|cannot|cancel|stop|skip|avoid|"
    r"(?:do|does|did|wo|ca|is|are|was|should|could|would|must|need)nt|"
    r"nicht|nie|niemals|kein\w*|ohne|pas|jamais|sans|nunca|sin|non|mai|senza)\b"
)
"""Words by which a sentence says that something shall not be, in English, German, French, Spanish and Italian. One too
many costs little: the agent reads the message, and can start the playbook."""


@dataclass(frozen=True, slots=True)
class ChatTrigger:
    """A playbook that messages may start."""

    playbook: str
    about: str
    """What a message has to be about, as its file says."""
    description: str
    inputs: FrozenJson


def chat_triggers(playbooks: Iterable[Definition]) -> tuple[ChatTrigger, ...]:
    """The playbooks that a message can start as it is.

    One that requires inputs which its trigger does not give is left out: an agent can fill them in, and start it.

    Args:
        playbooks: those that can be run.
    """
    return tuple(
        ChatTrigger(one.name, trigger.text, one.description, trigger.inputs)
        for one in playbooks
        for trigger in one.on
        if trigger.kind == "chat" and _is_complete(one, trigger.inputs)
    )


def matching(message: str, triggers: Sequence[ChatTrigger]) -> tuple[ChatTrigger, ...]:
    """The triggers that a message is about: all their words occur in it, in whatever order.

    Case, plurals and small words do not count, and neither does a sentence with a negation that the trigger does not
    have: "do not water the roses" is not about watering them. The same message and triggers give the same answer.

    Args:
        message: what a person wrote.
        triggers: what there is; of several of one playbook the first one counts.

    Returns:
        One for each playbook.
    """
    if not triggers:
        return ()
    sentences = [(_stems(_words(one)), _negations(one)) for one in _SENTENCE.split(message[:MOST_CHARS])]
    found: dict[str, ChatTrigger] = {}
    for trigger in triggers:
        wanted, negations = _stems(_words(trigger.about) - _SMALL), _negations(trigger.about)
        said = frozenset[str]().union(*(words for words, negated in sentences if negated <= negations))
        if wanted and wanted <= said:
            found.setdefault(trigger.playbook, trigger)
    return tuple(found.values())


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(_folded(text)))


def _negations(text: str) -> frozenset[str]:
    return frozenset(_NEGATION.findall(_folded(text)))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _stems(words: frozenset[str]) -> frozenset[str]:
    return frozenset(_PLURAL.sub("", word) for word in words)


def _is_complete(definition: Definition, inputs: FrozenJson) -> bool:
    try:
        complete_inputs(definition, inputs)
    except InvalidInput:
        return False
    return True
