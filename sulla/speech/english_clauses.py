"""English clauses that are begun and not ended: a verb without its object, an adjective without its noun. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech import english_words as w
from sulla.speech.english_words import word_set
from sulla.speech.language import Reading, Said

_MAIN: Final = word_set(
    "i i'll i'd i've i'm we we'll we'd we're you you'll he he'll she she'll they they'll it it'll it's then "
    "please tell let let's can could would will should there there's that's don't what where who how call send "
    "stop remind"
)
_ASKS_OBJECT: Final = word_set("what who which whose whom")
_STILL_GOING: Final = word_set("trying hoping going")
_OBJECT_BEFORE: Final = word_set("all what that everything one if whatever as where how than anything")
_SUBJECTS: Final = w.SUBJECTS | word_set("you it to they'll i'll you'll")
_PASSIVE: Final = word_set("know told asked set held built made found caught ordered bought sent used kept")
_AFTERTHOUGHTS: Final = word_set("think believe suppose reckon hope")
_SIDES: Final = word_set("left right first second back front top bottom end best worst same cold tenth")
_NOUNS_TOO: Final = word_set("bit right left own half cold double lot back front little")
_LEADING_ON: Final = word_set("now then both maybe perhaps finally especially possibly")
_AS_NOUNS: Final = _SIDES | word_set(
    "last long short full general particular good real public private red blue green yellow black white brown "
    "grey gray next own high low middle little double half couple few"
)
_COUNTING: Final = w.POSSESSIVES | word_set(
    "these those weighs takes lasts every another about need print buy order the a"
)
_BEFORE_ADVERB: Final = w.AUXILIARIES | w.CONTRACTED | w.SUBJECTS | word_set("you")
_OWNED: Final = w.ARTICLES | w.POSSESSIVES
_PLACED: Final = w.PREPOSITIONS | w.PARTICLES
_NUMBERED: Final = word_set(
    "platform gate room page chapter flight terminal level exit channel step version row floor number"
)
_LARGE: Final = word_set("hundred thousand million")
_NOUNS_IN_ING: Final = word_set(
    "morning evening thing meeting building wedding ring king wing ceiling painting spring string feeling drawing "
    "recording setting heating clothing warning booking beginning ending hearing reading fitting listing landing "
    "opening being finding training timing lighting railing viewing briefing filling"
)
_NOUNS: Final = _NOUNS_IN_ING | word_set(
    "professional cheese handful librarian guardian vegetarian pedestrian musician physician technician electrician "
    "politician magician optician dietician bed seed shed weed need feed speed red test guest rest west forest request "
    "interest chest nest contest protest harvest quest"
)
_AT_NAME: Final = word_set("at to from than like near")
_WHOSE: Final = word_set("whose is it's that's")
_DANGLING: Final = word_set("because since when after before until as if")
_THESE: Final = w.ARTICLES | w.POSSESSIVES | word_set("this these those his her any")
_ALONE_SUBJECTS: Final = word_set("i it they we you there this that")
_LISTS: Final = word_set("choices options colours colors sizes names members ingredients steps reasons flavours")
_WOULD: Final = (("would", "you", "mind"), ("do", "you", "know"), ("you", "know"), ("i", "mean"), ("kind", "of"))
_CLAUSE_VERBS: Final = word_set(
    "say says said think thinks thought hope hopes wish suppose believe reckon guess feel wonder told me whether that"
) - word_set("told me that")
_WANTING: Final = word_set("want wants wanted need needs needed asked expect expects allow allows")
_WANTED: Final = w.RECEIVERS | word_set("you someone somebody people everyone everybody")
_PREPOSITIONAL: Final = word_set("look listen rely refer refers belongs consists deal focus")
_INVERTED: Final = word_set("do does did can could will would should has have")
_RELATIVE: Final = word_set("who that which")


def transitive(said: Said) -> Reading | None:
    """A verb whose object is missing."""
    last, before, words, body = said.last, said.before, said.words, said.body
    if last in w.OBJECT_AFTER_TO and (before == "to" or before in _SUBJECTS or before == "please") and not said.asked:
        return Reading(0.45, "object_may_follow") if body[0] not in w.WH else None
    if last in w.OBJECT_AFTER_SUBJECT and before in _SUBJECTS and not said.asked:
        return Reading(0.25, "object_is_missing") if body[0] not in w.WH and len(words) > 2 else None
    if last not in w.NEED_OBJECT or (len(words) == 1 and said.asked):
        return None
    if len(body) > 2 and last not in _STILL_GOING and (body[0] in _ASKS_OBJECT or body[:2] == ("how", "much")):
        return Reading(0.75, "question_asks_for_it")
    if _has_its_object(said):
        return Reading(0.72, "object_stands_before")
    if before in ("than", "as") and last.endswith("ed"):
        return Reading(0.75, "as_expected")
    if last in _PASSIVE and body[0] not in w.AUXILIARIES and any(word in w.AUXILIARIES for word in words[-4:-1]):
        return Reading(0.75, "passive")
    if before == "i" and last in _AFTERTHOUGHTS and len(words) > 3:
        return Reading(0.7, "as_i_think")
    return Reading(0.12, "object_is_missing")


def _has_its_object(said: Said) -> bool:
    """ "all you need", "what to buy", "the stew that you suggested"."""
    words, before = said.words, said.before
    if before in _SUBJECTS and any(word in _OBJECT_BEFORE for word in words[:-2]):
        return True
    if words[-2:-1] == ("to",) and words[-3:-2] and words[-3] in w.WH:
        return True
    return len(words) > 5 and before in w.PRONOUNS and any(word in w.DETERMINERS for word in words[-6:-2])


def modifier(said: Said) -> Reading | None:
    """An adjective that its noun has to follow: "the bigger", "my old"."""
    last, before = said.last, said.before
    if last in w.MODIFIERS and (before in w.DETERMINERS or before in ("this", "that", "of")):
        return _adjective(said)
    if before in ("and", "or", "but", "so") and last in _LEADING_ON:
        return Reading(0.06, "conjunction")
    if before in _BEFORE_ADVERB and last in w.ADVERBS:
        return Reading(0.15, "adverb_leads_on")
    if said.asked:
        return None
    if (before in _OWNED or before in ("that", "this")) and _is_attributive(last):
        return Reading(0.25, "noun_is_missing")
    if (before, last) == ("at", "least"):
        return Reading(0.15, "at_least")
    if before in w.PREPOSITIONS and last in w.MODIFIERS and last not in _AS_NOUNS:
        return Reading(0.3, "noun_is_missing")
    return _number(said) or _possessive(said)


def _adjective(said: Said) -> Reading:
    last, before, words = said.last, said.before, said.words
    if before == "the" and last in _SIDES and len(words) > 3 and (words[-3] in _PLACED or words[-3] == "than"):
        return Reading(0.7, "on_the_left")
    if before in ("a", "my", "of") and last in _NOUNS_TOO:
        return Reading(0.6, "a_little")
    return Reading(0.15, "noun_is_missing")


def _number(said: Said) -> Reading | None:
    last, before = said.last, said.before
    if last == "half" and before == "at":
        return Reading(0.1, "half_past_what")
    if last in _NUMBERED and before in _PLACED:
        return Reading(0.3, "which_number")
    if before in w.NUMBERS and last.endswith("est"):
        return Reading(0.25, "noun_is_missing")
    if last not in w.NUMBERS or (last == "one" and before not in w.POSSESSIVES):
        return None
    if (
        before in _COUNTING
        or before in w.DEGREES
        or before.endswith("ed")
        or (before == "for" and "timer" in said.words)
    ):
        return Reading(0.15, "number_of_what")
    return Reading(0.35, "large_number_of_what") if last in _LARGE else None


def _possessive(said: Said) -> Reading | None:
    is_one = said.last.endswith("'s") and said.last not in w.CONTRACTED
    if is_one and said.words[0] not in _WHOSE and said.before not in _AT_NAME:
        return Reading(0.15, "possessive")
    return None


def _is_attributive(word: str) -> bool:
    """Whether a word is an adjective by its ending."""
    return word.endswith(("ing", "ous", "ical", "ional", "ese", "ful", "ian", "ed", "est")) and word not in _NOUNS


def clause(said: Said) -> Reading | None:
    """A clause that another has to follow, or one that lacks its verb."""
    words, body = said.words, said.body
    if body[0] in w.SUBORDINATORS and not said.pauses and not (said.asked and body[0] in _DANGLING):
        is_question = body[0] == "when" and body[1:2] and body[1] in w.AUXILIARIES
        if not is_question and not any(word in _MAIN for word in body[3:]):
            return Reading(0.15, "main_clause_is_missing")
    if len(words) >= 4:
        if words[-3] in w.CLAUSE_OPENERS and words[-2] in _THESE:
            return Reading(0.15, "clause_without_verb")
        if words[-1] == "later" and words[-4] == "and":
            return Reading(0.15, "clause_without_verb")
    return _repair(said) or _unsaid(said) or _fragment(said)


def _unsaid(said: Said) -> Reading | None:
    """ "I think the plumber", "they want us", "someone to look"."""
    words, last, before = said.words, said.last, said.before
    if words[-3:-2] and words[-3] in _CLAUSE_VERBS and before in _THESE:
        return Reading(0.25, "clause_without_verb")
    if before in _WANTING and last in _WANTED and len(words) > 2:
        return Reading(0.3, "what_is_missing")
    if last in _PREPOSITIONAL and (before == "to" or before in w.SUBJECTS):
        return Reading(0.3, "preposition_is_missing")
    if before == "how" and last in ("much", "many", "long", "far", "often") and len(words) > 3:
        return Reading(0.2, "question_word")
    if len(said.body) == 3 and said.body[0] == "how" and said.body[1] in ("many", "much") and not said.asked:
        return Reading(0.25, "question_without_verb")
    if last == "then" and "first" in words:
        return Reading(0.1, "conjunction")
    return None


def _repair(said: Said) -> Reading | None:
    """ "five, no" and "sorry, not Steve"."""
    words, last, before = said.words, said.last, said.before
    if before == "not" and words[-3:-2] and words[-3] in ("sorry", "no"):
        return Reading(0.1, "self_repair")
    if (before, last) == ("i", "mean"):
        return Reading(0.04, "self_repair")
    if (
        last == "sorry"
        and len(words) > 3
        and before not in ("i'm", "so", "really", "very", "am", "say", "said", "feel")
    ):
        return Reading(0.15, "self_repair")
    if last == "no" and len(words) > 3 and words[-3:-1] != ("yes", "or"):
        return Reading(0.1, "self_repair")
    return None


def _fragment(said: Said) -> Reading | None:
    body = said.body
    if said.asked or said.end == "?":
        return None
    if body in _WOULD or (len(body) == 1 and body[0] in _ALONE_SUBJECTS):
        return Reading(0.1, "begins_a_sentence")
    if body[0] in w.AUXILIARIES and len(body) == 3 and body[1] in _THESE:
        return Reading(0.15, "question_without_verb")
    if 2 < len(body) <= 4 and body[0] in w.WH and body[1] in _INVERTED and body[2] in _THESE:
        return Reading(0.15, "question_without_verb")
    if body[0] in _PLACED and len(body) <= 4 and not any(map(_is_verb, body)):
        return Reading(0.3, "only_when_or_where")
    if body[0] in _OWNED:
        return _subject_alone(body)
    return _request(body)


def _subject_alone(body: tuple[str, ...]) -> Reading | None:
    """ "the interface", "the woman who lives upstairs"."""
    is_relative = 3 < len(body) <= 6 and body[2] in _RELATIVE
    verbs = body[4:] if is_relative else body[2:]
    if (is_relative or len(body) <= 4) and not any(map(_is_verb, verbs)):
        return Reading(0.2, "subject_without_verb")
    return None


def _request(body: tuple[str, ...]) -> Reading | None:
    """ "turn off", "remind me", "make the hallway"."""
    if len(body) == 1 and body[0] in w.BARE_REQUESTS:
        return Reading(0.3, "object_is_missing")
    if len(body) == 2 and body[0] in w.PHRASAL and body[1] in ("up", "off", "down", "out"):
        return Reading(0.3, "object_is_missing")
    if 1 < len(body) <= 6 and body[-2] in w.GIVERS and body[-1] in w.RECEIVERS:
        return Reading(0.2, "what_is_missing")
    if len(body) == 2 and body[0] in w.TELLERS:
        return Reading(0.3, "what_is_missing")
    if len(body) == 3 and body[0] in w.COMPLEMENT_VERBS and body[1] in _OWNED:
        return Reading(0.3, "where_or_how_is_missing")
    return None


def _is_verb(word: str) -> bool:
    if word in w.AUXILIARIES or word in w.PASTS or word.endswith(("ed", "n't")):
        return True
    return word.endswith("s") and not word.endswith(("ss", "'s", "stairs"))


def listing(said: Said) -> Reading | None:
    """A list without its "and"."""
    words = said.words
    if "step" in words[-3:-1] and said.last in w.NUMBERS:
        return Reading(0.06, "step_without_words")
    if "first" in words and "two" in words[:5] and "second" not in words and "then" not in words:
        return Reading(0.2, "second_is_missing")
    if words.count("only") == 1 and words[words.index("only") - 1] == "not" and "but" not in words and len(words) > 3:
        return Reading(0.15, "but_is_missing")
    if "and" in words[-5:] or "or" in words[-5:]:
        return None
    return Reading(0.3, "list_without_and") if _is_list(said) else None


def _is_list(said: Said) -> bool:
    words = said.words
    if words[0] == "the" and "are" in words and len(words) > 3 and words[1] in _LISTS:
        return True
    if said.asked and said.asked[0] in ("which", "what") and words.count("the") >= 2 and len(words) <= 6:
        return not set(words) & _PLACED
    return said.pauses >= 2 and len(words) <= 12 and (words[0] in w.ARTICLES or not said.end)


def whole(said: Said) -> Reading | None:
    """Nothing is missing; some ends are surer than others."""
    if said.end.endswith(("?", "!")):
        return Reading(0.95, "question_mark")
    if said.asked and len(said.words) <= 5:
        return Reading(0.95, "short_answer", "answer")
    return Reading(0.88, "full_stop") if said.end else None
