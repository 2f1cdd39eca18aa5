"""A conversation as Markdown, record by record, for people. Pure."""

from __future__ import annotations

import json
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

    What a tool gave and what a message quotes is indented as code, so that nothing in it can pass for a heading here.

    Args:
        entry: the record.
        called: what the conversation is called now; empty for what it was called first.
    """
    at, who = stamp(entry.origin.at_ms), entry.origin.agent
    match entry.fact:
        case ThreadCreated(agent=agent, title=title):
            return f"# {_line(called or title) or 'Conversation'}\n\n{at}, with {agent}\n"
        case Input(text=text, origin=origin, quoted=quoted):
            said = f"\n## {'You' if origin == 'user' else origin} · {at}\n\n{text}\n"
            return f"{said}\n{_code(quoted)}" if quoted else said
        case TextMessageEnd(text=text, hidden=False) if text.strip():
            return f"\n## {who or 'Agent'} · {at}\n\n{text}\n"
        case ToolCallStart(name=name, args=args):
            return f"\n**{name}** · {at}\n\n{_code(json.dumps(dict(args), ensure_ascii=False, indent=2))}"
        case ToolCallResult(text=text, is_error=is_error):
            return f"\n{'Failed:' if is_error else 'Result:'}\n\n{_code(text)}"
        case RunFinished(outcome=outcome) if outcome.status in ("blocked", "cancelled", "failed"):
            return f"\n*The turn ended: {outcome.status}{f', {_line(outcome.reason)}' if outcome.reason else ''}.*\n"
        case RunError(message=message):
            return f"\n*The turn failed: {_line(message)}*\n"
        case _:
            return ""


def _code(text: str) -> str:
    shown = text[:RESULT_CHARS]
    lines = "\n".join(f"    {line}" for line in shown.split("\n"))
    left = len(text) - len(shown)
    return f"{lines}\n" + (f"\n({left} more characters)\n" if left else "")


def _line(text: str) -> str:
    return " ".join(text.split())
