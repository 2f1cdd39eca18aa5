"""A conversation as Markdown, record by record, for people. Pure."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Final

from sulla.core.ids import CallId
from sulla.core.stamp import stamp
from sulla.threads.log.codec import Entry
from sulla.threads.log.records import (
    Input,
    RunError,
    RunFinished,
    TextMessageEnd,
    ThreadCreated,
    ToolCallResult,
    ToolCallStart,
)

RESULT_CHARS: Final = 4_000
"""Of a tool's result; the rest is counted. The lines of the log have the whole."""
_BREAK: Final = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
"""What ends a line for some reader of Markdown, or for Unicode."""
_KEPT: Final = "\u200c\u200d"
"""Of characters that nobody sees, those that stay: without the joiners some words and pictures fall apart."""
_MARKS: Final = re.compile(r"[!-+/:-@\[-`{-~]")
"""ASCII's punctuation, without the comma, hyphen and dot, which mean nothing within a line."""
_OTHER: Final = re.compile(r"[^\n\t -~]")


class Markdown:
    """A conversation as Markdown, record after record; it lives as long as one reading of it.

    Args:
        called: what the conversation is called now; empty for what it was called first.
    """

    def __init__(self, called: str = "") -> None:
        self._called = called
        self._named = set[CallId]()

    def of(self, entry: Entry) -> str:
        """What the next record is for a reader; empty for one that is nothing to them.

        A call that a person allowed begins twice, before it is asked about and before it is made: it is named once.

        Args:
            entry: the record.
        """
        if isinstance(fact := entry.fact, ToolCallStart):
            if fact.call_id in self._named:
                return ""
            self._named.add(fact.call_id)
        return markdown_of(entry, self._called)


def markdown_of(entry: Entry, called: str = "") -> str:
    """What a record is for a reader; empty for one that is nothing to them.

    All that anybody said, and what a tool was given and gave, is indented as code: word for word, so nothing in it can
    pass for a heading here, drawn or not, be fetched or run. What is not indented is ours.

    Args:
        entry: the record.
        called: what the conversation is called now; empty for what it was called first.
    """
    at, who = stamp(entry.origin.at_ms), entry.origin.agent
    match entry.fact:
        case ThreadCreated(agent=agent, title=title):
            return f"# {_line(called or title) or 'Conversation'}\n\n{at}, with {_line(agent)}\n"
        case Input(text=text, quoted=quoted) as said:
            passed_on = f"\nPassed on with it:\n\n{_code(quoted)}" if quoted else ""
            return f"\n## {_speaker(said)} · {at}\n\n{_code(text)}{passed_on}"
        case TextMessageEnd(text=text, hidden=False) if text.strip():
            return f"\n## {_line(who) or 'Agent'} · {at}\n\n{_code(text)}"
        case ToolCallStart(name=name, args=args):
            given = json.dumps(dict(args), ensure_ascii=False, indent=2)
            return f"\n**{_line(name)}** · {at}\n\n{_code(given, RESULT_CHARS)}"
        case ToolCallResult(text=text, is_error=is_error):
            return f"\n{'Failed:' if is_error else 'Result:'}\n\n{_code(text, RESULT_CHARS)}"
        case RunFinished(outcome=outcome) if outcome.status in ("blocked", "cancelled", "failed"):
            return f"\n*The turn ended: {outcome.status}{f', {_line(outcome.reason)}' if outcome.reason else ''}.*\n"
        case RunError(message=message):
            return f"\n*The turn failed: {_line(message)}*\n"
        case _:
            return ""


def _speaker(said: Input) -> str:
    if said.origin != "user":
        return "From outside" if said.origin == "web" else _line(said.origin)
    return "From a model" if said.tainted else "You"


def _code(text: str, most: int | None = None) -> str:
    """A block of code, which a line leaves that is not indented, and each is."""
    lines = "\n".join(f"    {line}" for line in _seen(text[:most]).split("\n"))
    left = 0 if most is None else len(text[most:])
    return f"{lines}\n" + (f"\n({left} more characters)\n" if left else "")


def _line(text: str) -> str:
    """Some words in a line, in which nothing is Markdown."""
    return _MARKS.sub(r"\\\g<0>", " ".join(_seen(text).split()))


def _seen(text: str) -> str:
    """A text whose lines end with a line feed alone, with what nobody would see, or what turns a line around, spelled
    out.
    """
    return _OTHER.sub(_spelled, _BREAK.sub("\n", text))


def _spelled(found: re.Match[str]) -> str:
    char = found[0]
    unseen = unicodedata.category(char) in ("Cc", "Cf", "Cs") and char not in _KEPT
    return f"\\u{ord(char):04x}" if unseen else char
