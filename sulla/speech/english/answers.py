"""What the end of an English text says, and answers: behind a question that they fit they can stand alone. Pure."""

from __future__ import annotations

from typing import Final, Literal

from sulla.speech.english import lexicon as lex
from sulla.speech.english.text import SpokenText
from sulla.speech.english.vocabulary import Vocabulary
from sulla.speech.turn_taking.detector import Reading

MOST_ANSWERED: Final = 8
"""Longer answers are as sure as any other text."""
SHORT_ANSWER: Final = 5
NO_STOP: Final = Reading(0.45, "no_full_stop")


def filler(said: SpokenText) -> Reading | None:
    """Nobody stops at "um"."""
    return Reading(0.03, "filler") if said.last in said.en["fillers"] else None


def open_end(said: SpokenText) -> Reading | None:
    """A comma, a dash or dots at the end."""
    if said.end and said.end[-1] in ",;:-\u2013\u2014\u2026":
        return Reading(0.08, "open_punctuation")
    return Reading(0.15, "dots") if said.end.endswith("..") else None


def whole(said: SpokenText) -> Reading | None:
    """Nothing is missing; some ends are surer than others."""
    if said.end.endswith(("?", "!")):
        return Reading(0.95, "question_mark")
    if said.asked and len(said.words) <= MOST_ANSWERED:
        return Reading(0.95 if len(said.words) <= SHORT_ANSWER else 0.9, "short_answer", "answer")
    if said.end:
        return Reading(0.93, "full_stop")
    return NO_STOP if is_unended(said) else None


def is_unended(said: SpokenText) -> bool:
    """Whether the full stop is missing that a recognizer that writes capitals would have written by now."""
    return said.written and not said.end and not said.asked


MOST_WORDS: Final = 6
"""Longer ones are read as any other text."""

_LIKE_ER: Final = ("er", "more", "less")


def answer(said: SpokenText) -> Reading | None:
    """A few words after a question answer it, if they can stand alone."""
    if not said.asked or len(said.words) > MOST_WORDS:
        return None
    words = tuple(word for word in said.words if word not in said.en["fillers"])
    if not words:
        return None
    if words[-1] in said.en["likely"] and len(words) <= 2 and said.asked[0] in said.en["wh"]:
        return Reading(0.3, "probably_what", "answer")
    if len(words) == 1 and (words[0] in said.en["answering"] or words[0] in said.en["modifiers"]):
        return Reading(0.98, "one_word", "answer")
    return _agreement(said, words) or _choice(said, words)


def _agreement(said: SpokenText, words: tuple[str, ...]) -> Reading | None:
    """ "I do", "no it isn't", "my sister did"."""
    rest = words[1:] if words[0] in said.en["answering"] else words
    if len(words) == 2 and words[0] in said.en["answering"] and words[1] in said.en["auxiliaries"]:
        return Reading(0.93, "short_agreement", "answer")
    is_pair = 2 <= len(rest) <= 3 and rest[0] in said.en["pronouns"] and rest[1] in said.en["auxiliaries"]
    if is_pair and _asks_yes_no(said.en, said.asked) and (len(rest) == 2 or rest[2] == "not"):
        return Reading(0.93, "short_agreement", "answer")
    if words in (("please", "do"), ("do", "please"), ("please", "don't")):
        return Reading(0.95, "short_agreement", "answer")
    if said.asked[0] in ("who", "who's", "who'll") and len(words) > 1 and words[-1] in said.en["agreeing"]:
        return Reading(0.9, "who_did", "answer")
    return None


def _choice(said: SpokenText, words: tuple[str, ...]) -> Reading | None:
    """ "the blue", "the second", "the more the better"."""
    rest = words[1:] if words[0] in said.en["answering"] else words
    if len(rest) <= 2 and rest[-1] in said.en["whole"]:
        return Reading(0.9, "short_answer", "answer")
    if words[0] in said.en["determiners"] and 2 <= len(words) <= 3 and words[-1] in said.en["modifiers"]:
        return Reading(0.9, "the_one_of_them", "answer")
    if len(words) == 4 and words[0] == words[2] == "the" and words[3].endswith(_LIKE_ER):
        return Reading(0.9, "the_more_the_better", "answer")
    if words[-1] in said.en["ordinals"] and len(words) > 1 and said.en["dating"] & set(said.asked):
        return Reading(0.9, "date", "answer")
    return None


def _asks_yes_no(en: Vocabulary, asked: tuple[str, ...]) -> bool:
    return asked[0] not in en["wh"] and any(word in en["yes_no"] for word in asked[:3])


# --------------------------------------------------------------------------------------------- what a question asks for


Asked = Literal["anything", "yes or no", "which of them", "why", "how", "when or how much", "who or what"]
"""What a question asks for. Whoever is asked for anything ("Anything else?") may say whatever they like, so that hardly
an answer fits better than other words."""

MOST_LISTED: Final = 10
"""Of an answer that is a list, of a time or a number, and of what a full stop ends."""
SURE: Final = 0.8
WHOLE_ANSWER: Final = Reading(0.92, "whole_answer", "answer")
"""Of a clause that needs no question, behind one."""
_SHORT: Final = 3
_REPLY: Final = 5
"""Words of "no, it's a feature request"."""

_HELPING: Final = frozenset(("be", "do", "have", "modal"))
_STARTING: Final = _HELPING | frozenset(("subj", "let", "conj", "wh", "sub", "whether"))
"""Classes of words that a clause of one's own begins with, which needs no question."""
_PRONOUNS: Final = frozenset(("subj", "pron", "demo"))
_BEHIND_COMMAND: Final = frozenset("det demo subj pron quant prep part mid num to".split())
_COUNTING: Final = frozenset(("num", "quant"))
_PLACING: Final = frozenset(("prep", "both", "mid"))

_CONDITIONS: Final = frozenset("if unless as not only once because until after before when without except".split())
_MANNERS: Final = frozenset("by with in like as on at from more less better worse if".split())
_TIMES: Final = frozenset("when once after before as until till whenever since".split())
_REASONS: Final = frozenset("because since so to for as".split())
_ANY: Final = frozenset("whoever whatever wherever whichever however".split())
_BEGINNINGS: Final[dict[Asked, frozenset[str]]] = {
    "yes or no": _CONDITIONS,
    "why": _REASONS,
    "how": _MANNERS,
    "when or how much": _TIMES,
    "who or what": _ANY,
    "which of them": _ANY,
}
"""Words that an answer of several begins with."""
_MEASURED: Final = frozenset("long often many much old far soon big tall high late early heavy wide deep".split())
_DATED: Final = frozenset("time day date year month week".split())
_REQUESTING: Final = frozenset("please tell give say spell name choose pick enter describe repeat specify your".split())
_WANTING: Final = frozenset("do like want need help".split())


def kind_of(en: Vocabulary, question: tuple[str, ...]) -> Asked:
    """What a question asks for.

    Args:
        en: the words of English.
        question: its words.
    """
    words = tuple(word.partition("'")[0] for word in question)
    if words[0] in ("anything", "something") or ("else" in words and {"anything", "something"} & set(words[:4])):
        return "anything"
    at = next((at for at, word in enumerate(words[:6]) if word in en["wh"]), None)
    if at is None:
        if "or" in words:
            return "which of them"
        is_request = words[0] in _REQUESTING and not {"if", "whether"} & set(words[:6])
        return "who or what" if is_request else "yes or no"
    word, behind = words[at], words[at + 1 : at + 3]
    follows = behind[0] if behind else ""
    is_helping, who = follows in en["auxiliaries"], behind[1:]
    if word == "why" or (word, follows) == ("how", "come"):
        return "why"
    if word == "how" and is_helping:
        return "anything" if who and who[0] in ("i", "we") else "how"
    if word == "what" and (
        follows in ("else", "happened", "about", "next", "now")
        or (is_helping and who and who[0] in ("i", "we", "you") and bool(_WANTING & set(words[-2:])))
    ):
        return "anything"
    if "or" in words[at:]:
        return "which of them"
    is_measured = (word == "how" and follows in _MEASURED) or (word == "what" and follows in _DATED)
    return "when or how much" if word == "when" or is_measured else "who or what"


def answers_whole(said: SpokenText, unasked: Reading) -> bool:
    """Whether a text that is of no such kind, but is short and whole without its question, is an answer all the same.

    Args:
        said: it, with the words of the question.
        unasked: how it reads without them.
    """
    is_whole = unasked.score >= SURE and len(said.words) <= MOST_WORDS
    return is_whole and kind_of(said.en, said.asked) != "anything"


def fits(said: SpokenText) -> bool:
    """Whether a text is of a kind that answers the question before it.

    Args:
        said: it, with the words of the question.
    """
    en = said.en
    words = tuple(word for word in said.words if word not in en["fillers"])
    if not words or words in en.phrases["replies"]:
        return True
    kind, lead = kind_of(en, said.asked), 0
    while lead < len(words) - 1 and (words[lead] in en["answering"] or words[lead] in en["openers"]):
        lead += 1
    rest = words[lead:]
    if len(rest) > 2 and rest[-2:] in en.phrases["unsure"]:
        rest = rest[:-2]
    if rest in en.phrases["replies"] or (len(rest) == 1 and (lead or rest[0] in en["answering"])):
        return True
    if kind == "anything":
        return False
    if (
        rest[0] in _BEGINNINGS[kind]
        or words[0] in _BEGINNINGS[kind]
        or (kind == "yes or no" and lead and len(rest) <= _REPLY)
    ):
        return True
    if kind == "when or how much" and len(rest) <= MOST_LISTED and _is_measure(en, rest[-1]):
        return True
    is_longer = kind == "when or how much" or bool(said.end) or "and" in rest[-5:-1]
    if _is_short_clause(en, kind, rest):
        return True
    return (
        len(rest) <= (MOST_LISTED if is_longer else MOST_WORDS)
        and not _is_clause(en, rest)
        and _is_phrase_for(en, kind, rest)
    )


def _is_short_clause(en: Vocabulary, kind: Asked, words: tuple[str, ...]) -> bool:
    """ "I did", "my brother did", "it's leaking", "coach is fine"."""
    is_pronoun = en.class_of.get(words[0]) in _PRONOUNS
    is_agreed = is_pronoun and words[-1] in en["auxiliaries"]
    is_agreed = is_agreed or (is_pronoun and len(words) == _SHORT and words[1] in en["auxiliaries"])
    if kind in ("yes or no", "which of them", "who or what") and words[:2] in en.phrases["preferring"]:
        return True
    if is_agreed and kind in ("yes or no", "who or what") and 2 <= len(words) <= _SHORT + (kind == "yes or no"):
        return True
    if kind == "who or what":
        is_who = len(words) <= _SHORT + 1 and words[-1] in en["agreeing"]
        return is_who or (words[0] in ("it's", "that's", "there's") and len(words) <= MOST_WORDS)
    return kind == "which of them" and len(words) == _SHORT and words[1] == "is"


def _is_clause(en: Vocabulary, words: tuple[str, ...]) -> bool:
    """Whether this begins as a clause of its own."""
    first = words[0]
    if first in en.expanded or en.class_of.get(first) in _STARTING:
        return True
    classes = [en.class_of.get(word) for word in words[1:4]]
    is_relative = "subj" in classes or "wh" in classes or "that" in words[1:4]
    if not is_relative and not _HELPING.isdisjoint(classes):
        return True
    bits = en.bits_of(first)
    is_verb = len(words) > 1 and bool(bits & lex.BASE) and first not in en.class_of
    return is_verb and (classes[0] in _BEHIND_COMMAND or not bits & (lex.NOUN | lex.ADJECTIVE))


def _is_phrase_for(en: Vocabulary, kind: Asked, words: tuple[str, ...]) -> bool:
    """Whether words without a verb can be what was asked for."""
    first = en.class_of.get(words[0])
    match kind:
        case "why":
            return False
        case "how":
            return len(words) <= _SHORT + 1 and first != "det"
        case "yes or no":
            return (len(words) <= _SHORT and first != "det") or _is_time(en, words)
        case "when or how much":
            return _is_time(en, words)
        case _:
            return True


def _is_measure(en: Vocabulary, word: str) -> bool:
    """A word of times, numbers and measures."""
    return (
        en.class_of.get(word) in _COUNTING
        or word[0].isdigit()
        or bool(en.bits_of(word) & (lex.TIME | lex.TIME_NOUN))
        or any(word in en[name] for name in ("numbers", "ordinals", "weekdays", "months", "units"))
    )


def _is_time(en: Vocabulary, words: tuple[str, ...]) -> bool:
    """A time, a number or a measure."""
    return (
        len(words) == 1
        or en.class_of.get(words[0]) in _PLACING
        or words[0] in en["degrees"]
        or any(_is_measure(en, word) for word in words)
    )
