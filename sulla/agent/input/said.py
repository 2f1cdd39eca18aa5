"""What a person's message says in words of its own: by them playbooks and intents are found for it. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from sulla.agent.input.quoted import without_quoted
from sulla.core.dataclass import dataclass
from sulla.core.pattern import late_pattern

MOST_CHARS: Final = 10_000
"""Of a message that are looked at: what it is about stands at its beginning."""

_WORD: Final = late_pattern(r"\w+")
_EDGE: Final = late_pattern(r"^\W+|\W+$")
"""What stands around a word of a phrase; between two blanks there is one word, as in ``see a-b.txt``."""
_PLURAL: Final = late_pattern(r"(?<=\w\w\w)(?<!s)s$")
_SMALL: Final = frozenset(
    "a an and any are about as at be by for from has have i if in into is it its me my of on or our please some that "
    "the their there this to us was we what when with you your".split()
)
"""English words that say nothing about what a message is about."""

_SENTENCE: Final = late_pattern(
    r"(?<=\w\w)(?<!\b(?:mr|ms|dr|st|vs|nr|ca))(?<!\b(?:etc|mrs|bzw|usw))\.(?![.\w])|[!\u3002]+"
)
"""The end of a sentence. A line ends none, and neither does a semicolon: a "do not" is for the whole list below it. A
question goes on: what follows may say no to it."""
_MARKS: Final = str.maketrans({"\u2033": '"', **dict.fromkeys("\u00b4\u2032\u02b9\u02bc\u02c8\u055a\ua78c", "'")})
"""Accents, primes and letters where others write an apostrophe or quotation marks, which `NFKC` would take for other
ones or leave as letters."""
_NEGATION: Final = (
    r"(?<!@)\b(?:\w+n't|not|no|never|nor|neither|nobody|nothing|none|nowhere|without|cannot|cancel|stop|skip|avoid|"
    r"refuse|instead|unless|(?:just|only) (?:kidding|joking)|"
    r"hardly|barely|rarely|nope|nah|rather than|hate[sd]? to|too \w+ to|already (?:did|done|had)|did already|"
    r"(?:do|does|did|wo|ca|is|ai|are|was|were|has|have|had|should|could|would|must|need)nt|"
    r"nein|nee|n\u00f6|"
    r"nichts?|nirgend\w*|rien|nada|niente|nulla|niets|ingen|inget|intet|nie|niemals|nimmer|niemand\w*|kein\w*|ohne|weder|statt|ne|n'\w+|pas|jamais|sans|ni|aucune?|"
    r"nunca|jam\u00e1s|sin|tampoco|nadie|ning[u\u00fa]n\w*|non|mai|senza|nessun\w*|n\u00e9|n\u00e3o|nao|nem|sem|"
    r"niet|nooit|geen|zonder|inte|aldrig|ej|utan|ikke|aldri|uden|uten|nigdy|bez|"
    r"\u043d\u0435|\u043d\u0435\u0442|\u043d\u0438|\u043d\u0438\u043a\u043e\u0433\u0434\u0430|"
    r"\u043d\u0435\u043b\u044c\u0437\u044f|\u0431\u0435\u0437)\b|[\u4e0d\u522b\u5225\u52ff\u6c92\u6ca1]"
)
"""Words by which a sentence says that something shall not be, in English, German, French, Spanish, Italian, Portuguese,
Dutch, Swedish, Danish, Norwegian, Polish, Russian and Chinese. One too many costs little: the agent reads the message,
and can do what it asks for."""
_KIDDING: Final = r"\b(?:just|only) (?:kidding|joking)\b"
_TAKES_BACK: Final = frozenset(
    "actually after all better do doing don't forget for i it jk joking just kidding mean mind no not now oh ok okay "
    "only please rather really scratch so sorry that this wait want yet "
    "bitte das doch es jetzt mach mache machen nicht tu tue tun".split()
)
"""Words of a sentence that says no and nothing else: it takes back what stands before it."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message, read once for all that may be looked for in it."""

    sentences: tuple[str, ...]

    def is_about(self, text: str) -> bool:
        """Whether all words of a text occur in it, in whatever order.

        Case, plurals and small words do not count, and neither does a sentence with a negation that the text does not
        have: "do not water the roses" is not about watering them.

        Args:
            text: what it would be about.
        """
        wanted = _stems(text, _SMALL)
        return bool(wanted) and wanted <= frozenset[str]().union(*map(_stems, self._that_may_say(text)))

    def has(self, phrase: str) -> bool:
        """Whether a phrase occurs in it, word by word, within one sentence that says no other no than the phrase does.

        Case, and what stands between the words, do not count.

        Args:
            phrase: the words.
        """
        wanted = _spaced(_folded(phrase))
        return bool(wanted.strip()) and any(wanted in _spaced(one) for one in self._that_may_say(phrase))

    def _that_may_say(self, text: str) -> list[str]:
        known = _negations(_folded(text))
        return [one for one in self.sentences if _negations(one) <= known]


def read_said(message: str) -> Said:
    """Read a message, without the code and the words of others that it quotes.

    Args:
        message: what a person wrote.
    """
    text = without_quoted(plain(message[:MOST_CHARS]))
    found = _SENTENCE.split(_folded(text).replace("?", " _ "))
    # A mere "No!" says no to what stands beside it, and "just kidding, don't do that" to all that stands before it.
    noes = ["", *(one if re.fullmatch(_NEGATION, _EDGE.sub("", one)) else "" for one in found), ""]
    later = [""] * len(found)
    for at in range(len(found) - 2, -1, -1):
        later[at] = _taken_back(found[at + 1]) or later[at + 1]
    return Said(tuple(f"{noes[at]} {one} {noes[at + 2]} {later[at]}" for at, one in enumerate(found)))


def _taken_back(sentence: str) -> str:
    """A word that says no, of a sentence that takes back what was said before it; empty for any other sentence."""
    noes = _negations(sentence)
    words = frozenset(_spaced(sentence.replace(",", " ")).split())
    forgets = not words.isdisjoint(("forget", "scratch"))  # "don't forget it" takes nothing back
    if words and words <= _TAKES_BACK | noes and bool(noes) != forgets:
        return min(noes, default="no")
    kidding = re.search(_KIDDING, sentence)
    return kidding[0] if kidding is not None else ""


def _spaced(text: str) -> str:
    """The words alone, with one blank before and behind each."""
    return f" {' '.join(filter(None, (_EDGE.sub('', word) for word in text.split())))} "


def _negations(text: str) -> frozenset[str]:
    return frozenset(re.findall(_NEGATION, text))


def plain(text: str) -> str:
    """With one form of each character: wide and special blanks, quotation marks and angles are plain ones.

    Args:
        text: what a person wrote.
    """
    return unicodedata.normalize("NFKC", text.translate(_MARKS))


def _folded(text: str) -> str:
    return plain(text).casefold().replace("\u2019", "'")


def _stems(text: str, but: frozenset[str] = frozenset()) -> frozenset[str]:
    return frozenset(_PLURAL.sub("", word) for word in _WORD.findall(_folded(text)) if word not in but)
