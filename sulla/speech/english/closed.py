"""The small words of English by what they do in a clause. Pure: words and nothing else."""

from __future__ import annotations

from typing import Final

_CLASSES: Final = {
    "det": "a an the every my your our their its whichever whatever whose mr mrs ms dr mister missus",
    "demo": "this that these those",
    "quant": (
        "some any all both each either neither another enough more most less several few many much other none "
        "plenty half little such certain no his her dozens hundreds loads lots"
    ),
    "num": (
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand "
        "million dozen zero nought"
    ),
    "subj": "i he she we they",
    "pron": (
        "you it there somebody someone anybody anyone everybody everyone nobody something anything everything "
        "nothing mine yours hers ours theirs myself yourself himself herself itself ourselves themselves me "
        "him us them ones noone"
    ),
    "be": "am is are was were be been being isn't aren't wasn't weren't ain't",
    "have": "have has had haven't hasn't hadn't having",
    "do": "do does did don't doesn't didn't",
    "modal": (
        "can could will would shall should may might must can't cannot couldn't won't wouldn't shan't "
        "shouldn't mustn't mightn't needn't ought"
    ),
    "to": "to",
    "prep": (
        "of for from with at into onto among against without within towards toward upon via per beside "
        "besides beneath behind underneath despite beyond across above below under including regarding "
        "concerning opposite unlike alongside between during except versus inside outside near like about "
        "around past throughout plus minus worth"
    ),
    "both": "before after since until till as than",
    "part": "round up off out down away back together apart aside",
    "mid": "on in over through along by",
    "conj": "and or but nor",
    "sub": "if because unless although though while whereas whenever wherever once provided cause lest",
    "whether": "whether",
    "wh": "whoever what who whom which how where when why",
    "not": "not never",
    "let": "let's",
    "skip": (
        "please just also really actually only even still already always often ever quite rather so too very "
        "then now maybe perhaps probably again almost nearly hardly barely fairly extremely absolutely "
        "completely totally simply um uh er erm uhm hmm mm ah well okay ok yeah yes oh sorry thanks kindly"
    ),
}  # fmt: skip
CLASS_OF: Final = {word: name for name, words in _CLASSES.items() for word in words.split()}

EXPANDED: Final = {
    "i'm": ("i", "am"), "i'll": ("i", "will"), "i'd": ("i", "would"), "i've": ("i", "have"), "you're": ("you", "are"),
    "you'll": ("you", "will"), "you'd": ("you", "would"), "you've": ("you", "have"), "he's": ("he", "is"),
    "he'll": ("he", "will"), "he'd": ("he", "would"), "she's": ("she", "is"), "she'll": ("she", "will"),
    "she'd": ("she", "would"), "it's": ("it", "is"), "it'll": ("it", "will"), "it'd": ("it", "would"),
    "we're": ("we", "are"), "we'll": ("we", "will"), "we'd": ("we", "would"), "we've": ("we", "have"),
    "they're": ("they", "are"), "they'll": ("they", "will"), "they'd": ("they", "would"), "they've": ("they", "have"),
    "that's": ("it", "is"), "that'll": ("it", "will"), "there's": ("there", "is"), "there'll": ("there", "will"),
    "there'd": ("there", "would"), "here's": ("there", "is"), "what's": ("what", "is"), "who's": ("who", "is"),
    "where's": ("where", "is"), "how's": ("how", "is"), "when's": ("when", "is"), "why's": ("why", "is"),
    "who'll": ("who", "will"), "who'd": ("who", "would"), "what're": ("what", "are"), "what'll": ("what", "will"),
    "gonna": ("going", "to"), "wanna": ("want", "to"), "gotta": ("have", "to"), "everyone's": ("everyone", "is"),
    "everybody's": ("everybody", "is"), "somebody's": ("somebody", "is"), "whatever's": ("whatever", "is"),
    "someone's": ("someone", "is"), "nobody's": ("nobody", "is"), "something's": ("something", "is"),
    "nothing's": ("nothing", "is"), "anything's": ("anything", "is"), "all's": ("it", "is"),
    "everything's": ("everything", "is"), "one's": ("one", "is"), "this'll": ("it", "will"), "dunno": ("i", "know"),
}  # fmt: skip
"""Contractions as the words that they are made of; "would" also stands for "had", "is" for "has"."""
