"""How far an English text has come: its clauses, and what each of them still needs. Pure.

Words are taken one by one, left to right, with no way back; where a word can be several things, what the clause needs
decides. So it is wrong about many a sentence, but seldom about whether something has to follow its last word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sulla.speech.english.helping import take_be, take_do, take_have, take_let, take_modal
from sulla.speech.english.joints import (
    take_both,
    take_conj,
    take_not,
    take_preposition,
    take_skip,
    take_sub,
    take_to,
    take_wh,
    take_whether,
)
from sulla.speech.english.nominals import take_demo, take_det, take_num, take_pron, take_quant, take_subj
from sulla.speech.english.opened import open_class
from sulla.speech.english.particles import take_mid, take_part
from sulla.speech.english.state import NAMED_PHRASE, SUB, Clause, Parse, push
from sulla.speech.english.vocabulary import Vocabulary


def parse(en: Vocabulary, words: tuple[str, ...]) -> Parse:
    """Read words."""
    state = Parse(en)
    for word in _plain(en, words):
        parts = en.expanded.get(word)
        if word == "that's" and state.fresh and state.phrase == NAMED_PHRASE and state.seen > 1:
            parts = ("that", "is")
        if parts is None and "'" in word:
            parts = _expanded(word)
        if parts is None:
            _feed(state, word)
        else:
            for part in parts:
                _feed(state, part)
    return state


def _expanded(word: str) -> tuple[str, str] | None:
    """ "one'll" and "could've" as two words."""
    head, _, tail = word.rpartition("'")
    return (head, _HELPERS[tail]) if head and tail in _HELPERS and not head.endswith("n't") else None


_HELPERS: Final = {"ll": "will", "ve": "have", "d": "would", "re": "are"}


def _plain(en: Vocabulary, words: tuple[str, ...]) -> list[str]:
    """Without words said twice, "i mean", "you know" and "on earth"; "no one" and "thank you" as one word."""
    found: list[str] = []
    for word in words:
        if found and word == found[-1]:
            continue
        if word == "one" and found and found[-1] == "no":
            found[-1] = "nobody"
            continue
        if word == "you" and found and found[-1] == "thank":
            found[-1] = "thanks"
            continue
        found.append(word)
        if len(found) > 2 and (found[-2], word) == ("on", "earth"):
            del found[-2:]
            continue
        if len(found) > 2 and (found[-2], word) in en.phrases["asides"] and found[-3] not in en["asked"]:
            del found[-2:]
    return found


_INVERTING: Final = frozenset(("be", "have", "do", "modal", "skip", "wh", "prep", "to"))


def _feed(state: Parse, word: str) -> None:
    name = state.en.class_of.get(word)
    if (
        state.seen == 1
        and state.last in state.en["when"]
        and name not in _INVERTING
        and not word.endswith(("ly", "else"))
    ):
        # "when the rain stops" asks nothing.
        state.top.wh = ""
        push(state, Clause(SUB))
        state.top.wh = state.last
    if word == "please" and state.last == "to":
        name = None
    if state.seen == 0 and word in ("given", "considering"):
        name = "prep"
    if state.seen == 0 and word in state.en["compared"]:
        name = "skip"
    handler = _HANDLERS[name] if name is not None else open_class
    handler(state, word)
    state.before, state.last = state.last, word
    state.seen += 1


_HANDLERS: Final[dict[str, Callable[[Parse, str], None]]] = {
    "det": take_det,
    "demo": take_demo,
    "quant": take_quant,
    "num": take_num,
    "subj": take_subj,
    "pron": take_pron,
    "be": take_be,
    "have": take_have,
    "do": take_do,
    "modal": take_modal,
    "to": take_to,
    "prep": take_preposition,
    "both": take_both,
    "part": take_part,
    "mid": take_mid,
    "conj": take_conj,
    "sub": take_sub,
    "whether": take_whether,
    "wh": take_wh,
    "not": take_not,
    "let": take_let,
    "skip": take_skip,
}
