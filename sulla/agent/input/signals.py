"""Signs that a text wants to steer the model, or is no message at all (seed 004, design §6). Pure.

A signal lowers what the agent may do by itself (design §9). It never drops, changes or delays anybody's words, and
it is no gate: it notices what is sent to many, not what was written for one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from sulla.agent.input.phrases import find_phrases
from sulla.agent.input.views import TextView, Word, placed_words, views, words
from sulla.core.dataclass import dataclass
from sulla.core.pattern import late_pattern

CAPITALS_OVER: Final = 20
"""A longer text all in capitals is a signal (design §6)."""
SAME_CHARACTER: Final = 16
"""One character so many times in a row is a signal (design §6)."""
WORDS_AT_LEAST: Final = 8
"""From so many words on, it counts how often one of them comes (design §6)."""
WORD_SHARE: Final = 0.7
"""One word with a larger share is a signal (design §6)."""

MAX_EXCERPT: Final = 80
"""Characters of the text that a reason quotes at the most."""

_HIDDEN: Final = {"tag": 1, "private_use": 3, "variant": 4, "joiner": 3, "bidi": 4, "ignorable": 4}
"""So many characters of a class are more than carelessness: contacts and chats wrap names in two or three."""

_DRAWING: Final = frozenset(
    "-=_*#~+.|/\\<>^`:\u00b7\u2022\u2026\u2014\u2013\u2500\u2501\u2502\u2550\u2580\u2584\u2588\u2591"
)
"""What rules, tables, banners and progress bars are drawn with. A row of them is layout, whatever its length."""
_PADDING: Final = frozenset("0AFaf")
"""What stands in rows in hexadecimal dumps and keys; a row of these alone, without other letters at it, is a signal."""
_SAME = late_pattern(r"(\S)\1{15}")
_LETTER = late_pattern(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Signal:
    """One sign, and why it was taken for one."""

    name: str
    """Stable, for diagnostics."""
    reason: str
    """In words, with an excerpt."""
    where: str
    """The view of the text and the place in it, e.g. ``text at 12``, ``base64, folded at 40``; or ``removed``."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """Something that is recognized by its form."""

    name: str
    reason: str
    pattern: re.Pattern[str]
    holds: Callable[[re.Match[str]], bool] = lambda match: True
    """Looks at the match alone, never at the whole text: there may be thousands of matches."""
    beside: re.Pattern[str] | None = None
    """What else has to be somewhere in the text."""


_ORDER = late_pattern(
    r"\b(?:you|your|ignore|disregard|forget|always|never|must|from now on|override|new instructions)\b", re.IGNORECASE
)
_PLACEHOLDER = late_pattern(r"[{}<>$\[]|%7b|%24|\b(?:DATA|SECRET|SUMMARY|PAYLOAD|HISTORY|BASE64|CONTENT|PASSWORD)\b")
_TALK_OF_DATA = late_pattern(
    r"\b(?:conversation|history|secret|password|api key|credentials|previous messages|summary of)", re.IGNORECASE
)


def _is_prose_order(match: re.Match[str]) -> bool:
    return _ORDER.search(match["rest"]) is not None


def _carries_data(match: re.Match[str]) -> bool:
    return _PLACEHOLDER.search(match["url"]) is not None


def _has_query(match: re.Match[str]) -> bool:
    return "?" in match["url"]


_MARKDOWN_IMAGE = late_pattern(r"!\[[^\]\n]{0,200}\]\(\s{0,4}(?P<url>(?:https?:)?//[^)\n]{1,1000})\)", re.IGNORECASE)
_HTML_IMAGE = late_pattern(
    r"<img\b[^>\n]{0,200}?\bsrc\s{0,4}=\s{0,4}[\"'](?P<url>(?:https?:)?//[^\"'\n]{1,1000})", re.IGNORECASE
)


_SHAPES: Final = (
    _Shape(
        "template_token",
        "has a control token of a chat template",
        late_pattern(
            r"<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|begin_of_text|end_of_text|start_header_id|"
            r"end_header_id|eot_id|eom_id|endofprompt|fim_prefix|fim_suffix|channel|message|start|end|return|call)\|>"
            r"|\[/?INST\]|<</?SYS>>|</?start_of_turn>|<end_of_turn>|\[/?SYSTEM_PROMPT\]|\[/?AVAILABLE_TOOLS\]"
            r"|<\|(?:begin|end)[\u2581_]of[\u2581_]sentence\|>",
            re.IGNORECASE,
        ),
    ),
    _Shape(
        "role_line",
        "has a line in the form of a chat template's system turn",
        late_pattern(
            r"^[ \t>#*\[(]{0,8}(?:system|developer)(?: (?:message|prompt|override|instruction|instructions|notice))?"
            r"[\])* ]{0,4}:(?P<rest>[^\n]{1,300})",
            re.IGNORECASE | re.MULTILINE,
        ),
        _is_prose_order,
    ),
    _Shape(
        "role_line",
        "has an element in the form of a system turn",
        late_pattern(
            r"[<\[](?:system|system_prompt|system-prompt|system_message|system-reminder|admin|developer_message)[>\]]"
            r"(?P<rest>[^<]{1,300})",
            re.IGNORECASE,
        ),
        _is_prose_order,
    ),
    _Shape(
        "wrapper_imitation",
        "has a completion wrapper of ours",
        late_pattern(
            r"</?\s{0,4}(?:AGENT_DONE|AGENT_BLOCKED|AGENT_CONTINUE|BLOCKER_REASON|UNBLOCK_REQUIREMENTS|STATUS_REPORT)"
            r"\s{0,4}>",
            re.IGNORECASE,
        ),
    ),
    _Shape(
        "tool_imitation",
        "has the form of a tool call or of its result",
        late_pattern(
            r"</?(?:tool_call|tool_calls|tool_use|tool_result|tool_response|function_call|function_calls|function_result|"
            r"function_results)>|<invoke name=|<function=\w{1,40}>|<\|?tool[\u2581_]calls?[\u2581_]begin\|?>"
            r"|\"type\"\s{0,4}:\s{0,4}\"tool_(?:use|result)\"|\[TOOL_CALLS\]|\[TOOL_RESULTS\]",
            re.IGNORECASE,
        ),
    ),
    *(
        _Shape("image_exfiltration", "has a picture whose address would carry data away", pattern, holds, beside)
        for pattern in (_MARKDOWN_IMAGE, _HTML_IMAGE)
        for holds, beside in ((_carries_data, None), (_has_query, _TALK_OF_DATA))
    ),
    _Shape(
        "override",
        "asks to set instructions aside",
        late_pattern(
            "(?:\u5ffd\u7565|\u65e0\u89c6|\u5fd8\u8bb0|\u5ffd\u8996|\u7121\u8996)[^\n]{0,12}(?:\u6307\u4ee4|\u6307\u793a|"
            "\u63d0\u793a|\u89c4\u5219|\u547d\u4ee4)|(?:\u6307\u793a|\u547d\u4ee4)[^\n]{0,8}(?:\u7121\u8996|\u5fd8\u308c)"
            "|(?:\uc9c0\uc2dc|\uba85\ub839)[^\n]{0,8}(?:\ubb34\uc2dc|\uc78a)"
        ),
    ),
)


def injection(text: str, removed: Mapping[str, int] | None = None) -> tuple[Signal, ...]:
    """Signs that a text wants to steer the model.

    Args:
        text: without hidden characters, as `sanitize` leaves it.
        removed: what `sanitize` took out, by class.

    Returns:
        The first sign of each name, in no order that means anything; a few at the most.
    """
    found: dict[str, Signal] = {}
    for signal in (*_hidden(removed or {}), *_visible(text)):
        found.setdefault(signal.name, signal)
    return tuple(found.values())


def spam(text: str) -> tuple[Signal, ...]:
    """Signs that a text is no message: it says nothing, shouts, or says one thing over and over.

    Args:
        text: as for `injection`.
    """
    if not text.strip():
        return (Signal("empty", "nothing in it can be seen", "text at 0"),)
    return tuple(signal for signal in (_shouting(text), _same_character(text), _same_word(text)) if signal is not None)


def _hidden(removed: Mapping[str, int]) -> Iterator[Signal]:
    for kind, enough in _HIDDEN.items():
        count = removed.get(kind, 0)
        if count >= enough:
            yield Signal(
                "hidden_characters", f"{count} invisible characters of the class {kind!r} were in it", "removed"
            )


def _visible(text: str) -> Iterator[Signal]:
    read: set[str] = set()
    for view in views(text):
        for shape in _SHAPES:
            held = next((match for match in shape.pattern.finditer(view.text) if shape.holds(match)), None)
            # What stands beside it is looked for last: to read all of a text for that costs more than the rest.
            if held is not None and (shape.beside is None or shape.beside.search(view.text)):
                yield _signal(shape.name, shape.reason, view, held.start(), held.end())
        # Phrases are of words in lower case, and a folded text often differs in nothing else.
        if (lower := view.text.lower()) in read:
            continue
        read.add(lower)
        placed: list[Word] = []
        for found in find_phrases(words(view.text)):
            placed = placed or placed_words(view.text)
            first, last = placed[found.first], placed[found.last]
            yield _signal(found.phrase.name, found.phrase.reason, view, first.at, last.at + len(last.text))


def _signal(name: str, reason: str, view: TextView, start: int, end: int) -> Signal:
    excerpt = view.text[start : min(end, start + MAX_EXCERPT)]
    return Signal(name, f"{reason}: {excerpt!r}", f"{view.name} at {start if view.offset is None else view.offset}")


def _shouting(text: str) -> Signal | None:
    bare = text.strip()
    if len(bare) <= CAPITALS_OVER or not bare.isupper():
        return None
    # Numbers with a unit are not shouted.
    if 2 * len(_LETTER.findall(bare)) < len("".join(bare.split())):
        return None
    return Signal("capitals", f"all of its {len(bare)} characters are capitals", "text at 0")


def _same_character(text: str) -> Signal | None:
    for match in _SAME.finditer(text):
        char = match[1]
        if char in _DRAWING or (char in _PADDING and _in_longer_token(match)):
            continue
        return Signal("same_character", f"{char!r} stands {SAME_CHARACTER} times in a row", f"text at {match.start()}")
    return None


def _in_longer_token(match: re.Match[str]) -> bool:
    """Whether a row belongs to a number or key: it is of zeros, or other letters or digits stand next to it."""
    char, text = match[1], match.string
    around = text[max(0, match.start() - 1) : match.start()] + text[match.end() : match.end() + 1]
    return char == "0" or any(near.isalnum() and near != char for near in around)


def _same_word(text: str) -> Signal | None:
    said = words(text)
    if len(said) < WORDS_AT_LEAST:
        return None
    word, count = Counter(said).most_common(1)[0]
    # Rows of numbers are data.
    if count <= WORD_SHARE * len(said) or not _LETTER.search(word):
        return None
    return Signal("same_word", f"{count} of its {len(said)} words are {word[:MAX_EXCERPT]!r}", "text at 0")
