"""What is missing behind the last word of an English text. Each rule names itself in what it says. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech import english_words as w
from sulla.speech.english_words import word_set
from sulla.speech.language import Reading, Said

_TIED: Final = w.DETERMINERS - word_set("her")
_STANDS_ALONE: Final = word_set("her these those any some neither other his each either another")
_BEFORE_HER: Final = w.PREPOSITIONS | w.CONJUNCTIONS
_SHARES: Final = word_set("each euros dollars pounds of")
_SUBJECT_QUESTIONS: Final = word_set("so neither nor where who how")
_SAYING_SO: Final = word_set("think hope suppose guess believe say said not or")
_BEFORE_NOT: Final = word_set("why or hope probably certainly definitely course")
_OPEN: Final = word_set("do have be")
_OPEN_AFTER: Final = word_set("to i we you they should can could would it")
_ANSWERED: Final = word_set("do have can could did does will would")
_ANSWERED_AFTER: Final = word_set("that it to will would should might may must")
_ALONE: Final = word_set("just only almost nearly hardly barely absolutely completely")

_STRANDING: Final = word_set("for from with about like at of into")
_STRANDING_SUBJECTS: Final = word_set("you he she it they we i this that")
_ASKING: Final = w.WH | word_set("what's who's where's")
_RELATED: Final = word_set("one ones thing things person people place what who all")
_KNOWN_OF: Final = word_set("know think heard thought sure aware")
_PLACES: Final = word_set("above below across beyond inside outside around underneath under")
_BEFORE_PLACE: Final = word_set("look looking it all way turn")
_BEFORE_PARTICLE: Final = word_set(
    "it them him her that this still all come stay log sign carry go hold get gone got went came light lights move "
    "check is are was were back not tune fit join plug"
)
_OVER: Final = w.AUXILIARIES | w.CONTRACTED | word_set("almost nearly")
_ON_TONIGHT: Final = word_set("what's what who's is are who")

_LEADS_TO_YOU: Final = word_set(
    "can could would will do did does if that when because don't have should until while before whether what although "
    "unless than makes must might may much many"
)
_TO_YOU: Final = w.PREPOSITIONS | word_set(
    "thank tell are see call give ask love show bother help know meet owe let about like remind"
)
_SUBJECT_OR_OBJECT: Final = word_set("you it we anyone anybody someone there")
_TO_BE: Final = word_set("is are was were has")
_PUTTING: Final = word_set("make turn put set give let mark")
_THAT_IS_IT: Final = w.PREPOSITIONS | word_set(
    "do say did said like than after before know have was on in doing all just not told you me remember forget "
    "mean want"
)
_BEFORE_CLAUSE: Final = w.DETERMINERS | word_set("is so uh think believe hope suppose guess feel sure seems means")
_THIS_IS_IT: Final = w.PREPOSITIONS | word_set("check like do before after is in on about")
_WHAT: Final = word_set("so for or guess exactly and since by with")


def filler(said: Said) -> Reading | None:
    """Nobody stops at "um"."""
    return Reading(0.03, "filler") if said.last in w.FILLERS else None


def open_end(said: Said) -> Reading | None:
    """A comma, a dash or dots at the end."""
    if said.end and said.end[-1] in ",;:-\u2013\u2014\u2026":
        return Reading(0.08, "open_punctuation")
    return Reading(0.15, "dots") if said.end.endswith("..") else None


def preposition(said: Said) -> Reading | None:
    """Prepositions that nothing follows, unless a question left them there ("where are you from")."""
    last, before = said.last, said.before
    if last in w.PREPOSITIONS:
        if _is_stranded(said):
            return Reading(0.75, "stranded_preposition")
        if last in _PLACES and (said.asked or before in _BEFORE_PLACE):
            return Reading(0.7, "adverb_of_place")
        return Reading(0.05, "preposition")
    if last in w.TIMES:
        is_whole = before in w.PHRASES_OF_TIME
        return Reading(0.85, "adverb_of_time") if is_whole else Reading(0.07, "before_or_after")
    if last == "past" and (before in w.NUMBERS or before == "quarter"):
        return Reading(0.05, "preposition")
    return _particle(said) if last in w.PARTICLES else None


def _is_stranded(said: Said) -> bool:
    body, last, before = said.body, said.last, said.before
    if last == "like":
        return before in _STRANDING_SUBJECTS and (body[0] in w.WH or body[-3:-2] != ("would",))
    if last == "of" and before in _KNOWN_OF:
        return "that" in body or "not" in body
    if (before.endswith(("ing", "ed")) or before in ("you", "me")) and len(body) > 4 and _RELATED & set(body[:-3]):
        return last in _STRANDING or last == "to"
    if last not in _STRANDING or body[0] not in _ASKING or len(body) < 3 or body[0] == "how":
        return False
    return before in _STRANDING_SUBJECTS or before.endswith("ing")


def _particle(said: Said) -> Reading:
    words, before = said.words, said.before
    if len(words) == 1:
        return Reading(0.6, "particle")
    if said.last == "in" and before in ("is", "are"):
        return Reading(0.2, "particle_begins_a_phrase")
    if before in _BEFORE_PARTICLE:
        return Reading(0.75, "particle")
    if before.endswith("ly") or before in _OVER:
        return Reading(0.7, "particle") if said.last == "over" else Reading(0.3, "particle_begins_a_phrase")
    if words[0] in _ON_TONIGHT and len(words) <= 5:
        return Reading(0.65, "particle")
    return Reading(0.1, "particle_begins_a_phrase")


def small_word(said: Said) -> Reading | None:
    """Articles, conjunctions, helping verbs and the like, which lead on to something."""
    last, before, words = said.last, said.before, said.words
    if last in w.CONJUNCTIONS:
        return _conjunction(said)
    if last in w.DETERMINERS:
        return _determiner(said)
    if last in w.AUXILIARIES:
        return _auxiliary(said)
    if last in w.CONTRACTED:
        return Reading(0.04, "contraction")
    if last in w.SUBJECTS:
        inverted = len(words) > 2 and words[-3] in _SUBJECT_QUESTIONS and before in w.AUXILIARIES
        return None if inverted or before == "than" else Reading(0.05, "subject")
    if last in w.DEGREES:
        is_answer = last in _ALONE and len(words) == 1 and said.asked
        return Reading(0.9, "degree_alone") if is_answer else Reading(0.08, "degree")
    return Reading(0.06, "title") if last in w.TITLES else None


def _determiner(said: Said) -> Reading | None:
    last, before = said.last, said.before
    if last in _STANDS_ALONE and said.asked and len(said.words) <= 2:
        return None
    if last == "her" and before and before not in _BEFORE_HER:
        return Reading(0.55, "her")
    return Reading(0.8, "each") if last in _STANDS_ALONE and before in _SHARES else Reading(0.04, "determiner")


def _conjunction(said: Said) -> Reading:
    last, before = said.last, said.before
    if (last == "so" and before in _SAYING_SO) or (last == "though" and len(said.words) > 3):
        return Reading(0.85, "so")
    if last == "not" and (before in _BEFORE_NOT or not before or (before in w.AUXILIARIES and said.asked)):
        return Reading(0.6, "not")
    return Reading(0.04, "conjunction")


def _auxiliary(said: Said) -> Reading:
    last, before, words = said.last, said.before, said.words
    asks = any(word in w.WH for word in words[:-2])
    if words[-3:] in (("as", "it", "is"), ("as", "they", "are")):
        return Reading(0.85, "as_it_is")
    if asks and (before in w.PRONOUNS or before in ("time", "much")) and last not in ("do", "be", "been"):
        return Reading(0.7, "indirect_question")
    if asks and last in _OPEN and before in _OPEN_AFTER:
        return Reading(0.7, "open_question")
    if said.asked and last in _ANSWERED and before in _ANSWERED_AFTER:
        return Reading(0.6, "answer_with_verb")
    return Reading(0.05, "auxiliary")


def pronoun(said: Said) -> Reading | None:
    """Pronouns that a verb follows ("could you"), demonstratives that a noun follows ("convert this")."""
    last, before, words = said.last, said.before, said.words
    if last in _SUBJECT_OR_OBJECT and (found := _subject(said)):
        return found
    if len(words) == 2 and before in w.AUXILIARIES and last in w.PRONOUNS and not said.asked:
        return Reading(0.1, "question_without_verb")
    if before in _PUTTING and last in ("it", "them") and len(words) <= 6:
        return Reading(0.2, "where_or_how_is_missing")
    if last == "that":
        return _that(said)
    if last == "this":
        is_object = before in _THIS_IS_IT or said.body[0] in w.WH
        return Reading(0.8, "object") if is_object else Reading(0.3, "this")
    return None


def _subject(said: Said) -> Reading | None:
    before, words = said.before, said.words
    if before in _LEADS_TO_YOU:
        return None if said.asked and len(words) <= 2 else Reading(0.07, "subject")
    if before in _TO_BE and len(words) <= 2 and not said.asked:
        return Reading(0.1, "subject")
    if said.last == "you" and len(words) > 5 and before not in _TO_YOU and not before.endswith(("ed", "ing", "s")):
        return Reading(0.3, "subject")
    return None


def _that(said: Said) -> Reading:
    before, words = said.before, said.words
    if len(words) <= 3 and before not in _BEFORE_CLAUSE and words[0] not in _TIED:
        return Reading(0.85, "object")
    is_object = before in _THAT_IS_IT or (before in _TO_BE and said.body[0] in w.WH)
    return Reading(0.8, "object") if is_object else Reading(0.1, "relative_that")


def question_word(said: Said) -> Reading | None:
    """A question word at the end begins a clause."""
    if said.last not in w.WH:
        return None
    is_not_known = said.words[-3:-1] in (("don't", "know"), ("didn't", "know"), ("not", "sure"))
    if len(said.words) == 1 or said.before in _WHAT or is_not_known:
        return Reading(0.75, "question_word_alone")
    return Reading(0.07, "question_word")
