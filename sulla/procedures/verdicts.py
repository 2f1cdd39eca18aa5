"""What a person's reply to a step means, as far as its words say it surely; the rest is for a model to judge. Pure.

Words are surely meant only where nothing around them takes it back: what is quoted, said of others or of another time,
asked, or said under a condition is left to the judge, and to `hold` where there is none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Final, Literal, get_args

from sulla.agent.input.said import Said, read_said
from sulla.core.dataclass import dataclass
from sulla.core.pattern import late_pattern
from sulla.procedures.definition import MOST_ITEMS, DoneWhen, Procedure, ProcedureStep

Verdict = Literal["complete", "hold", "stuck", "exit"]
Judged = Literal["complete", "hold", "stuck", "exit", "side_question"]

CHOICES: Final[Mapping[Judged, str]] = MappingProxyType(
    {
        "complete": "The reply does what the step asks for.",
        "hold": "The reply is about the step and does not do yet what it asks for, or it is not clear.",
        "stuck": "The person does not know how to go on, or says that it does not work.",
        "exit": "The person does not want to go on with it.",
        "side_question": "The person asks or says something else.",
    }
)
"""What a model chooses among that judges a reply."""

ITEM_CHARS: Final = 200
QUESTION_CHARS: Final = 5_000
_REPLY_CHARS: Final = 2_000
_ITEM_WORDS: Final = 6
"""A thing that is named has no more; what has more is a sentence."""

_NOUN: Final = r"(?:exercise|procedure|session|practice|task)"
_LEAVE: Final = r"(?:stop|quit|end|leave|exit|cancel|abort|drop)"
_WANT: Final = (
    r"(?:i (?:just )?(?:want|would like|need|have|have decided|wish|am going) to|i'd like to|i'm going to|i'll|i will|"
    r"(?:i |im |i'm |just )*(?:wanna|gonna|gotta))"
)
_ASKS: Final = r"(?:can|could|may|shall) (?:we|i|you) (?:please )?"
_HERE: Final = r"(?: (?:here|now|this|it|there|right now|for (?:now|today)))*"
_REFUSE: Final = r"(?:do not|don't|dont) (?:want|wish|feel like|care)(?: to)?"
_GO_ON: Final = r"(?:do|doing|continue|continuing|go on|going on|carry on|carrying on|proceed)"

_WHOLE: Final = late_pattern(
    rf"{_LEAVE}{_HERE}|i quit|i'm out|i am out|"
    r"(?:that's |that is )?enough(?: of (?:this|that))?(?: for (?:now|today))?|"
    rf"no more(?: of (?:this|that))?|let's {_LEAVE}{_HERE}|{_WANT} {_LEAVE}{_HERE}|{_ASKS}{_LEAVE}{_HERE}|"
    rf"(?:i )?{_REFUSE} {_GO_ON}(?: (?:this|that|it|with (?:this|it)|any ?more|any longer|right now|now))*|"
    r"i'm done with this|i am done with this|i give up on this|"
    r"never ?mind(?: (?:this|that|it))?|forget (?:it|this|that|about (?:it|this|that))|(?:good ?)?bye(?: ?bye)?|"
    r"i (?:have to|need to|must|gotta|got to|should) go(?: now)?"
)
"""All that a sentence says, or what it ends in behind a comma."""
_NAMED: Final = late_pattern(
    rf"(?:^|{_WANT} |let's |{_ASKS}|\b(?:and|so|to|please|then) ){_LEAVE} (?:the|this|that|our|my) (?:\w+ )?{_NOUN}\b|"
    rf"\b(?:i )?{_REFUSE} (?:\w+ )?{_GO_ON} (?:with )?(?:the|this|that) (?:\w+ )?{_NOUN}\b|"
    rf"\bno more of (?:the|this|that) {_NOUN}\b"
)
"""Words that name what is to end; they may stand in a longer sentence."""
_FILLERS: Final = frozenset(
    "please ok okay well now hey sorry just actually thanks thank you no nope yes yeah hmm um uh oh right alright all "
    "honestly really so then and but".split()
)
_OPINION: Final = late_pattern(r"\bi (?:think|guess|believe|feel like|suppose) (?=i\b|we\b|let's\b|that's\b|it's\b)")
_ELSEWHERE: Final = late_pattern(
    r"\b(?:said|says|told|tells|asked|asks|wrote|yesterday|used to|if|when|"
    r"whenever|once|until|till|after|before|unless|why|how|almost|nearly|tempted|had to|without|"
    r"tomorrow|later|soon|yet|half|(?:last|next|this|every) (?:\w+ )?(?:time|day|night|morning|week|month|year)|"
    r"tonight)\b"
)
"""What takes words out of the here and now."""
_OTHERS: Final = late_pattern(r"\b(?:he|she|they|you|somebody|someone|everybody|everyone)(?:'s|'ve|'re)?\b")
_SHORT: Final = 8
"""Words of a sentence in which one word alone ends a procedure that has it among its `exits`."""
_DONE: Final = (
    r"(?:(?:i|i'm|im|i am|i've|ive|i have|we|we're|we are|it's|its|it is|that's|thats|all|now|then|go|got|the|to the|"
    r"feel|feeling|am|quite|fully|totally|pretty|as) )*{phrase}"
    r"(?: (?:now|then|already|again|here|with (?:it|that|this)|to go|to (?:start|begin)|step|one|too|as well|i think|"
    r"i guess|thank you|so far|it|that|all of (?:it|them)))*"
)
"""The short forms in which a phrase says that a step is done; in anything longer it may say something else."""
_NOT: Final = late_pattern(r"\b(?:not|never|\w+n't|dont|cant|wont|didnt|wouldnt|shouldnt|cannot)\b")
_ASKED: Final = late_pattern(rf"(?:{_ASKS}|let's )")
_CLAUSE: Final = late_pattern(r"\s*(?:[,:\n\u2013\u2014]| - )\s*")
_BULLET: Final = late_pattern(r"^\s*(?:[-*\u2022]|\d{1,2}[.):])\s+")
_BETWEEN: Final = late_pattern(r"\s*(?:[,;\n]|\band\b|&|\bplus\b)\s*", re.IGNORECASE)
_PARTS: Final = late_pattern(r"\s*(?:[,;.!\n]|\band\b|&|\bplus\b)\s*", re.IGNORECASE)
_LEAD: Final = late_pattern(
    r"^(?:(?:ok|okay|well|so|then|hm+|also|first|next)[,:]?\s+)*"
    r"(?:(?:i|we)(?: can| do|'m| am)? (?:see|hear|feel|smell|taste|notice|spot|touch|have)(?:ing)?|"
    r"there(?:'s| is| are)|it'?s|these are|they are)?\s*:?\s*",
    re.IGNORECASE,
)
_NO_ITEM: Final = late_pattern(
    r"(?:i|i'm|i've|i'd|i'll|im|you|we|he|she|it|it's|its|they|this|that|that's|what|who|why|how|when|where|which|can|"
    r"could|do|does|did|is|are|was|should|would|will|please|because|but|let's|give|tell|show|repeat|wait|stop|quit|exit|"
    r"help|skip|pass|nothing|none|same|not|too|so|still|very|feeling|thinking|trying|going)\b",
    re.IGNORECASE,
)
"""How that begins which is said, and not named."""
_QUALITIES: Final = frozenset(
    "red blue green yellow orange purple violet pink brown black white grey gray golden silver dark light bright pale "
    "big small little tiny large huge tall short long wide narrow thick thin heavy old new young ancient modern round "
    "square flat wooden plastic metal metallic woolen woollen leather broken clean dirty dusty dry wet soft hard rough "
    "smooth warm cold hot cool sharp blunt shiny dull pretty beautiful ugly lovely cheap expensive empty full open "
    "closed loud quiet sweet sour bitter salty fresh strong weak fast slow".split()
)
"""Words that say how a thing is: a list of them may be of one thing."""
_WITH: Final = frozenset("a an the my some very really quite so this that his her their our".split())
"""Words beside them."""
_NO_THINGS: Final = frozenset(
    "yes no nope yeah yep ok okay k sure done ready next idk hm hmm hmmm um uh er oh ah aha wow well then also now "
    "maybe sorry thanks hello hi hey hello again later great good fine nice cool right alright hard difficult tough "
    "easy better worse lol phew huh dunno whatever anything something everything".split()
)
"""Words that name nothing; beside things that are named, they are passed over."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply says by its words."""

    verdict: Verdict | None = None
    """None: its words do not say it."""
    items: tuple[str, ...] = ()
    """What it names; without a verdict what it may name, if a model says so."""


def read_reply(reply: str, procedure: Procedure, step: ProcedureStep, has: Collection[str]) -> Reading:
    """Read a reply for what its words surely say.

    Args:
        reply: in the person's own words.
        procedure: the procedure.
        step: the step that it answers.
        has: what was named in this step before; the same thing counts once.
    """
    if wants_out(reply, procedure.exits):
        return Reading("exit")
    done = step.done_when
    if done.how == "items":
        items = items_of(reply)
        if not items:
            return Reading(None, parts_of(reply))
        return Reading("complete" if enough(items, done, has) else "hold", items)
    return Reading("complete" if says_done(reply, done) else None)


def wants_out(reply: str, more: Iterable[str] = ()) -> bool:
    """Whether a person surely says that a procedure shall end.

    Args:
        reply: what the person wrote.
        more: phrases of the procedure's own.
    """
    said = read_said(reply)
    return any(_ends(sentence) for sentence in _sentences(said)) or any(_has(said, phrase) for phrase in more)


def says_done(reply: str, done: DoneWhen) -> bool:
    """Whether a reply surely has one of the phrases by which a step is done.

    Args:
        reply: what the person wrote.
        done: when the step is done.
    """
    said = read_said(reply)
    return any(_says(sentence, phrase) for sentence in said.sentences for phrase in done.phrases)


def enough(items: Collection[str], done: DoneWhen, has: Collection[str]) -> bool:
    """Whether as many different things are named as a step asks for.

    Args:
        items: what a reply names.
        done: when the step is done.
        has: what was named before.
    """
    return len({one.casefold() for one in (*has, *items)}) >= done.count


def parts_of(reply: str) -> tuple[str, ...]:
    """What a reply may name where it is no plain list: its parts, or its words if it has one part. Nothing where it
    asks, or says no.

    Args:
        reply: what the person wrote.
    """
    text = reply[:_REPLY_CHARS].casefold().replace("\u2019", "'")
    if "?" in text or _NOT.search(text):
        return ()
    parts = [_LEAD.sub("", part).strip(" .!\"'") for part in _PARTS.split(text)]
    if len([part for part in parts if part]) == 1:
        parts = re.findall(r"[\w'-]+", parts[0])
    found = [part for part in parts if part not in _NO_THINGS | _WITH and any(map(str.isalnum, part))]
    return tuple(dict.fromkeys(one[:ITEM_CHARS] for one in found))[:MOST_ITEMS]


def items_of(reply: str) -> tuple[str, ...]:
    """The things that a reply names, if it is a list of such, however it is written; nothing if it says anything else.

    Args:
        reply: what the person wrote.
    """
    if "?" in reply or len(reply) > _REPLY_CHARS or _NOT.search(reply.casefold().replace("\u2019", "'")):
        return ()
    lines = [_BULLET.sub("", line) for line in reply.strip().splitlines() if line.strip()]
    parts = [part for line in lines for part in _BETWEEN.split(_LEAD.sub("", line.strip()).rstrip(" .!"))]
    named = [_LEAD.sub("", part).strip(" .!\"'") for part in parts]
    named = [part for part in named if part and part.casefold() not in _NO_THINGS]
    if not named or not all(_is_named(one) for one in named):
        return ()
    if len(named) > 1 and any(_is_quality(one) for one in named):
        return ()  # "a red, old, wooden table" is one thing
    return tuple(dict.fromkeys(one[:ITEM_CHARS] for one in named))[:MOST_ITEMS]


def judged(answer: str) -> Judged:
    """What a model's answer means that was to choose one of `CHOICES`; `hold` for one that is none of them.

    Args:
        answer: what it answered.
    """
    return next((one for one in get_args(Judged) if one == answer.strip()), "hold")


def question(reply: str, procedure: Procedure, step: ProcedureStep, items: tuple[str, ...]) -> str:
    """What a model is asked that judges a reply; at most `QUESTION_CHARS` characters.

    Args:
        reply: what the person wrote.
        procedure: the procedure.
        step: the step that it answers.
        items: what was named in this step before.
    """
    done = step.done_when
    asks = f" It is done when {done.count} {done.items} are named; {len(items)} are." if done.how == "items" else ""
    return (
        f"A person is led through {procedure.title!r}. The step is {step.title!r}: "
        f"{step.instructions[:_REPLY_CHARS]}{asks}\n\n"
        f"The person's reply:\n<reply>\n{reply[:_REPLY_CHARS]}\n</reply>\n\n"
        "What does the reply mean for this step? If it is not clear, choose hold."
    )[:QUESTION_CHARS]


def _ends(sentence: str) -> bool:
    if _ELSEWHERE.search(sentence):
        return False
    asks, words = "_" in sentence, _words(sentence)
    clauses = [_words(clause) for clause in _CLAUSE.split(sentence) if _words(clause)]
    whole = [one for one in (words, *clauses[-1:]) if _WHOLE.fullmatch(_bare(one))]
    if whole:
        return not asks or any(_ASKED.match(_bare(one)) for one in whole)
    found = _NAMED.search(_bare(words))
    if found is None or (asks and not _ASKED.search(_bare(words))):
        return False
    # What the words themselves say no with is meant; any other no takes them back.
    return _NOT.search(words.replace(found[0], " ")) is None


def _says(sentence: str, phrase: str) -> bool:
    """Whether a sentence says nothing but a phrase, here and now."""
    if "_" in sentence or not Said((sentence,)).has(phrase):
        return False
    form = _DONE.replace("{phrase}", re.escape(_words(phrase.casefold().replace("\u2019", "'"))))
    return re.fullmatch(form, _bare(_words(sentence))) is not None


def _is_quality(part: str) -> bool:
    return {*part.casefold().split()} - _WITH <= _QUALITIES


def _has(said: Said, phrase: str) -> bool:
    """Whether a phrase is said here and now, and not asked."""
    return any(Said((one,)).has(phrase) and _is_here(one, phrase.casefold()) for one in said.sentences)


def _is_here(sentence: str, phrase: str) -> bool:
    around = sentence.replace(phrase, " ", 1)
    long = " " not in phrase and len(sentence.split()) > _SHORT
    return not (long or "_" in sentence or _ELSEWHERE.search(around) or _OTHERS.search(around))


def _sentences(said: Said) -> list[str]:
    """The sentences; a question ends with a ``_``."""
    found = [part for one in said.sentences for part in re.split(r"(?<= _ )", one)]
    return [one.strip() for one in found if one.strip()]


def _words(text: str) -> str:
    return _OPINION.sub("", " ".join(re.findall(r"[\w']+", text.replace("_", " "))))


def _bare(text: str) -> str:
    """Without the words that say nothing, at both ends."""
    words = text.split()
    while words and words[0] in _FILLERS and words[:2] != ["no", "more"]:
        del words[0]
    while words and words[-1] in _FILLERS - {"now", "right"}:
        del words[-1]
    return " ".join(words)


def _is_named(part: str) -> bool:
    return len(part.split()) <= _ITEM_WORDS and any(map(str.isalnum, part)) and _NO_ITEM.match(part) is None
