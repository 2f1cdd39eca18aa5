"""English words by what has to follow them. Pure."""

from __future__ import annotations

from typing import Final


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


FILLERS: Final = word_set("um uh er erm uhm hmm mm mmm eh ah umm uhh hm")
OPENERS: Final = FILLERS | word_set(
    "so well ok okay yeah yes yep no nope oh sorry right actually like and but please hey just now"
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
CONTRACTED: Final = word_set(
    "i'm i'll i'd i've you're you'll you'd you've he's he'll he'd she's she'll she'd it's it'll it'd we're we'll we'd "
    "we've they're they'll they'd they've that's that'll that'd there's there'll there'd here's what's who's where's "
    "how's when's why's let's who'll who'd there're what're"
)
CONJUNCTIONS: Final = word_set(
    "and or but because cause if unless although though while whereas whenever wherever until till than as nor plus "
    "since so whether lest versus also except"
)
PREPOSITIONS: Final = word_set(
    "of to for from with at into onto by about between among during against without within toward towards upon via per "
    "near beside besides beneath behind underneath despite beyond across around above below under like including "
    "regarding concerning opposite unlike amongst alongside"
)
TIMES: Final = word_set("before after")
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
NEED_OBJECT: Final = word_set(
    "saying telling showing "
    "recommend recommends recommended promised realised realized noticed claims claimed explained assume assumes "
    "require requires avoid handle provide provides receive received attach upload install replace discuss "
    "produces causes caused supports affects allows involves having making giving taking bringing putting using "
    "sending keeping wearing adding able add ask asked asks became become becomes believe borrow borrowed bought "
    "bring brought built buy catch caught compare consider considering contains convert costs create decided "
    "delete describe enjoyed enjoys expected expects explain fed feels find finds found gave get gets give gives "
    "going got has hate have held hope hoping ignores include includes keep keeps let lets looks love loves made "
    "make makes mean means meant mention mentioned mentioning mentions need needed needs owns planning prefer "
    "prefers put reads reckon remind remove said say says schedule seem seemed seems send sent set sets show "
    "showed shows sounds suggested suggests suppose supposed take tell tells think thinks thought told took "
    "translate trying used uses want wanted wants wears weighs wonder wondering"
)
"""Verbs that mean little without what follows."""
OBJECT_AFTER_TO: Final = word_set(
    "fix exchange bake renew replace repair remove create return change build join reach choose cover avoid hurt spill "
    "spilled forward attend visit visited forgot check cancel book order transfer schedule update delete"
)
"""Verbs that an object mostly follows."""
OBJECT_AFTER_SUBJECT: Final = word_set(
    "add book cancel choose click close closed cost lend lift open opened order owe pick press pressed touch touched"
)
"""As those, where somebody stands before them ("whenever I open")."""
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
    "particular previous private public real red right same second short shorter single small smaller smallest spare "
    "specific third top upper usual very warm weekly white whole worse worst wrong yellow younger"
)
"""Adjectives that a noun follows, where an article stands before them."""
TITLES: Final = word_set("auntie captain dr missus mister mr mrs ms prof professor saint sergeant")
TENS: Final = word_set("eighty fifty forty ninety seventy sixty thirty twenty")
NUMBERS: Final = TENS | word_set(
    "dozen eight eighteen eleven fifteen five four fourteen half hundred million nine nineteen nought oh one seven "
    "seventeen six sixteen ten thirteen thousand three twelve two zero"
)
SUBORDINATORS: Final = word_set(
    "after although as because before if once since though unless until when whenever whereas while"
)
"""A clause that they begin wants another one."""
CLAUSE_OPENERS: Final = word_set(
    "although because but how if so though unless when whenever where whether while who why"
)
COMPLEMENT_VERBS: Final = word_set("change keep leave make move place put rename set turn")
"""Requests that say what, and then where to or how."""
PHRASAL: Final = word_set(
    "bring clean cut fill find give look note pick point print put set switch take turn work write"
)
"""Requests that want an object with "up", "off", "down" or "out"."""
BARE_REQUESTS: Final = word_set(
    "add book buy call change create email find get give make move order put remind send set show tell text turn write"
)
GIVERS: Final = word_set("ask bring buy get give let make remind send")
RECEIVERS: Final = word_set("her him me them us")
TELLERS: Final = word_set("ask give remind send tell text")
PASTS: Final = word_set(
    "broke came cut did fell felt found gave goes got hit hurts keeps kept knew left let looks lost made met needs "
    "paid put ran said sang sat saw set shrank slept spent stood taught thought told took went won wore works wrote"
)
"""Verbs that do not look like one."""
