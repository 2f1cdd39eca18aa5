"""English of one word or a few, and what is said in set phrases. Pure."""

from __future__ import annotations

from typing import Final

from sulla.speech.english import lexicon as lex
from sulla.speech.english.closed import CLASS_OF, EXPANDED
from sulla.speech.english.words import DEGREES
from sulla.speech.language import Reading, Said

LEADING: Final = frozenset("det subj be have do modal to prep both conj sub whether let".split())
"""Classes of words that nothing ends with."""
HELPING: Final = frozenset(("be", "do", "have", "modal"))
TAGS: Final = frozenset("it you he she they we i".split())

_SET_PHRASES: Final = frozenset(
    tuple(phrase.split())
    for phrase in (
        "for sure,for good,for free,for now,for certain,at once,at last,at first,at best,at large,by heart,by far,"
        "by default,in full,in general,in particular,in advance,in total,in private,in public,in short,in vain,"
        "in secret,in common,in charge,in detail,in use,as usual,as well,as always,than usual,than ever,on purpose,"
        "rather not,better not,hope not,best not,or not,if not,if so,even so,all along,in between,in person,by now,"
        "and on,and off,and out,and down,and again,and over,for once,for ages,at home,at work,at night,in bed,"
        "on time,in time,on holiday,on board,on foot,by bus,by car,by train,by card,by post,by email,on fire,"
        "at school,in town,at sea,on demand,at present,on hold,in stock,at all,in all,that'll do,it'll do,will do,"
        "should do,one'll do,not quite,move on,let's not,that's it,if possible,if necessary,if needed,if required,"
        "where possible,when possible,as possible,if any,or so,and so on,or something,and everything,as normal,"
        "as planned,as before,as promised,as expected,as yet,on average,on sale,of late,so far,all right,all means,"
        "course not,of course,now on,so on,after all,above all,of all"
    ).split(",")
)
_ASKING: Final = frozenset("who what where when how".split())
_BEHIND_ASKING: Final = frozenset(("prep", "both", "to", "mid"))
_BEFORE_ASKING: Final = frozenset(("both", "prep"))
_ASK_BACK: Final = (("guess", "what"), ("guess", "who"), ("say", "when"))
_ANSWERS: Final = (
    ("you'd", "better"),
    ("know", "of"),
    ("could", "be"),
    ("might", "be"),
    ("must", "be"),
    ("should", "be"),
)
_DENYING: Final = frozenset("not never no nobody nothing hardly".split())
_VAGUE: Final = (("sort", "of"), ("kind", "of"))
_JOINING: Final = frozenset(("wh", "conj", "sub", "both", "whether"))
_LEADING_IN: Final = frozenset("so then no um uh er just now sorry please well okay".split())
_ASKING_FOR: Final = frozenset("would will could can do".split())
_ANSWERING: Final = frozenset(("quant", "num", "demo", "mid", "wh", "pron", "part"))
_STANDING_IN: Final = frozenset(("quant", "demo", "pron"))
_LEADING_WORDS: Final = frozenset("not first second third same better long far as instead apart according".split())
_COMMANDS: Final = frozenset(
    "stop pause resume cancel mute unmute shuffle undo redo repeat skip play continue help start restart "
    "reset save print reload refresh quit exit close delete scroll submit copy paste archive snooze "
    "dismiss answer decline ignore record confirm accept approve approved reject dial".split()
)
_ADVERBS_ALONE: Final = frozenset(
    "exactly definitely certainly totally probably really possibly obviously naturally seriously precisely clearly "
    "apparently hopefully unfortunately sadly surely finally".split()
)
_WITH_MORE: Final = lex.OBJECT | lex.TELL | lex.GIVE | lex.PLACE


def short(said: Said, body: tuple[str, ...]) -> tuple[Reading | None, bool]:
    """What is said in few words.

    Args:
        said: the text.
        body: its sentence.

    Returns:
        A reading, and whether it decides.
    """
    if body[-2:] in _SET_PHRASES or body in _ASK_BACK or (len(body) > 2 and body[:2] == ("make", "that")):
        return None, True
    if body[-1] == "do" and 1 < len(body) < 5 and body[-2].endswith("'ll") and body[-2] not in EXPANDED:
        return Reading(0.8, "that_will_do"), True
    if body[-2:] == ("what", "for"):
        return Reading(0.7, "what_for"), True
    if len(body) == 2 and _asks(body):
        return Reading(0.65, "short_question"), True
    if said.asked and _answers(body):
        return Reading(0.8, "short_answer"), True
    if len(body) == 3 and body[0] in ("here", "there", "off") and body[1] in TAGS:
        return Reading(0.8, "here_you_are"), True
    words = said.words
    if len(words) == 3 and words[0] in ("so", "neither", "nor") and CLASS_OF.get(words[1]) in HELPING:
        return Reading(0.8, "so_do_i"), True
    return None, False


def _asks(body: tuple[str, ...]) -> bool:
    """ "who with", "since when"."""
    first, second = body
    if first in ("how", "what") and second == "to":
        return False
    return (first in _ASKING and CLASS_OF.get(second) in _BEHIND_ASKING) or (
        second in _ASKING and CLASS_OF.get(first) in _BEFORE_ASKING
    )


def _answers(body: tuple[str, ...]) -> bool:
    """ "sort of", "monday it is"."""
    if body in _VAGUE or body[-2:] in _ANSWERS:
        return True
    return len(body) == 3 and body[-2:] == ("it", "is") and body[0] not in CLASS_OF


def is_tag(body: tuple[str, ...]) -> bool:
    """Whether a sentence ends in a question of two words ("isn't it", "would you").

    Args:
        body: of at least three words.
    """
    helping = body[-2]
    if CLASS_OF.get(helping) not in HELPING or CLASS_OF.get(body[-3]) in _JOINING or body[-3] in _LEADING_IN:
        return False
    if helping.endswith("n't") or (body[-1] == "you" and helping in _ASKING_FOR):
        return True
    return any(word in _DENYING or word.endswith("n't") for word in body[:-2])


def one_word(said: Said) -> Reading | None:
    """One word by itself.

    Args:
        said: the text.
    """
    word = said.last
    name = CLASS_OF.get(word)
    if word in EXPANDED and word != "dunno":
        return Reading(0.04, "contraction")
    if (said.asked and (name in _ANSWERING or word == "let's")) or (word == "do" and "please" in said.words):
        return None
    if word in said.asked and "or" in said.asked:
        return None
    if name in LEADING:
        return Reading(0.05, "leads_on")
    if name == "wh":
        return Reading(0.75, "question_word_alone") if said.end == "?" else Reading(0.35, "question_word")
    return _one_of_many(said, word, name)


def _one_of_many(said: Said, word: str, name: str | None) -> Reading | None:
    if name == "num":
        return Reading(0.4, "number_of_what")
    if name in _STANDING_IN:
        return Reading(0.1, "begins_a_sentence")
    if said.asked:
        return None
    if word in DEGREES:
        return Reading(0.08, "degree")
    if word.endswith("ly") and word not in _ADVERBS_ALONE and lex.bits_of(word) == lex.TIME:
        return Reading(0.35, "adverb_leads_on")
    if name == "mid" or word in _LEADING_WORDS:
        return Reading(0.3, "leads_on")
    bits = lex.bits_of(word)
    if bits & lex.BASE and bits & _WITH_MORE and word not in _COMMANDS:
        return Reading(0.4 if bits & lex.ALONE else 0.3, "object_is_missing")
    return None
