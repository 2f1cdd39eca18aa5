"""English words by what has to follow them. Pure."""

from __future__ import annotations

from typing import Final


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


FILLERS: Final = word_set("um uh er erm uhm hmm mm mmm eh ah umm uhh hm")
OPENERS: Final = FILLERS | word_set(
    "so well ok okay yeah yes yep no nope oh sorry right actually like and but please hey just now blimey crikey gosh "
    "wow ugh oops ouch hi hello yo dude mate honestly seriously basically literally anyway anyways alright cheers ta "
    "aha yay yikes phew damn darn nah ooh aw oi listen obviously apparently thankfully luckily hopefully sadly "
    "unfortunately frankly personally admittedly incidentally meanwhile"
)
"""What may stand before what is really said."""

SUBJECTS: Final = word_set("i he she we they who")
PRONOUNS: Final = SUBJECTS | word_set(
    "you it that this there these those somebody someone anybody anyone everybody nobody"
)
POSSESSIVES: Final = word_set("my your our their its")
ARTICLES: Final = word_set("the a an every each")
DETERMINERS: Final = (
    POSSESSIVES
    | ARTICLES
    | word_set("an any another certain either her his neither other several some such these those various whose")
)
"""Those that a noun follows."""

AUXILIARIES: Final = word_set(
    "am is are was were be been being do does did has have had can could will would shall should may might must "
    "isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't can't cannot couldn't won't wouldn't "
    "shouldn't mustn't mightn't needn't ain't gonna wanna gotta"
)
PREPOSITIONS: Final = word_set(
    "of to for from with at into onto by about between among during against without within toward towards upon via per "
    "near beside besides beneath behind underneath despite beyond across around above below under like including "
    "regarding concerning opposite unlike amongst alongside"
)
PARTICLES: Final = word_set("on in over through along")
"""They end a phrase ("turn it on") or begin one ("on Monday")."""
WH: Final = word_set("what who how where when why which whose whom")
PHRASES_OF_TIME: Final = word_set(
    "day week month year night morning evening weekend hour minute one ever soon long shortly just never that "
    "this there as it"
)

DEGREES: Final = word_set(
    "absolutely almost approximately barely completely especially even extremely fairly hardly incredibly just kinda "
    "mainly mostly nearly only particularly pretty quite rather roughly slightly sorta very"
)
"""They make the next word more or less."""
ADVERBS: Final = word_set(
    "ever "
    "actually already also always basically becoming being currently due getting just never not often probably quite "
    "really so still usually very"
)
MODIFIERS: Final = word_set(
    "outdoor indoor vegetarian wooden plastic additional various recent upcoming following previous "
    "annual back bad best better big bigger biggest black blue bottom brown cheaper clean closest cold couple current "
    "daily different digital dirty double electric entire extra few final first free fresh front frozen full general "
    "good gray great green grey half high hot large larger last latest left little local long longer low lower main "
    "medical middle monthly national nearest new newest next nice normal old older oldest only original other own "
    "particular private public real red right same second short shorter single small smaller smallest spare "
    "specific third top upper usual very warm weekly white whole worse worst wrong yellow younger"
)
"""Adjectives that a noun follows, where an article stands before them."""
TENS: Final = word_set("eighty fifty forty ninety seventy sixty thirty twenty")
NUMBERS: Final = TENS | word_set(
    "dozen eight eighteen eleven fifteen five four fourteen half hundred million nine nineteen nought oh one seven "
    "seventeen six sixteen ten thirteen thousand three twelve two zero"
)
