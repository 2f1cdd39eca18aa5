"""The phrasings by which a text that wants to steer a model gives itself away (design §6): data, and a matcher. Pure.

A phrase is a row of slots; each has to be filled within so many words after the one before. So a look costs the number
of words, times a constant, whatever the text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from sulla.core.dataclass import dataclass

_FILLER: Final = frozenset("all any every each of the these those that this it to about my our given".split())

_IGNORE = (
    "ignore ignoring disregard disregarding forget forgetting override overrule bypass discard dismiss erase unlearn"
)
_FORMER = "previous prior preceding above earlier foregoing former original initial existing"
_YOURS = "your system developer safety"
_INSTRUCTIONS = (
    "instruction instructions prompt prompts directive directives guideline guidelines directions programming orders"
)
_RULES = "rules constraints restrictions limitations safeguards filters policy policies guardrails training"
_SHOW = (
    "reveal print show repeat output display leak dump tell give share expose quote write recite paste return disclose "
    "translate summarize encode copy"
)
_FREE = "unrestricted unfiltered jailbroken uncensored dan amoral"
_TASKS = "instructions instruction orders directive task objective goal mission purpose"
_BARS = "restrictions rules limits limitations filters filter guidelines guardrails ethics censorship morals"
_TELL = "tell telling inform informing mention mentioning alert alerting notify notifying reveal revealing"
_SEND = "send forward upload post email exfiltrate transmit leak append encode embed"


@dataclass(frozen=True, slots=True)
class PhraseSlot:
    """One place of a phrase."""

    words: frozenset[str]
    within: int
    """Words after the slot before."""
    filler: bool
    """Whether only words that say nothing may stand between."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """What a text says, and what that means."""

    name: str
    reason: str
    slots: tuple[PhraseSlot, ...]


@dataclass(frozen=True, slots=True)
class PhraseMatch:
    """A phrase, and which words of a text are its first and its last one, from 0."""

    phrase: Phrase
    first: int
    last: int


def _phrases(name: str, reason: str, *rows: str) -> list[Phrase]:
    """Phrases from rows of slots.

    ``one other /2 third /~3 fourth`` says that `third` comes at most two words after the first, and `fourth` at most
    three after that, with only fillers between.
    """
    made = []
    for row in rows:
        slots: list[PhraseSlot] = []
        within, filler = "0", False
        for part in f" {row}".split(" /"):
            if slots or "/" in part:
                filler = part.startswith("~")
                within, _, part = part.removeprefix("~").partition(" ")
            slots.append(PhraseSlot(frozenset(part.split()), int(within), filler))
        made.append(Phrase(name, reason, tuple(slots)))
    return made


PHRASES: Final[Sequence[Phrase]] = (
    *_phrases(
        "override",
        "asks to set instructions aside",
        f"{_IGNORE} /4 {_FORMER} /3 {_INSTRUCTIONS}",
        f"{_IGNORE} /~5 {_YOURS} /3 {_INSTRUCTIONS} {_RULES}",
        f"{_IGNORE} /~5 {_INSTRUCTIONS} /~3 above before previously prior earlier",
        f"{_IGNORE} /2 everything all anything what /2 you /4 told learned know instructed",
        f"{_IGNORE} /~3 everything all anything /2 above before previously prior /~2 and instead now",
        f"pay /1 no /1 attention /~3 {_FORMER} {_YOURS} /3 {_INSTRUCTIONS} {_RULES}",
        f"dont not stop never /1 follow following obey obeying heed /~4 {_FORMER} {_YOURS} /3 {_INSTRUCTIONS} {_RULES}",
        f"{_FORMER} {_YOURS} /2 {_INSTRUCTIONS} {_RULES} /4 void cancelled superseded revoked overridden obsolete",
        "ignoriere ignoriert ignorieren vergiss vergesse missachte /4 vorherigen vorherige bisherigen bisherige obigen "
        "fruheren deine deinen vorangegangenen /3 anweisungen anweisung instruktionen regeln befehle vorgaben",
        "ignore ignorez ignorer oublie oubliez /4 instructions consignes directives regles /3 precedentes precedents "
        "anterieures systeme dessus",
        "ignora ignore olvida olvide descarta desconsidere esqueca dimentica /4 instrucciones reglas indicaciones "
        "istruzioni regole instrucoes regras /3 anteriores previas sistema precedenti",
        "\u0438\u0433\u043d\u043e\u0440\u0438\u0440\u0443\u0439 \u0438\u0433\u043d\u043e\u0440\u0438\u0440\u0443\u0439"
        "\u0442\u0435 \u0437\u0430\u0431\u0443\u0434\u044c \u0437\u0430\u0431\u0443\u0434\u044c\u0442\u0435 /3 "
        "\u043f\u0440\u0435\u0434\u044b\u0434\u0443\u0449\u0438\u0435 \u043f\u0440\u043e\u0448\u043b\u044b\u0435 "
        "\u043f\u0440\u0435\u0436\u043d\u0438\u0435 /3 \u0438\u043d\u0441\u0442\u0440\u0443\u043a\u0446\u0438\u0438 "
        "\u0443\u043a\u0430\u0437\u0430\u043d\u0438\u044f \u043f\u0440\u0430\u0432\u0438\u043b\u0430",
    ),
    *_phrases(
        "new_orders",
        "claims to give other orders than the real ones",
        f"your /1 real true actual secret /2 {_TASKS} /2 is are",
        "your /1 new updated revised /2 instructions instruction orders directive /2 is are",
        "from /1 now /1 on /2 you /6 refuse obey unrestricted unfiltered dan restrictions ignore",
        "end /1 of /2 prompt instructions input /6 new begin start following",
    ),
    *_phrases(
        "persona",
        "wants a role without limits",
        f"you /1 are youre /3 now /4 {_FREE} evil unbound godmode free",
        f"youre /2 now /4 {_FREE} evil unbound godmode",
        "you youre /2 no /1 longer /3 bound restricted limited constrained assistant ai",
        "do /1 anything /1 now",
        f"act acting behave pretend roleplay respond answer speak /3 as like /3 {_FREE}",
        f"pretend imagine suppose assume act /3 you /5 no without any /3 {_BARS}",
        f"respond answer reply speak write act /4 without /3 {_BARS} safeguards disclaimers",
        "dan jailbreak god unrestricted unfiltered /1 mode",
        "you youre /4 in into enter /2 developer debug maintenance admin sudo root /1 mode",
    ),
    *_phrases(
        "prompt_leak",
        "asks for the instructions themselves",
        f"{_SHOW} /4 your /3 system initial hidden original secret internal developer /2 prompt instructions message "
        "directives configuration instruction guidelines",
        f"{_SHOW} /4 system /1 prompt message instructions /5 verbatim exactly word full above",
        "what whats /1 is are were your /1 your system initial hidden /2 system initial hidden original secret prompt "
        "/1 prompt instructions directives",
        "repeat recite regurgitate /4 everything all words text /2 above before",
    ),
    *_phrases(
        "concealment",
        "wants something kept from the people it concerns",
        f"dont not never without /1 {_TELL} /~4 user owner human operator",
        f"secretly covertly silently /2 {_SEND}",
    ),
    *_phrases(
        "exfiltration",
        "wants secrets or the conversation sent somewhere",
        f"{_SEND} /6 passwords credentials secrets conversation history cookies /8 http https www webhook url",
        "exfiltrate /5 passwords credentials secrets conversation history keys tokens data",
    ),
)


def _by_first_word() -> Mapping[str, Sequence[Phrase]]:
    by_word: defaultdict[str, list[Phrase]] = defaultdict(list)
    for phrase in PHRASES:
        for word in phrase.slots[0].words:
            by_word[word].append(phrase)
    return dict(by_word)


_BY_FIRST_WORD: Final = _by_first_word()


def find_phrases(text: Sequence[str]) -> Iterator[PhraseMatch]:
    """All phrases in a text.

    Args:
        text: its words in order, in lower case.
    """
    for place, word in enumerate(text):
        for phrase in _BY_FIRST_WORD.get(word, ()):
            last = _match(phrase, text, place)
            if last is not None:
                yield PhraseMatch(phrase, place, last)


def _match(phrase: Phrase, text: Sequence[str], place: int) -> int | None:
    """Where a phrase ends that begins at a place; each slot takes the first word that fits."""
    for slot in phrase.slots[1:]:
        for step in range(1, slot.within + 1):
            if place + step >= len(text):
                return None
            word = text[place + step]
            if word in slot.words:
                place += step
                break
            if slot.filler and word not in _FILLER:
                return None
        else:
            return None
    return place
